#!/bin/sh
# install_deps.sh -- installs what is missing for one purpose and nothing else: sh tools/install_deps.sh demo|check|ci
#
# Debian (12 and later) and Ubuntu (22.04 and later): packages of the distribution, R packages among them where it has
# them. Any other system: R packages come from CRAN, the rest is named so that it can be installed by hand. Where nothing
# is missing, nothing is asked of the network and no rights are needed.
set -u

purpose=${1:-demo}
case $purpose in demo | check | ci) ;; *) echo "usage: install_deps.sh demo|check|ci" >&2; exit 2 ;; esac

say() { printf '%s\n' "nmathopencl: $*"; }

# --- what is needed: "probe;Debian package", a line each ---------------------------------------------------------------

system_needs() {
  cat <<'EOF'
command -v Rscript;r-base-core
command -v g++;r-base-dev
links lapack;r-base-dev
has_loader;ocl-icd-libopencl1
has_driver;pocl-opencl-icd
EOF
  [ "$purpose" = demo ] && return
  cat <<'EOF'
command -v pandoc;pandoc
command -v cmake;cmake
EOF
  [ "$purpose" = check ] && return
  cat <<'EOF'
header CL/cl.h;opencl-c-headers
links OpenCL;ocl-icd-opencl-dev
command -v clang;clang
links_fuzzer;libclang-rt-dev
command -v oclgrind;oclgrind
command -v nm;binutils
command -v ccache;ccache
[ -f /usr/share/i18n/locales/en_US ];locales
command -v checkbashisms;devscripts
command -v tidy;tidy
command -v qpdf;qpdf
command -v pngquant;pngquant
python3 -c "import mpmath" || /usr/bin/python3 -c "import mpmath";python3-mpmath
header gtest/gtest.h;libgtest-dev
EOF
}

r_needs() {
  echo "Rcpp cli"
  [ "$purpose" = demo ] || echo "testthat knitr rmarkdown future furrr ggplot2"
  # Debian has no mirai; what it depends on is compiled.
  [ "$purpose" != ci ] || echo "roxygen2 RcppArmadillo spelling mirai"
}

links() {
  command -v gcc > /dev/null && echo 'int main(void) { return 0; }' | gcc -x c - "-l$1" -o /dev/null
}

header() {
  command -v gcc > /dev/null && echo "#include <$1>" | gcc -x c++ -E - -o /dev/null
}

# Clang's run-time libraries, which come in a package of their own.
links_fuzzer() {
  for compiler in clang++-15 clang++; do
    echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
      "$compiler" -fsanitize=fuzzer,address,undefined -x c++ - -o /dev/null && return 0
  done
  return 1
}

# As the package will look for it, when it runs.
has_loader() {
  libraries=$(ldconfig -p 2> /dev/null || /sbin/ldconfig -p)
  case $libraries in *libOpenCL.so.1*) ;; *) return 1 ;; esac
}

# Any driver will do: a GPU's, or PoCL, which is an OpenCL device on the processor. CI is about PoCL.
has_driver() {
  [ "$purpose" != ci ] || [ -f /etc/OpenCL/vendors/pocl.icd ] || return 1
  for icd in /etc/OpenCL/vendors/*.icd; do
    [ -f "$icd" ] && return 0
  done
  return 1
}

missing_system() {
  system_needs | while IFS=';' read -r probe package; do
    eval "$probe" > /dev/null 2>&1 < /dev/null || echo "$package"
  done | sort -u
}

missing_r() {
  # shellcheck disable=SC2046
  set -- $(r_needs)
  if command -v Rscript > /dev/null 2>&1; then
    Rscript --vanilla -e 'p <- commandArgs(TRUE)' -e 'cat(p[!nzchar(vapply(p, function(q) system.file(package = q), ""))])' "$@"
  else
    echo "$*"
  fi
}

# --- how it is installed -----------------------------------------------------------------------------------------------

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo > /dev/null 2>&1; then
    sudo "$@"
  else
    say "root is needed for: $*" >&2
    return 1
  fi
}

apt() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 -qq "$@" < /dev/null
}

apt_has() {
  apt-cache show "$1" > /dev/null 2>&1
}

install_with_apt() {
  say "installing $*"
  apt install -y --no-install-recommends "$@" > "$log" 2>&1 && return 0
  tail -n 20 "$log" >&2
  say "apt-get could not install: $*" >&2
  return 1
}

debian_name() {
  echo "r-cran-$1" | tr '[:upper:]' '[:lower:]'
}

install_from_cran() {
  say "installing from CRAN: $*"
  Rscript --vanilla -e '
    wanted <- commandArgs(TRUE)
    repos <- getOption("repos")
    if (anyNA(repos["CRAN"]) || repos["CRAN"] == "@CRAN@") {
      utils::chooseCRANmirror(ind = 1, local.only = TRUE)
      repos <- getOption("repos")
    }
    lib <- .libPaths()[1]
    if (file.access(lib, 2) != 0) {
      lib <- Sys.getenv("R_LIBS_USER")
      dir.create(lib, recursive = TRUE, showWarnings = FALSE)
    }
    install.packages(wanted, lib = lib, repos = repos, quiet = TRUE,
                     Ncpus = max(1L, parallel::detectCores(), na.rm = TRUE))
    .libPaths(lib)
    lost <- wanted[!nzchar(vapply(wanted, function(p) system.file(package = p), ""))]
    if (length(lost)) stop("not installed: ", paste(lost, collapse = ", "))
  ' "$@"
}

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

system=$(missing_system)
r_packages=$(missing_r)
if [ -z "$system$r_packages" ]; then
  exit 0
fi

if command -v apt-get > /dev/null 2>&1; then
  say "reading the lists of packages"
  apt update > "$log" 2>&1 || { tail -n 5 "$log" >&2; say "apt-get update failed; going on with the lists there are" >&2; }
  from_apt=$system
  from_cran=
  for package in $r_packages; do
    if apt_has "$(debian_name "$package")"; then
      from_apt="$from_apt $(debian_name "$package")"
    else
      from_cran="$from_cran $package"
    fi
  done
  # shellcheck disable=SC2086
  [ -z "$from_apt" ] || install_with_apt $from_apt || exit 1
else
  if [ -n "$system" ]; then
    say "this system has no apt-get; install by hand (names of Debian's packages):" $system >&2
    exit 1
  fi
  from_cran=$r_packages
fi
# shellcheck disable=SC2086
[ -z "$from_cran" ] || install_from_cran $from_cran || exit 1

still=$(missing_system; missing_r)
if [ -n "$(printf '%s' "$still" | tr -d ' \n')" ]; then
  say "still missing after the installation:" $still >&2
  exit 1
fi
say "everything for '$purpose' is installed"
