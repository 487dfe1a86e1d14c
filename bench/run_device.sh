#!/bin/bash
# run_device.sh DEVICE OUT -- builds bench/ and measures one device: every reference table, every build, every speed.
#
# DEVICE as `device =` in R ("gpu", "cpu", "host", part of a name). OUT.tables.tsv, OUT.throughput.tsv and OUT.log are
# written. Driver caches of compiled programs are switched off or emptied first, so builds are cold. Uses cmake where
# there is one, else the compilers alone; needs neither R nor Rcpp.
set -u
device=$1
out=$2
root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD_DIR:-$(mktemp -d)}

if command -v cmake >/dev/null; then
  cmake -S "$root/bench" -B "$build" >/dev/null && cmake --build "$build" -j "$(nproc)" >/dev/null || exit 1
else
  core=$(ls "$root"/src/*/*.cpp "$root"/src/*/*.c | grep -v /opencl/absent.cpp)
  printf '%s\n' $core "$root/bench/score_tables.cpp" "$root/bench/throughput.cpp" |
    xargs -P "$(nproc)" -I{} sh -c 'case {} in *.c) c="cc -std=gnu11";; *) c="c++ -std=c++17";; esac
      $c -O2 -I"$0/src" -c {} -o "$1/$(basename {}).o"' "$root" "$build" || exit 1
  for program in score_tables throughput; do
    objects=$(ls "$build"/*.o | grep -Ev '/(score_tables|throughput)\.cpp\.o$')
    c++ $objects "$build/$program.cpp.o" -o "$build/$program" -ldl -pthread || exit 1
  done
fi

export CUDA_CACHE_DISABLE=1 POCL_KERNEL_CACHE=0
"$build/score_tables" "$root" "$device" >"$out.tables.tsv" 2>"$out.log"
status=$?
"$build/throughput" "$root" "$device" "${LOG2_N:-24}" >"$out.throughput.tsv" 2>>"$out.log"
cat "$out.log"
exit $status
