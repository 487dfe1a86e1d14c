#!/bin/sh
# check_sources.sh -- puts the device sources before compilers other than a driver's, and the core under sanitizers:
#   1. every assembled program through offline clang as OpenCL C 1.2, in the plain and in the recycling form, and programs of
#      expressions of every kind (tests/cpp/expression), for one work-item and for groups of them;
#   2. the host device through a C99 compiler with all warnings, as it is and with clang; the fuzzers of 7 through a C++ compiler;
#   3. every reference table on the host device under the address and undefined-behaviour sanitizers, and on a host device that
#      is built to take the paths of a GPU (NMATH_AS_GPU in OPENCL.cl), and in pairs of floats (inst/cl/pair);
#   4. the core's tests (tests/cpp) under the address and undefined-behaviour sanitizers, those of faults included;
#   5. those of threads, host and OpenCL, under the thread sanitizer;
#   6. under Oclgrind, which watches each memory access and finds races, one kernel of each shape that the table of
#      functions has, on its reference table, and every GLM kernel;
#   7. what reads tags, indices, manifests and cache entries, and the compiler of expressions, before libFuzzer (tests/fuzz),
#      some seconds each.
# Run from the repository root. Needs cmake, a C and C++ compiler, GoogleTest and clang; the OpenCL parts of 4 and 5 a
# driver; 6 Oclgrind; 7 clang's run-time libraries.
#
#   check_sources.sh [--core FOLDER] [STEP ...]     FOLDER: a build of tests/cpp that is there; STEP: the numbers above
set -eu
core=
if [ "${1:-}" = --core ]; then
  core=$2
  shift 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
clang=$(command -v clang-15 || command -v clang)
jobs=$(nproc 2> /dev/null || echo 2)
steps=" ${*:-1 2 3 4 5 6 7} "
wants() { case $steps in *" $1 "*) ;; *) return 1 ;; esac; }

# configured SOURCE BUILD ARGUMENTS: quiet; the log's end where it fails. Without optimization, or sanitizers take minutes
# to build what they check in seconds.
configured() {
  source=$1 build=$2
  shift 2
  cmake -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Debug "$@" > "$work/cmake.log" 2>&1 || { cat "$work/cmake.log"; exit 1; }
}
built() {
  build=$1
  shift
  cmake --build "$build" -j "$jobs" "$@" > "$work/build.log" 2>&1 || { tail -n 40 "$work/build.log"; exit 1; }
}
# The core under the address and undefined-behaviour sanitizers, by clang where it has its run-time libraries: it compiles their
# checks in a third of gcc's time. The programs are of 60 MB: gold links one in half the usual linker's time.
configured_for_sanitizers() {
  with=$(echo "$clang" | sed 's/clang\(-[0-9]*\)*$/clang++\1/')
  if echo 'int main() {}' | "$with" -fsanitize=address,undefined -x c++ - -o "$work/sanitized" 2> /dev/null; then
    set -- -DCMAKE_C_COMPILER="$clang" -DCMAKE_CXX_COMPILER="$with" -DCMAKE_CXX_FLAGS=-Wno-bitwise-instead-of-logical
    if echo 'int main() {}' | "$with" -fuse-ld=gold -fsanitize=address,undefined -x c++ - -o "$work/sanitized" 2> /dev/null; then
      set -- "$@" -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=gold
    fi
  fi
  configured tests/cpp "$work/address" -DNMATHOPENCL_SANITIZE=address,undefined "$@"
}
# The core as it is, with optimization: the one of --core, or one of our own.
core_here() {
  [ -z "$core" ] || return 0
  core=$work/cpp
  cmake -S tests/cpp -B "$core" > "$work/cmake.log" 2>&1 || { cat "$work/cmake.log"; exit 1; }
}
# tested BUILD NAMES: the tests of these names (a regular expression), with what they found. What a sanitizer watches is the
# core: PoCL need not optimize what it compiles beside it.
tested() {
  POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable ctest --test-dir "$1" -R "$2" -j "$jobs" --timeout 900 --output-on-failure > "$work/ctest.log" 2>&1 ||
    { tail -n 100 "$work/ctest.log" >&2; exit 1; }
  sed -n 's/^.*tests passed, .* out of \([0-9]*\).*/\1 test programs/p' "$work/ctest.log"
}

if wants 1 || wants 3 || wants 4; then
  configured_for_sanitizers
  built "$work/address" --target write_programs write_expressions score_tables
