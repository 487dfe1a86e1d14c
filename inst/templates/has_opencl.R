{{roxygen}}
has_opencl <- function() has_opencl_cpp()
