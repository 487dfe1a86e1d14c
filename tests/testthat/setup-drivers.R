# Loaders of OpenCL drivers look where these say, when the first one is asked for.
if (as_on_cran()) Sys.setenv(OCL_ICD_VENDORS = tempdir(), OPENCL_VENDOR_PATH = tempdir(), OCL_ICD_FILENAMES = "")
