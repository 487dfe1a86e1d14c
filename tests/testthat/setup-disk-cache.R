# Tests neither use nor leave programs in the user's cache; those of the cache itself set the option.
Sys.setenv(NMATHOPENCL_CACHE = "off")
# Nor do drivers: those that are asked from now on, here or in other processes that tests start, keep their programs elsewhere.
utils::getFromNamespace("keep_driver_caches", "nmathopencl")(tempdir())
