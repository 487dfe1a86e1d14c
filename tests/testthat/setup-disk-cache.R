# Tests neither use nor leave programs in the user's cache; those of the cache itself set the option.
Sys.setenv(NMATHOPENCL_CACHE = "off")
