# core_sources -- the folders of src/, which know neither R nor Rcpp: CORE_SOURCES with OpenCL, CORE_SOURCES_WITHOUT_OPENCL.
#
# Wants PACKAGE_ROOT. Neither needs OpenCL's headers or its library.
file(GLOB CORE_SOURCES CONFIGURE_DEPENDS "${PACKAGE_ROOT}/src/*/*.cpp" "${PACKAGE_ROOT}/src/*/*.c")
set(CORE_SOURCES_WITHOUT_OPENCL ${CORE_SOURCES})
list(FILTER CORE_SOURCES EXCLUDE REGEX "/opencl/absent\\.cpp$")
# As OPENCL_OBJECTS of src/Makevars.in.
list(FILTER CORE_SOURCES_WITHOUT_OPENCL EXCLUDE REGEX
     "/opencl/[^/]*\\.cpp$")
list(APPEND CORE_SOURCES_WITHOUT_OPENCL "${PACKAGE_ROOT}/src/opencl/absent.cpp")
