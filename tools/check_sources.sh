#!/bin/sh
# check_sources.sh -- puts the device sources before compilers other than a driver's:
#   1. every assembled program through offline clang as OpenCL C 1.2, in the plain and in the recycling form;
#   2. the host device through a C99 compiler with all warnings, as it is and with clang;
#   3. every reference table on the host device under the address and undefined-behaviour sanitizers;
#   4. one kernel of each shape under Oclgrind, which watches each memory access, where Oclgrind is installed.
# Run from the repository root. Needs cmake, a C and C++ compiler and clang.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
clang=$(command -v clang-15 || command -v clang)

cmake -S bench -B "$work/bench" -DCMAKE_BUILD_TYPE=Debug \
  -DCMAKE_C_FLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all" \
  -DCMAKE_CXX_FLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all" > "$work/cmake.log"
cmake --build "$work/bench" -j "$(nproc)" > "$work/build.log" 2>&1 || { tail -n 40 "$work/build.log"; exit 1; }

mkdir "$work/programs"
"$work/bench/write_programs" . "$work/programs"
count=0
for program in "$work"/programs/*.cl; do
  for form in "" -DNMATH_RECYCLE=1 -DNMATH_RECYCLE=2; do
    "$clang" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -fsyntax-only -Wall -Wno-unused-function -Werror \
      $form "$program"
  done
  count=$((count + 1))
done
echo "offline clang: $count programs in two forms"

for compiler in "${CC:-cc}" "$clang"; do
  $compiler -std=c99 -pedantic -Wall -Wextra -Wno-unused-parameter -Wno-unused-function -Werror -O1 -c \
    src/host_device.c -o "$work/host_device.o"
  echo "C99 without a warning: $compiler"
done

"$work/bench/score_tables" . host > "$work/tables.tsv"
awk -F'\t' 'NR > 1 { n += $2; bad += $3 } END { print "sanitizers: " n " reference rows, " bad " fail"; exit bad > 0 }' \
  "$work/tables.tsv"

if command -v oclgrind > /dev/null; then
  cmake -S bench -B "$work/plain" > /dev/null
  cmake --build "$work/plain" -j "$(nproc)" --target score_tables > "$work/build.log" 2>&1
  # A function of each shape (1 to 4 columns, no flag, one and two flags) and a GLM kernel, on their tables.
  NMATH_ONLY="stirlerr,bd0,dpois,dnorm,pnorm,f2_f3_poisson" oclgrind "$work/plain/score_tables" . oclgrind \
    > "$work/oclgrind.tsv" 2> "$work/oclgrind.log" || { tail -n 20 "$work/oclgrind.log"; exit 1; }
  if grep -E "Invalid|Uninitialized|race" "$work/oclgrind.log"; then exit 1; fi
  echo "oclgrind: $(($(wc -l < "$work/oclgrind.tsv") - 1)) kernels clean"
fi
