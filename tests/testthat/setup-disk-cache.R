# Tests neither use nor leave programs in the user's cache; those of the cache itself set the option,
# and none makes a key in the user's folders.
Sys.setenv(NMATHOPENCL_CACHE = "off", NMATHOPENCL_CACHE_KEY_FILE = file.path(tempdir(), "key"))
# Nor do drivers: those that are asked from now on, here or in other processes that tests start, keep their programs elsewhere.
utils::getFromNamespace("keep_driver_caches", "nmathopencl")(tempdir())
