# The small letter of I is not i in Turkish: names of devices, settings and words of this package are compared by ASCII's letters.
skip_on_cran() # a process
skip_on_os("windows")

test_that("devices, their makers and near names are found in a Turkish session", {
  folder <- locale_folder("tr_TR")
  found <- in_child(env = c("LC_ALL=tr_TR.UTF-8", if (nzchar(folder)) paste0("LOCPATH=", folder), "NMATHOPENCL_CACHE=FALSE"), timeout = 120, code = {
    devices <- opencl_devices()
    named <- unique(toupper(chartr("i", "I", c("host", devices$name, devices$platform[devices$name != "host"]))))
    list(
      turkish = !identical(tolower("I"), "i"), cache = opencl_cache_info()$enabled,
      values = vapply(named, function(name) tryCatch(dnorm_opencl(1, device = name), error = function(e) NA_real_), 0),
      makers = nmathopencl:::device_maker(c("NVIDIA Corporation", "Intel(R) Corporation", "ADVANCED MICRO DEVICES, INC.")),
      near = nmathopencl:::near_names("PHI", c("phi", "psi")), macro = nmathopencl:::capital_letters("mini"),
      unknown = tryCatch(opencl_function(function(x) DIGAMMA(x)), error = conditionMessage)
    )
  })
  expect_true(found$turkish)
  expect_false(found$cache)
  expect_equal(unname(found$values), rep(dnorm(1), length(found$values)), tolerance = 1e-14)
  expect_setequal(found$makers, c("nvidia", "intel", "amd"))
  expect_identical(found$near, "phi")
  expect_identical(found$macro, "MINI")
  expect_match(found$unknown, "digamma()", fixed = TRUE)
})
