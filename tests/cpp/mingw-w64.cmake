# mingw-w64 -- for Windows, from Debian's cross compiler; tests run under Wine. tools/check_windows.sh uses it.
#
#   cmake -S tests/cpp -B build-windows -DCMAKE_TOOLCHAIN_FILE="$PWD/tests/cpp/mingw-w64.cmake"
#
# The compiler with threads of C++, as R for Windows has it. Everything is linked in: no DLL has to be found.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_NM x86_64-w64-mingw32-nm)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")

find_program(WINE NAMES wine64 wine PATHS /usr/lib/wine)
if(WINE)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${WINE}")
endif()

# Nothing of this system's own headers and libraries; programs are its own.
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32 ${CMAKE_PREFIX_PATH})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)

# Its run-time library would be a DLL.
set(CMAKE_DISABLE_FIND_PACKAGE_OpenMP ON)
