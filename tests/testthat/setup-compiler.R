# A package under check runs no compiler unless it is told to; its tests are to test what the host device compiles.
options(nmathopencl.compiler = TRUE)
