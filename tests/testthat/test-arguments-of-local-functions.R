# Names of arguments of functions that the body makes are theirs, also where a list of the environment or an argument has the name.

unoptimized_programs()

of_call <- list(a = 50, b = 100)

test_that("elements of such an argument are no elements of what has its name outside", {
  par <- c(a = 1, b = 2)
  cases <- list(
    function(par) {
      f <- function(par) par[["b"]] * 2
      f(par * 3)
    },
    function(par) {
      f <- function(of_call) of_call[["b"]] * 2
      f(par)
    },
    function(par) {
      f <- function(of_call) {
        g <- function(v) v * of_call[["b"]]
        g(3)
      }
      f(par)
    },
    function(par) {
      f <- function(par) with(as.list(par), a * b)
      f(par * 3)
    },
    function(par) {
      f <- function(of_call) with(as.list(of_call), a * b)
      f(par)
    },
    function(par) sum(sapply(1:2, function(par) par * 2)) + par[["b"]]
  )
  for (compiler in list(getOption("nmathopencl.compiler"), FALSE)) {
    old <- options(nmathopencl.compiler = compiler)
    for (f in cases) {
      value <- tryCatch(opencl_function(f)(par), nmathopencl_error = function(e) NULL) # what is refused is no other number
      if (!is.null(value)) expect_equal(value, f(par))
    }
    expect_error(opencl_function(cases[[1]])(par), "is not supported", class = "nmathopencl_error")
    expect_equal(opencl_function(cases[[4]])(par), 18)
    expect_equal(opencl_function(cases[[6]])(par), 8)
    options(old)
  }
})

test_that("nor is what a data frame of that name has", {
  e <- data.frame(w = 1:3)
  f <- function(p, d) {
    f <- function(e) sum(e$w * p)
    f(d)
  }
  expect_error(opencl_function(f)(2, list(w = 5)), "is not supported", class = "nmathopencl_error")
})
