# R keeps LC_NUMERIC at "C", but Sys.setlocale() and C code of other packages change it: numbers in program texts do not depend on it.

test_that("no number of a program goes through the locale", {
  skip_without_compiler()
  folder <- locale_folder("de_DE")
  devices <- all_compiling_devices()
  found <- in_child(env = c(
    if (nzchar(folder)) paste0("LOCPATH=", folder), paste0("COMMA_DEVICES=", paste(devices, collapse = ","))
  ), timeout = 300, code = {
    suppressWarnings(Sys.setlocale("LC_NUMERIC", "de_DE.UTF-8"))
    options(OutDec = ",", nmathopencl.compiler = TRUE)
    x <- c(0.25, 1.5, -2.75)
    program <- paste(
      "#pragma OPENCL EXTENSION cl_khr_fp64 : enable",
      "__kernel void scaled(__global const double* x, const double by, __global double* out, const int len)",
      "{ int i = get_global_id(0); if (i < len) out[i] = FACTOR * by * x[i] + 0.125; }", sep = "\n"
    )
    long <- rep(x, 30)
    loop <- function(y, a) {
      s <- 0.25
      for (t in seq_along(y)) s <- 0.5 * s + 0.125 * y[t] * a
      s
    }
    each <- function(device) {
      call <- function(f, ...) opencl_function(f)(..., device = device)
      slope <- opencl_function(function(x, m) dnorm(x, m, 1.5, log = TRUE), reduce = "sum", gradient = "m")
      points <- slope(x, over = list(m = c(0.5, -1.25)), device = device)
      curved <- opencl_function(function(x, m, s) sum(0.125 * (x - m)^2 * exp(1.5 * s)), gradient = c("m", "s"), hessian = TRUE)
      bundle <- set_specialization_constant(kernel_bundle(program, device = device), "FACTOR", 0.1)
      list(
        written = call(function(x) exp(-0.5 * x^2) + 1.25e-3 * x + 1e300 * 0.75 * x + 1e15 + 123456.789, x),
        far = call(function(x) pmin(x, 1.7e308) + 2.5e-308 / 1e-300, x),
        library = call(function(x) dnorm(x, 0.25, 1.75) + pgamma(abs(x), 2.5), x),
        loop = call(loop, long, 1.5), data = opencl_function(loop, data = list(y = long))(a = 1.5, device = device),
        series = unname(opencl_function(loop, reduce = "sum")(long, 1.5, by = rep(1:3, each = 30), device = device)),
        columns = call(function(X, B) sum(exp(0.125 * (X %*% B))), matrix(long, 30), matrix(c(0.5, 0.25, 1.5, -0.75, 1, 0.125), 3)),
        rule = as.vector(slope(x, 0.5, device = device)), slope = attr(slope(x, 0.5, device = device), "gradient")[["m"]],
        points = as.vector(points), moved = as.vector(attr(points, "gradient")),
        hessian = as.vector(attr(curved(x, 0.5, 0.25, device = device), "hessian")),
        text = opencl_function("x, a", text = "dnorm4(x, a, 1.5, 0)")(x, 0.25, device = device),
        bundle = run_opencl_kernel(bundle_build(bundle), "scaled", list(x, 2.5), n = 3),
        own = run_opencl_kernel(sub("FACTOR", "0.1", program), "scaled", list(x, 2.5), device = device)
      )
    }
    devices <- strsplit(Sys.getenv("COMMA_DEVICES"), ",")[[1L]]
    list(point = Sys.localeconv()[["decimal_point"]], printed = sprintf("%.1f", 0.5), values = lapply(devices, each))
  })
  expect_equal(found$point, ",")
  expect_equal(found$printed, "0,5")
  x <- c(0.25, 1.5, -2.75)
  long <- rep(x, 30)
  loop <- function(y, a) Reduce(function(s, v) 0.5 * s + 0.125 * v * a, y, 0.25)
  right <- list(
    loop = loop(long, 1.5), data = loop(long, 1.5), series = rep(loop(long[1:30], 1.5), 3),
    columns = sum(exp(0.125 * (matrix(long, 30) %*% matrix(c(0.5, 0.25, 1.5, -0.75, 1, 0.125), 3)))),
    written = exp(-0.5 * x^2) + 1.25e-3 * x + 1e300 * 0.75 * x + 1e15 + 123456.789, far = x + 2.5e-308 / 1e-300,
    library = dnorm(x, 0.25, 1.75) + pgamma(abs(x), 2.5), rule = sum(dnorm(x, 0.5, 1.5, log = TRUE)), slope = sum(x - 0.5) / 1.5^2,
    points = vapply(c(0.5, -1.25), function(m) sum(dnorm(x, m, 1.5, log = TRUE)), 0), moved = c(sum(x - 0.5), sum(x + 1.25)) / 1.5^2,
    hessian = exp(0.375) * c(0.75, rep(-0.375 * sum(x - 0.5), 2), 0.28125 * sum((x - 0.5)^2)),
    text = dnorm(x, 0.25, 1.5), bundle = 0.1 * 2.5 * x + 0.125, own = 0.1 * 2.5 * x + 0.125
  )
  for (k in seq_along(devices)) for (name in names(right)) {
    expect_equal(found$values[[k]][[name]], right[[name]], tolerance = 1e-14, info = paste("device", devices[k], name))
  }
})
