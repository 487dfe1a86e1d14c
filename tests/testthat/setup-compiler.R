# A package under check runs no compiler unless it is told to; its tests are to test what the host device compiles.
if (!as_on_cran()) options(nmathopencl.compiler = TRUE)
