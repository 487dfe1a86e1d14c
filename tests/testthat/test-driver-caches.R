# Neither examples nor tests leave what a driver compiles in the user's folders.
skip_on_cran() # other processes

# What a process that runs `code` leaves below a home of its own, where no variable says where programs are kept.
left_in_home <- function(code, env) {
  home <- tempfile("home")
  dir.create(home)
  on.exit(unlink(home, recursive = TRUE))
  settings <- c("POCL_CACHE_DIR=", "CUDA_CACHE_PATH=", "NEO_CACHE_DIR=", "MESA_SHADER_CACHE_DIR=", "XDG_CACHE_HOME=",
    "NMATHOPENCL_CACHE=", "R_USER_CACHE_DIR=")
  value <- eval(substitute(in_child(CODE, timeout = 120, env = c(paste0("HOME=", home), settings, env)), list(CODE = code)))
  list(value = value, files = list.files(home, all.files = TRUE, recursive = TRUE, include.dirs = TRUE, no.. = TRUE))
}

test_that("a check leaves nothing in the user's folders, whichever driver is asked", {
  left <- left_in_home(quote({
    devices <- opencl_devices()
    nmathopencl_opencl_fp64_available()
    text <- "__kernel void k(__global double* out) { out[0] = 4.5; }"
    good <- devices$index[devices$fp64 & devices$index > 0]
    vapply(good, function(device) run_opencl_kernel(text, "k", list(), n = 1, out = 1, device = device), 0)
  }), "_R_CHECK_PACKAGE_NAME_=nmathopencl")
  expect_true(all(left$value == 4.5))
  expect_identical(left$files, character())
})

test_that("somebody's own setting is left as it is", {
  place <- tempfile("mine")
  expect_identical(in_child(
    Sys.getenv("POCL_CACHE_DIR"), env = c(paste0("POCL_CACHE_DIR=", place), "_R_CHECK_PACKAGE_NAME_=nmathopencl")
  ), place)
  expect_identical(in_child(Sys.getenv("POCL_CACHE_DIR"), env = c(paste0("POCL_CACHE_DIR=", place))), place)
  old <- Sys.getenv("POCL_CACHE_DIR")
  expect_true(nzchar(old)) # of the tests' setup, or of who runs them
})
