#!/bin/sh
# find_opencl.sh -- looks for OpenCL's headers and a library to link with. Read by a configure, in the package's folder.
#
#   opencl_wanted SETTING ARGUMENTS...   what was asked for: `want` becomes yes, no or auto
#   look_for_opencl                      sets `found` to yes or no, and the variables below
#
# Nothing that is built here is run, no device or driver is needed, and nothing missing is an error. It asks the folder
# that OPENCL_SDK_PATH names, pkg-config, the compiler's own folders, on macOS the framework, the folder that CUDA_PATH
# names, and the usual folders of SDKs.

: "${R_HOME=$(R RHOME)}"
R_CMD="${R_HOME}/bin${R_ARCH_BIN}/R"

cpp_flags=       # what goes into PKG_CPPFLAGS
libs=            # what a program links with
run_path=        # what goes into PKG_LIBS: where to look when the package runs
headers=         # the cl.h that was found
reason=

opencl_wanted() {
  want=${1:-auto}
  shift
  for arg in "$@"; do
    case $arg in
      --without-opencl | --with-opencl=no) want=no ;;
      --with-opencl | --with-opencl=yes) want=yes ;;
    esac
  done
  case $want in
    no | NO | No | false | FALSE | 0 | off) want=no ;;
    yes | YES | Yes | true | TRUE | 1 | on) want=yes ;;
    *) want=auto ;;
  esac
}

# --- the probe -------------------------------------------------------------------------------------------------------

# Scratch files stay in the source tree, which has to be writable anyway; a temporary folder need not be.
probe=conftest-opencl
trap 'rm -rf "$probe"' EXIT
trap 'exit 1' HUP INT TERM

write_probe() {
  rm -rf "$probe"
  mkdir "$probe" || return 1
  cat > "$probe/probe.cpp" <<'EOF'
#define CL_TARGET_OPENCL_VERSION 120
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif
int main() {
  cl_uint n = 0;
  if (clGetPlatformIDs(0, nullptr, &n) != CL_SUCCESS) return 1;
  cl_int status = CL_SUCCESS;  // clLinkProgram: a loader older than OpenCL 1.2 has none
  cl_program program = clLinkProgram(nullptr, 0, nullptr, nullptr, 0, nullptr, nullptr, nullptr, &status);
  return program == nullptr ? 0 : 1;
}
EOF
}

# The compilers are used unquoted on purpose: R's settings may hold options ("g++ -m64").
read_compilers() {
  cxx=$("$R_CMD" CMD config CXX17 2>/dev/null) || cxx=
  if [ -n "$cxx" ]; then
    cxx="$cxx $("$R_CMD" CMD config CXX17STD 2>/dev/null) $("$R_CMD" CMD config CXX17FLAGS 2>/dev/null)"
  else
    cxx="$("$R_CMD" CMD config CXX 2>/dev/null) $("$R_CMD" CMD config CXXFLAGS 2>/dev/null)"
  fi
  r_cpp_flags=$("$R_CMD" CMD config CPPFLAGS 2>/dev/null) || r_cpp_flags=
  r_ld_flags=$("$R_CMD" CMD config LDFLAGS 2>/dev/null) || r_ld_flags=
}

# try CPPFLAGS LIBS [RUN_PATH]: all are shell text, folders in them are quoted, hence eval.
try() {
  rm -f "$probe/probe.o" "$probe/probe.exe"
  eval "$cxx $r_cpp_flags $1 -c \"\$probe/probe.cpp\" -o \"\$probe/probe.o\"" >> "$probe/log" 2>&1 || {
    [ -n "$reason" ] || reason='no OpenCL 1.2 headers'
    return 1
  }
  reason='headers found, but no OpenCL 1.2 library to link with'
  eval "$cxx $r_ld_flags \"\$probe/probe.o\" $2 $3 -o \"\$probe/probe.exe\"" >> "$probe/log" 2>&1 || return 1
  cpp_flags=$1
  libs=${2% }
  run_path=$3
  headers=$(eval "$cxx $r_cpp_flags $1 -E \"\$probe/probe.cpp\"" 2>/dev/null |
    sed -n 's/^#[line ]* [0-9][0-9]* "\(.*[/\\]\(cl\|opencl\)\.h\)".*/\1/p' | sed -n 1p)
  [ -n "$headers" ] || headers="on the compiler's own path"
  return 0
}

