#!/bin/sh
# check_package.sh -- builds the package and runs R CMD check; fails on an error, a warning or a note.
#
#   sh tools/check_package.sh [--as-cran] [--without-opencl] [--tarball FILE] [--out FOLDER]
#
# Without --as-cran: code and tests, no vignette and no manual. With it: everything that needs no network, vignettes once, when
# the tarball is built; the PDF manual where there is a LaTeX. Either way all tests run, not just those of CRAN, unless
# NOT_CRAN=false is set, and what the check leaves in the folders that R gives packages for a user's files is a finding.
# "New submission" is none. --out keeps tarball and check folder (without it they stay only where something failed), --tarball
# reuses one. CHECK_TIMEOUT: the seconds that R CMD check may take.
set -u

as_cran=
configure_args=
tarball=
out=
while [ $# -gt 0 ]; do
  case $1 in
    --as-cran) as_cran=yes ;;
    --without-opencl) configure_args=--without-opencl ;;
    --tarball) tarball=$2; shift ;;
    --out) out=$2; shift ;;
    *) echo "check_package.sh: unknown argument '$1'" >&2; exit 2 ;;
  esac
  shift
done

source=$(cd "$(dirname "$0")/.." && pwd) || exit 1
if [ -z "$out" ]; then
  out=$(mktemp -d) || exit 1
  passed=
  trap '[ -z "$passed" ] && echo "Kept: $out" || rm -rf "$out"' EXIT
fi
mkdir -p "$out" && cd "$out" || exit 1

export NOT_CRAN="${NOT_CRAN:-true}"
# A loop of a test runs once: to compile it first, as R's third level does, takes longer. CRAN's tests have R as users have it.
[ "$NOT_CRAN" != true ] || export R_ENABLE_JIT="${R_ENABLE_JIT:-2}"

# What the tests cannot see: that it was asked for.
[ -z "$configure_args" ] || export _NMATHOPENCL_CHECK_WITHOUT_OPENCL_=yes

# For the make that R starts; one that started this script has settings of its own, which do not apply there.
export MAKEFLAGS="-j$(nproc 2> /dev/null || echo 2)"
# A bare machine has no other UTF-8 locale than this one; R CMD check wants some.
[ "$(locale charmap 2> /dev/null)" = UTF-8 ] || export LC_ALL=C.UTF-8
# What the check would ask of the network, or of the day's clock.
export _R_CHECK_CRAN_INCOMING_REMOTE_=false _R_CHECK_SYSTEM_CLOCK_=false _R_CHECK_XREFS_USE_ALIASES_FROM_CRAN_=false
# Suggested packages that are not here are no finding, unless all were installed for this.
export _R_CHECK_FORCE_SUGGESTS_="${_R_CHECK_FORCE_SUGGESTS_:-${CI:-false}}"
# Megabytes, as installed: two fifths of it are the shared object (its text: 1.0 the compiler of expressions, 1.4 the device
# library compiled for the host, 1.6 the rest), 3 the some 500 files of inst/cl, whose 1.4 MB take a block each, and a tenth
# the vignettes with their pictures.
export _R_CHECK_PKG_SIZES_THRESHOLD_=12

vignettes= built=
[ -n "$as_cran" ] || vignettes=--no-build-vignettes
if [ -z "$tarball" ]; then
  # shellcheck disable=SC2086
  sh "$source/tools/step.sh" --log build.log "package built" R CMD build $vignettes "$source" || exit 1
  tarball=$(ls nmathopencl_*.tar.gz) || exit 1
  built=yes
fi

set --
if [ -n "$as_cran" ]; then
  set -- "$@" --as-cran
  # A tarball that was built a moment ago has its vignettes; their code has run.
  [ -z "$built" ] || set -- "$@" --no-vignettes
  command -v pdflatex > /dev/null 2>&1 || set -- "$@" --no-manual
else
  set -- "$@" --no-manual --ignore-vignettes
fi
[ -z "$configure_args" ] || set -- "$@" --install-args=--configure-args="$configure_args"

# Where tools::R_user_dir() points during the check.
rm -rf nmathopencl.Rcheck user && mkdir user || exit 1
export R_USER_CACHE_DIR="$PWD/user/cache" R_USER_DATA_DIR="$PWD/user/data" R_USER_CONFIG_DIR="$PWD/user/config"
begin=$(date +%s)
timeout "${CHECK_TIMEOUT:-3300}" R CMD check "$@" "$tarball" > check.out 2>&1
status=$?
log=nmathopencl.Rcheck/00check.log
[ -f "$log" ] || { tail -n 40 check.out; echo "R CMD check did not start (exit status $status)"; exit 1; }
[ $status != 124 ] || { tail -n 20 check.out
  echo "R CMD check ran past ${CHECK_TIMEOUT:-3300} s; CHECK_TIMEOUT=SECONDS gives it more"; exit 1; }

seconds=$(($(date +%s) - begin))
told() { printf '%-6s  %4d s  %s\n' "$1" "$seconds" "R CMD check${as_cran:+ --as-cran}${configure_args:+ $configure_args}"; }
summary() {
  sed -n 's/^nmathopencl: /configure: /p' nmathopencl.Rcheck/00install.out
  # one line of counts, of all suites
  for suite in nmathopencl.Rcheck/tests/*.Rout*; do sed -n '/^\[ FAIL/p' "$suite" | tail -n 1; done 2> /dev/null |
    awk '{ fail += $3; warn += $6; skip += $9; pass += $12 } END { if (NR) printf "[ FAIL %d | WARN %d | SKIP %d | PASS %d ]\n", fail, warn, skip, pass }'
  sed -n '/^Status:/p' "$log"
}

# Each finding of the log with its lines; the incoming check's "New submission" with its maintainer line is dropped.
findings=$(awk '
  function flush() {
    if (head != "" && !(head ~ /CRAN incoming feasibility/ && body ~ /^[^\n]*Maintainer:[^\n]*\n(\n)*New submission\n(\n)*$/))
      printf "%s\n%s", head, body
    head = ""; body = ""
  }
  /^\* / { flush(); if ($0 ~ / (NOTE|WARNING|ERROR)$/) head = $0; next }
  head != "" { body = body $0 "\n" }
  END { flush() }' "$log")

left=$(find user -type f)
[ -z "$left" ] || findings="$findings
Files left in the user's folders:
$left"

if [ -n "$findings" ] || ! grep -q '^Status:' "$log"; then
  told FAILED
  summary
  printf '%s\n' "$findings"
  files=$(ls nmathopencl.Rcheck/tests/*.Rout.fail 2> /dev/null)
  grep -q '^\* DONE' nmathopencl.Rcheck/00install.out || files="nmathopencl.Rcheck/00install.out $files"
  for file in $files; do
    echo "--- end of $file"
    tail -n 60 "$file"
  done
  exit 1
fi
told ok
summary
passed=yes
