#!/bin/sh
# check_windows.sh -- the core and the host device built for Windows by Debian's mingw-w64, their tests run under Wine.
#
#   sh tools/check_windows.sh [FOLDER]      FOLDER keeps what is built, and is gone on with; else a fresh one is removed
#
# Needs cmake, g++-mingw-w64-x86-64-posix, wine64 and googletest (Debian's packages); exits with 77 where one is missing.
# Wine's OpenCL.dll hands calls on to this system's drivers: with PoCL the tests of OpenCL devices run as well.
set -u

source=$(cd "$(dirname "$0")/.." && pwd) || exit 1
if [ $# -gt 0 ]; then
  mkdir -p "$1" && work=$(cd "$1" && pwd) || exit 1
else
  work=$(mktemp -d) || exit 1
fi

for wine in wine64 wine /usr/lib/wine/wine64 ''; do
  [ -n "$wine" ] && command -v "$wine" > /dev/null 2>&1 && break
done
missing=
[ -n "$wine" ] || missing="$missing wine64"
command -v cmake > /dev/null 2>&1 || missing="$missing cmake"
command -v x86_64-w64-mingw32-g++-posix > /dev/null 2>&1 || missing="$missing g++-mingw-w64-x86-64-posix"
[ -f /usr/src/googletest/CMakeLists.txt ] || missing="$missing googletest"
if [ -n "$missing" ]; then
  echo "not installed:$missing"
  exit 77
fi

# A Windows of its own: this user's may have other settings. It stays up between tests, each of which would start it.
export WINEPREFIX="$work/wine" WINEDEBUG=-all
mkdir -p "$WINEPREFIX"
for server in "$(dirname "$(command -v "$wine")")/wineserver" wineserver /usr/lib/wine/wineserver; do
  command -v "$server" > /dev/null 2>&1 && break
done
finish() {
  "$server" -k > /dev/null 2>&1 # the one of this prefix
  [ $# -eq 0 ] || rm -rf "$work"
}
if [ $# -gt 0 ]; then trap finish EXIT; else trap 'finish remove' EXIT; fi
trap 'exit 1' HUP INT TERM

jobs=$(nproc 2> /dev/null || echo 2)
toolchain=$source/tests/cpp/mingw-w64.cmake
configured() { cmake -DCMAKE_TOOLCHAIN_FILE="$toolchain" -DCMAKE_BUILD_TYPE=Release "$@"; }

configured -S /usr/src/googletest -B "$work/googletest" -DBUILD_GMOCK=OFF -DCMAKE_INSTALL_PREFIX="$work/prefix" &&
  cmake --build "$work/googletest" -j "$jobs" && cmake --install "$work/googletest" &&
  configured -S "$source/tests/cpp" -B "$work/core" -DCMAKE_PREFIX_PATH="$work/prefix" &&
  cmake --build "$work/core" -j "$jobs" || exit 1

# The C compiler of the tests that compile programs.
mkdir -p "$work/bin" && x86_64-w64-mingw32-gcc-posix -std=gnu99 -Wall -Wextra -DDRIVE_C="\"$WINEPREFIX/drive_c\"" \
  -DCOMPILER='"x86_64-w64-mingw32-gcc-posix"' "$source/tests/cpp/wine/cc.c" -o "$work/bin/cc.exe" || exit 1
export WINEPATH="Z:$work/bin"

"$server" -p && "$wine" cmd /c ver || exit 1

# Wine has no clCompileProgram() and clLinkProgram().
lacking=Bundles.contexts_do_not_mix_and_a_reset_leaves_sources_usable:Bundles.headers_are_given_by_name
lacking=$lacking:Bundles.nmath_is_compiled_once_and_linked_with_a_users_kernel
GTEST_FILTER="-$lacking" ctest --test-dir "$work/core" --output-on-failure
