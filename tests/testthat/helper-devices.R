# As CRAN runs the tests: in minutes, without a compiler, and without the drivers of its machines, whose faults are not ours.
as_on_cran <- function() !tolower(Sys.getenv("NOT_CRAN")) %in% "true"

# What is drawn at random, or walks a table, is tested in part; as a whole where NMATHOPENCL_WHOLE_TESTS=true (`.ci/run --all`).
whole_tests <- function() identical(Sys.getenv("NMATHOPENCL_WHOLE_TESTS"), "true")
cases <- function(whole, part, on_cran = part) if (as_on_cran()) on_cran else if (whole_tests()) whole else part

# The devices every test walks: the host device always, and each OpenCL device whose double precision works.
test_devices <- local({
  found <- NULL
  function() {
    if (is.null(found)) {
      all <- opencl_devices()
      found <<- as.character(all$index[all$fp64 %in% TRUE & (all$index == 0 | !as_on_cran())])
    }
    found
  }
})

# Evaluates with `device` as the default device.
with_device <- function(device, code) {
  old <- options(nmathopencl.device = device)
  on.exit(options(old))
  force(code)
}

opencl_test_devices <- function() setdiff(test_devices(), "0")

# The name that last_run() has to report.
device_name <- function(device) {
  all <- opencl_devices()
  all$name[all$index == as.integer(device)]
}

expect_ran_on <- function(device) expect_identical(last_run()$device, device_name(device))

# For files whose subject is what an expression means: compilers optimize nothing, which takes two thirds of their time away, until the
# end of the function or file whose frame is `env`. What is about accuracy, or random, has programs as users have them. Who has
# set PoCL's variable has decided for all files.
unoptimized_programs <- function(env = parent.frame()) {
  if (nzchar(Sys.getenv("POCL_EXTRA_BUILD_FLAGS"))) return(invisible())
  Sys.setenv(POCL_EXTRA_BUILD_FLAGS = "-cl-opt-disable")
  options(nmathopencl.optimize = 0)
  undo <- quote({
    Sys.unsetenv("POCL_EXTRA_BUILD_FLAGS")
    options(nmathopencl.optimize = NULL)
  })
  do.call(on.exit, list(undo, add = TRUE), envir = env)
}

# The ways in which one of many random cases runs: "0", the host with its compiler, "plain", the host without, OpenCL devices. In the second
# tier all of them; in the first one, in turn by the case's number: of six cases three are uncompiled, two compiled, and one is on OpenCL devices,
# which take longest to build. The turns move on by one, so that what is done in each second or third case meets every way.
ways_of <- function(case, turns = list("plain", if (compiler_here()) "0", "plain", opencl_test_devices(), if (compiler_here()) "0", "plain")) {
  turns <- Filter(length, as.list(turns))
  if (whole_tests()) unique(unlist(turns)) else turns[[(case + case %/% length(turns)) %% length(turns) + 1L]]
}

# Evaluates `code`, which may use `device`, in such a way.
in_way <- function(way, code) {
  old <- options(nmathopencl.compiler = if (way == "plain") FALSE else getOption("nmathopencl.compiler"))
  on.exit(options(old))
  force(code)
}
device_of_way <- function(way) if (way == "plain") "0" else way
