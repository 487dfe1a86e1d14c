#!/bin/sh
# run_glmbayes.sh -- the clients in the field, on this tree: installs nmathopencl from here, opencltools, glmbayes and glmbayesCore from
# the repository that R is configured with, their sources untouched, and shows that
#   * opencltools' loaders read this device library,
#   * glmbayes and glmbayesCore compute their six kernels on OpenCL as on the processor,
#   * glmbayes' own tests of its OpenCL path pass.
#
#   sh tests/clients/run_glmbayes.sh [FOLDER]      FOLDER keeps what is built, and is gone on with; else a fresh one is removed
#
# Needs OpenCL's headers, its loader and a driver, a C++17 compiler, a network, and half an hour and more on two cores; see README.md.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
if [ $# -gt 0 ]; then
  mkdir -p "$1"
  work=$(cd "$1" && pwd)
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
library=$work/library
mkdir -p "$library" "$work/sources" "$work/include/tbb"
R_LIBS=$library${R_LIBS:+:$R_LIBS}
export R_LIBS LC_ALL=C.UTF-8

say() { printf '\n== %s\n' "$*"; }
install() { R CMD INSTALL --no-docs --no-test-load --library="$library" "$1" > "$2" 2>&1 || { tail -n 30 "$2"; exit 1; }; }
source_of() { ls "$work/sources/$1"_*.tar.gz; }

say "sources of the clients, and what they need"
[ -n "$(ls "$work/sources")" ] || Rscript "$here/fetch_clients.R" "$work/sources"
ls "$work/sources"

say "nmathopencl, from $root"
(cd "$work" && R CMD build --no-build-vignettes "$root" > "$work/build.log" 2>&1) || { tail -n 30 "$work/build.log"; exit 1; }
install "$(ls -t "$work"/nmathopencl_*.tar.gz | head -n 1)" "$work/nmathopencl.log"

# C++17 for R before 4.3. USE_OPENCL by hand: the client's configure leaves it out where PoCL is the only driver. tbb::mutex
# and its header are gone from TBB since 2021. A TBB that is not RcppParallel's own has to be named to the linker.
printf '%s\n' '#pragma once' '#include <tbb/spin_mutex.h>' 'namespace tbb { using mutex = spin_mutex; }' \
  > "$work/include/tbb/mutex.h"
{
  [ -z "${R_MAKEVARS_USER:-}" ] || cat "$R_MAKEVARS_USER"
  # shellcheck disable=SC2016
  echo 'CXX = $(CXX17) $(CXX17STD)'
  echo 'CPPFLAGS += -DUSE_OPENCL'
  bundled=$(Rscript -e 'cat(system.file("include", "tbb", "mutex.h", package = "RcppParallel"))')
  [ -n "$bundled" ] || echo "CPPFLAGS += -I$work/include"
  bundled=$(Rscript -e 'cat(system.file("lib", package = "RcppParallel"))')
  [ -n "$bundled" ] || echo 'LDFLAGS += -Wl,--no-as-needed -ltbb'
} > "$work/Makevars"
export R_MAKEVARS_USER="$work/Makevars"

for client in opencltools glmbayes glmbayesCore; do
  if [ -d "$library/$client" ]; then continue; fi
  say "$client, from its repository's sources"
  install "$(source_of "$client")" "$work/$client.log"
done

say "what is said when glmbayes is loaded"
Rscript -e 'library(glmbayes)' > "$work/load.log" 2>&1 || { cat "$work/load.log"; exit 1; }
if grep -i 'overwritten' "$work/load.log"; then echo "S3 methods of nmathopencl clash"; exit 1; fi
# glmbayes imports all of nmathopencl and all of opencltools: R notes every name of the published toolkit that both export. No
# other package's name may be among them.
if grep 'replacing previous import' "$work/load.log" | grep -v 'nmathopencl::.* by .*opencltools::'; then exit 1; fi
sed -n 's/.*previous import [^a-z]*nmathopencl::\([A-Za-z_]*\).*/  in nmathopencl and opencltools: \1/p' "$work/load.log"

say "opencltools reads this device library"
Rscript "$here/opencltools_loaders.R"
for client in glmbayes glmbayesCore; do
  say "six families of $client"
  Rscript "$here/glmbayes_families.R" "$client" 2> "$work/families.log" || { cat "$work/families.log"; exit 1; }
done

say "glmbayes' own tests of its OpenCL path"
rm -rf "$work/glmbayes" && tar -x -z -C "$work" -f "$(source_of glmbayes)"
NOT_CRAN=true Rscript -e 'library(testthat); suppressWarnings(library(glmbayes))' -e 'stopifnot(has_opencl())' \
  -e 'results <- as.data.frame(test_dir(commandArgs(TRUE), filter = "opencl", package = "glmbayes", reporter = "check"))' \
  -e 'print(results[c("file", "test", "nb", "failed", "skipped")]); stopifnot(nrow(results) > 0, !any(results$skipped))' \
  "$work/glmbayes/tests/testthat"
say "done"
