# A package under check runs no compiler unless it is told to; its tests are to test what the host device compiles.
if (!as_on_cran()) options(nmathopencl.compiler = TRUE)
# Files of tests have more programs than a session usually has, and come back to them: what was built stays.
options(nmathopencl.programs = 256)
