# prepare -- run in this folder before the package is built: configure and has_opencl(), as nmathopencl gives them to any
# package, and Rcpp's glue.
nmathopencl::use_opencl_configure(".")