fi

if wants 1; then
  mkdir "$work/programs"
  "$work/address/write_programs" . "$work/programs"
  # through_clang FLAG ... < FILES: as many processes as there are processors read many programs each, because the start of
  # clang costs several times what a program does. Its driver would start one for each: it tells the command that it would run.
  through_clang() {
    told=$("$clang" -### -x cl -cl-std=CL1.2 -fsyntax-only -ferror-limit=0 -Wall -Wno-unused-function -Werror "$@" \
      /dev/null 2>&1 | sed -n '$s/ "[^"]*"$//p')
    eval "set -- $told"
    [ "${2:-}" = -cc1 ] && xargs -P "$jobs" -n 40 "$@"
  }
  header="-Xclang -fdeclare-opencl-builtins -Xclang -finclude-default-header"
  ls "$work"/programs/*.cl > "$work/names"
  grep -l NMATH_EACH_DRAW "$work"/programs/*.cl > "$work/draws"
  # shellcheck disable=SC2086
  for form in "" -DNMATH_RECYCLE=1 -DNMATH_RECYCLE=2; do
    through_clang $header $form < "$work/names"
  done
  # shellcheck disable=SC2086
  through_clang $header -DNMATH_RECYCLE=1 -DNMATH_SCALARS < "$work/draws"
  echo "offline clang: $(wc -l < "$work/names") programs in three forms, $(wc -l < "$work/draws") that draw in four"

  # Tables of functions that a kernel does not call take none of the constant memory, of which OpenCL promises 64 KiB.
  "$clang" -x cl -cl-std=CL1.2 -Xclang -fdeclare-opencl-builtins -Xclang -finclude-default-header -target nvptx64 -O0 \
    -emit-llvm -S "$work/programs/whole_nmath.cl" -o "$work/whole.ll"
  grep -q 'define.*dnorm_kernel' "$work/whole.ll"
  doubles=$(sed -n 's/.*addrspace(4) constant \[\([0-9]*\) x double\].*/\1/p' "$work/whole.ll" | awk '{ n += $1 } END { print n + 0 }')
  if [ "$doubles" -gt 100 ]; then
    echo "whole_nmath.cl: the dnorm kernel keeps tables of $doubles numbers, most of which it does not use" >&2
    exit 1
  fi

  mkdir "$work/expressions"
  "$work/address/write_expressions" . "$work/expressions"
  ls "$work"/expressions/*.cl > "$work/expression_names"
  # A text may declare what only another one uses, and has | between conditions where a branch would cost more.
  tolerant="-Wno-unused-variable -Wno-bitwise-instead-of-logical"
  # shellcheck disable=SC2086
  for form in "" -DNMATH_SPANS -DNMATH_PREFERS_STRAIGHT -DNMATH_AS_GPU; do
    through_clang $header $tolerant $form < "$work/expression_names"
  done
  echo "offline clang: $(wc -l < "$work/expression_names") expressions in four forms"

  # All of them with the declarations that the package gives PoCL in place of its header, and no others; those that have another
  # text for groups of work-items with that, too.
  sed -n '/R"(/,/^)"/p' src/opencl/builtin_declarations.cpp | sed -e '1s/.*R"(//' -e '$d' > "$work/builtins.h"
  grep -q barrier "$work/builtins.h"
  base=$("$clang" -print-resource-dir)/include/opencl-c-base.h
  cat "$work/names" "$work/expression_names" > "$work/all_names"
  xargs grep -l NMATH_SPANS < "$work/all_names" > "$work/span_names"
  declared="-cl-no-stdinc -include $base -include $work/builtins.h $tolerant -DNMATH_RECYCLE=1"
  # shellcheck disable=SC2086
  through_clang $declared < "$work/all_names"
  # shellcheck disable=SC2086
  through_clang $declared -DNMATH_SPANS < "$work/span_names"
  echo "offline clang: all of them with the builtins that the package declares, $(wc -l < "$work/span_names") for groups, too"
fi

if wants 2; then
  # Some of gcc's warnings are those of what optimizes, all of clang's those of what reads.
  for compiler in "${CC:-cc} -O1 -c -o $work/host_device.o" "$clang -fsyntax-only"; do
    $compiler -std=c99 -pedantic -Wall -Wextra -Wno-unused-parameter -Wno-unused-function -Werror -Isrc src/host/host_device.c
    echo "C99 without a warning: ${compiler%% *}"
  done
  # The fuzzers of 7 are run before a release; that they compile is seen at each change.
  for fuzzer in tests/fuzz/*.cpp; do "${CXX:-c++}" -std=c++17 -fsyntax-only -Isrc -Itests/fuzz "$fuzzer"; done
fi

if wants 3; then
  UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 "$work/address/score_tables" . host > "$work/tables.tsv"
  awk -F'\t' 'NR > 1 { n += $2; bad += $3 } END { print "sanitizers: " n " reference rows, " bad " fail"; exit bad > 0 }' \
    "$work/tables.tsv"
  core_here
  built "$core" --target score_tables_as_gpu
  "$core/score_tables_as_gpu" . host > "$work/tables.tsv"
  awk -F'\t' 'NR > 1 { n += $2; bad += $3; if ($4 > worst) worst = $4 }
    END { print "as a GPU computes: " n " reference rows, " bad " fail, worst " worst; exit bad > 0 }' "$work/tables.tsv"
  built "$core" --target score_pairs
  NMATH_ONE_PROGRAM=1 "$core/score_pairs" . host > "$work/tables.tsv"
  awk -F'\t' 'NR > 1 { n += $2; out += $3; bad += $4; if ($5 > worst) worst = $5 }
    END { print "in pairs of floats: " n " reference rows, " out " beyond them, " bad " fail, worst " worst " of 2^-40 (1 + cond)"; exit bad > 0 }' \
    "$work/tables.tsv"
fi

if wants 4; then
  built "$work/address"
  found=$(tested "$work/address" 'test_|fault_layer')
  echo "address and undefined behaviour: $found"
fi

if wants 5; then
  configured tests/cpp "$work/thread" -DNMATHOPENCL_SANITIZE=thread
  built "$work/thread" --target test_host_threads test_opencl_threads test_opencl_elementwise
  found=$(tested "$work/thread" 'test_host_threads|test_opencl_threads|test_opencl_elementwise')
  echo "threads: $found"
fi

if wants 6 && command -v oclgrind > /dev/null; then
  # The core opens libOpenCL.so.1 itself; here that is Oclgrind, which names its library to what it starts.
  mkdir "$work/simulator"
  ln -s "$(oclgrind sh -c 'echo "$LD_PRELOAD"')" "$work/simulator/libOpenCL.so.1"
  core_here
  built "$core" --target score_tables test_opencl_families
  # The first function of each number of columns and of flags that has a reference table.
  kernels=$(awk -F'\t' 'NR == 1 { for (k = 1; k <= NF; ++k) at[$k] = k; next }
    $at["table"] == "" { next }
    { shape = split($at["columns"], a, ",") " " split($at["flags"], b, ",") }
    !(shape in seen) { seen[shape] = 1; printf "%s%s", comma, $1; comma = "," }' inst/spec/functions.tsv)
  export LD_LIBRARY_PATH="$work/simulator${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  # Of functions that are out of line LLVM makes notes which Oclgrind does not know.
  inline="-DNMATH_SHARED=NMATH_HEAVY"
  NMATH_ONLY="$kernels" oclgrind --build-options "$inline" --data-races "$core/score_tables" . oclgrind > "$work/oclgrind.tsv" \
    2> "$work/oclgrind.log" || { tail -n 20 "$work/oclgrind.log"; exit 1; }
  oclgrind --build-options "$inline" --data-races "$core/test_opencl_families" > "$work/glm.log" 2>> "$work/oclgrind.log" ||
    { tail -n 20 "$work/glm.log"; exit 1; }
  if grep -E "Invalid|Uninitialized|race" "$work/oclgrind.log"; then exit 1; fi
  echo "oclgrind: $kernels and every GLM kernel clean"
fi

if wants 7; then
  fuzzer=
  for compiler in clang++-15 clang++; do
    echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
      "$compiler" -fsanitize=fuzzer,address,undefined -x c++ - -o "$work/fuzzer" 2> "$work/fuzzer.log" && fuzzer=$compiler && break
  done
  [ -n "$fuzzer" ] || { echo "no clang with libFuzzer"; cat "$work/fuzzer.log"; exit 1; }
  configured tests/fuzz "$work/fuzz" -DCMAKE_CXX_COMPILER="$fuzzer"
  built "$work/fuzz"
  found=$(tested "$work/fuzz" fuzz_)
  echo "libFuzzer: $found"
fi
