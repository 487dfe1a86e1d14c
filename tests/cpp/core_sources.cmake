# core_sources -- the folders of src/, which know neither R nor Rcpp: CORE_SOURCES with OpenCL, CORE_SOURCES_WITHOUT_OPENCL.
#
# Wants PACKAGE_ROOT. Neither needs OpenCL's headers or its library. The C++ files of a folder are compiled as one, as in
# the package (src/units); NMATHOPENCL_UNITS=OFF compiles each by itself, which finds a file that lacks an include.
option(NMATHOPENCL_UNITS "Compile the C++ files of a folder as one" ON)
file(GLOB C_SOURCES CONFIGURE_DEPENDS "${PACKAGE_ROOT}/src/*/*.c")
if(NMATHOPENCL_UNITS)
  file(GLOB COMMON_SOURCES CONFIGURE_DEPENDS "${PACKAGE_ROOT}/src/units/*.cpp")
  list(FILTER COMMON_SOURCES EXCLUDE REGEX "/units/(doors|opencl)_gen\\.cpp$")
  list(APPEND COMMON_SOURCES "${PACKAGE_ROOT}/src/base/fibres.cpp")  # compiled alone in the package, too
  set(OPENCL_SOURCES "${PACKAGE_ROOT}/src/units/opencl_gen.cpp")
else()
  file(GLOB COMMON_SOURCES CONFIGURE_DEPENDS "${PACKAGE_ROOT}/src/*/*.cpp")
  list(FILTER COMMON_SOURCES EXCLUDE REGEX "/(units|opencl)/[^/]*\\.cpp$")
  file(GLOB OPENCL_SOURCES CONFIGURE_DEPENDS "${PACKAGE_ROOT}/src/opencl/*.cpp")
  list(FILTER OPENCL_SOURCES EXCLUDE REGEX "/opencl/absent\\.cpp$")
endif()
list(APPEND COMMON_SOURCES ${C_SOURCES})
set(CORE_SOURCES ${COMMON_SOURCES} ${OPENCL_SOURCES})
set(CORE_SOURCES_WITHOUT_OPENCL ${COMMON_SOURCES} "${PACKAGE_ROOT}/src/opencl/absent.cpp")
