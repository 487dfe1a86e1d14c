#!/bin/sh
# check_configure_win.sh -- what configure.win writes on a Windows that is pretended: uname says MINGW, R's answers are those of
# a script, the SDK is a header and a stub of a library. This system's compiler stands in for that of Rtools.
#
#   sh tools/check_configure_win.sh
set -u

source=$(cd "$(dirname "$0")/.." && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# --- the pretended system ----------------------------------------------------------------------------------------------

mkdir -p "$work/bin" "$work/home/bin" "$work/bare/CL" "$work/Program Files/SDK/include/CL" "$work/Program Files/SDK/lib/x64" "$work/package/src"
script() { cat > "$1" && chmod +x "$1"; }
script "$work/bin/uname" <<'EOS'
#!/bin/sh
echo MINGW64_NT-10.0-19045
EOS
script "$work/bin/cygpath" <<'EOS'
#!/bin/sh
# -m: C:/... of /c/...; the test's own folders stay as they are
printf '%s\n' "$2"
EOS
script "$work/home/bin/R" <<'EOS'
#!/bin/sh
case $3 in
  CXX17) echo g++ ;;
  CXX17STD) echo -std=gnu++17 ;;
esac
EOS
# Neither headers nor a library, whatever this system has.
echo '#error "no OpenCL here"' > "$work/bare/CL/cl.h"
echo 'GROUP ( no-opencl-here )' > "$work/bare/libOpenCL.so"
sdk="$work/Program Files/SDK"
cat > "$sdk/include/CL/cl.h" <<'EOS'
#define CL_SUCCESS 0
typedef int cl_int;
typedef unsigned cl_uint;
typedef struct program* cl_program;
extern "C" cl_int clGetPlatformIDs(cl_uint, void*, cl_uint*);
extern "C" cl_program clLinkProgram(void*, cl_uint, const void*, const char*, cl_uint, const void*, void*, void*, cl_int*);
EOS
{
  echo '#include <CL/cl.h>'
  echo 'cl_int clGetPlatformIDs(cl_uint, void*, cl_uint*) { return 0; }'
  echo 'cl_program clLinkProgram(void*, cl_uint, const void*, const char*, cl_uint, const void*, void*, void*, cl_int*) { return 0; }'
} > "$work/stub.cpp"
g++ -I"$sdk/include" -c "$work/stub.cpp" -o "$work/stub.o" && ar rc "$sdk/lib/x64/libOpenCL.a" "$work/stub.o" || exit 1

for part in configure configure.win inst/templates; do
  mkdir -p "$work/package/$(dirname "$part")" && cp -r "$source/$part" "$work/package/$part" || exit 1
done
cp "$source/src/Makevars.in" "$work/package/src" || exit 1

# configured SETTINGS... [-- ARGUMENTS...]: what configure.win says, with its exit status, and the Makevars that it leaves
configured() {
  settings=
  while [ $# -gt 0 ] && [ "$1" != -- ]; do settings="$settings '$1'"; shift; done
  [ $# -eq 0 ] || shift
  rm -f "$work/package/src/Makevars"
  (cd "$work/package" && unset OPENCL_SDK_PATH CUDA_PATH NMATHOPENCL_OPENCL R_ARCH_BIN &&
    eval "env PATH='$work/bin:$PATH' R_HOME='$work/home' CPATH='$work/bare' LIBRARY_PATH='$work/bare' PKG_CONFIG=false $settings sh ./configure.win \"\$@\"") \
    > "$work/told" 2>&1 || { echo "configure.win failed:"; cat "$work/told"; failed=1; }
  makevars="$work/package/src/Makevars"
}

fault() { echo "configure.win, $case: $*"; sed 's/^/    | /' "$work/told"; failed=1; }
says() { grep -q -e "$1" "$work/told" || fault "does not say '$1'"; }
writes() { grep -q -e "$1" "$makevars" || fault "does not write '$1'"; }
leaves_out() { ! grep -q -e "$1" "$makevars" || fault "writes '$1'"; }

# Every object of the Makevars has a source, and nothing is left to fill in.
is_whole() {
  leaves_out '@[A-Z_]*@'
  objects=$(printf '%s\n' "include $makevars" 'list: ; @echo $(OBJECTS)' | make -s -f - SHLIB=x list 2> "$work/make.log")
  [ "$(echo "$objects" | wc -w)" -gt 15 ] || fault "objects cannot be read: $(cat "$work/make.log")"
  for object in $objects; do
    [ -f "$source/src/${object%.o}.cpp" ] || [ -f "$source/src/${object%.o}.c" ] || fault "no source of $object"
  done
  # Windows has no libdl, remembers no folders in a library, and its R strips by itself.
  leaves_out '-ldl'
  leaves_out 'rpath'
  leaves_out 'strip'
}

# --- cases -----------------------------------------------------------------------------------------------------------

case='no SDK'
configured
says '^nmathopencl: nothing of OpenCL to compile with'
leaves_out USE_OPENCL
writes 'OBJECTS = $(COMMON_OBJECTS) $(OPENCL_OBJECTS)'
is_whole

case='no SDK, but asked for'
configured NMATHOPENCL_OPENCL=yes
says 'NOTE: headers and loader were asked for'
leaves_out USE_OPENCL
is_whole

for path in OPENCL_SDK_PATH CUDA_PATH; do
  case="an SDK in a folder with a space, by $path"
  configured "$path=$sdk"
  says '^nmathopencl: OpenCL found'
  writes "-DUSE_OPENCL -I\"$sdk/include\""
  writes 'OBJECTS = $(COMMON_OBJECTS) $(OPENCL_OBJECTS)'
  is_whole
done

case='an SDK, --without-opencl'
configured "OPENCL_SDK_PATH=$sdk" -- --without-opencl
says '^nmathopencl: building without OpenCL'
leaves_out USE_OPENCL
writes 'OBJECTS = $(COMMON_OBJECTS) opencl/absent.o'
is_whole

case='an SDK, NMATHOPENCL_OPENCL=no'
configured "OPENCL_SDK_PATH=$sdk" NMATHOPENCL_OPENCL=no
says '^nmathopencl: building without OpenCL'
writes 'opencl/absent.o'
is_whole

[ $failed = 0 ] && echo "configure.win writes what it should, in 6 cases"
exit $failed