# try_folder DIR: an SDK with include/CL/cl.h and the library in one of the usual places below DIR.
try_folder() {
  [ -f "$1/include/CL/cl.h" ] || return 1
  for lib in lib lib64 lib/x64 lib/x86_64 lib/x86_64-linux-gnu lib/aarch64-linux-gnu targets/x86_64-linux/lib; do
    for file in "$1/$lib/"libOpenCL.* "$1/$lib/"OpenCL.lib; do
      [ -f "$file" ] || continue
      # Opening a library looks into the folders that the shared object remembers, too.
      folder_path="-Wl,-rpath,\"$1/$lib\""
      case $windows$file in yes* | *.lib) folder_path= ;; esac
      try "-I\"$1/include\"" "-L\"$1/$lib\" -lOpenCL" "$folder_path" && return 0
      break
    done
  done
  # Headers without a library of their own: the system's loader will do.
  try "-I\"$1/include\"" "-lOpenCL" && return 0
  [ -n "$windows" ] && try "-I\"$1/include\"" "-L\"C:/Windows/System32\" -lOpenCL"
}

try_pkg_config() {
  pkg_config=${PKG_CONFIG:-pkg-config}
  "$pkg_config" --exists OpenCL > /dev/null 2>&1 || return 1
  # pkg-config names a folder (-L) only where the loader of shared objects would not look by itself.
  try "$("$pkg_config" --cflags OpenCL)" \
    "$("$pkg_config" --libs OpenCL)" "$("$pkg_config" --libs-only-L OpenCL | sed 's/-L\([^ ]*\)/-Wl,-rpath,\1/g')"
}

try_usual_folders() {
  if [ -n "$windows" ]; then
    set -- "C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/"v* "C:/Program Files/OpenCL-SDK" \
      "C:/Program Files (x86)/OCL_SDK_Light" "C:/Program Files (x86)/AMD APP SDK/"* \
      "C:/Program Files (x86)/IntelSWTools/system_studio_2020/OpenCL/sdk" \
      "C:/Program Files (x86)/Intel/OpenCL SDK/"* "C:/OpenCL-SDK" "C:/OpenCL"
  else
    set -- /usr /usr/local /usr/local/cuda /opt/cuda /opt/rocm /opt/rocm/opencl /opt/homebrew /opt/local \
      /opt/intel/opencl /opt/intel/oneapi/compiler/latest
  fi
  for folder in "$@"; do
    try_folder "$folder" && return 0
  done
  return 1
}

find_opencl() {
  write_probe || { reason='the source folder is not writable'; return 1; }
  read_compilers
  [ -n "$OPENCL_SDK_PATH" ] && try_folder "$OPENCL_SDK_PATH" && return 0
  try_pkg_config && return 0
  try "" "-lOpenCL" && return 0
  [ "$(uname -s)" = Darwin ] && try "" "-framework OpenCL" && return 0
  [ -n "$CUDA_PATH" ] && try_folder "$CUDA_PATH" && return 0
  try_usual_folders
}

windows=
case $(uname -s) in
  MINGW* | MSYS* | CYGWIN* | Windows*)
    windows=yes
    # The compilers of R for Windows want C:/... where the shell may say /c/...
    if command -v cygpath > /dev/null 2>&1; then
      [ -z "$OPENCL_SDK_PATH" ] || OPENCL_SDK_PATH=$(cygpath -m "$OPENCL_SDK_PATH")
      [ -z "$CUDA_PATH" ] || CUDA_PATH=$(cygpath -m "$CUDA_PATH")
    fi
    ;;
esac

look_for_opencl() {
  found=no
  if [ "$want" = no ]; then
    reason='switched off'
  elif find_opencl; then
    found=yes
    cpp_flags="-DUSE_OPENCL${cpp_flags:+ $cpp_flags}"
    return
  fi
  cpp_flags=
  libs=
  run_path=
}

# Text for the right-hand side of sed's s|||.
for_sed() {
  printf '%s\n' "$1" | sed 's/[\\|&]/\\&/g'
}
