scale_program <- "
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#ifndef SHIFT
#define SHIFT 0
#endif
__kernel void scale(__global const double* x, __global double* out, const int len)
{
    int i = get_global_id(0);
    if (i < len) out[i] = FACTOR * x[i] + SHIFT;
}"

adding_program <- function(name, number) {
  paste0("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n__kernel void ", name, "(__global const double* x, ",
    "__global double* out, const int len) { int i = get_global_id(0); if (i < len) out[i] = x[i] + ", number, "; }")
}

expect_core_error <- function(object, text) expect_error(object, text, class = "nmathopencl_error")

# A driver without compiler or linker may say so; nothing else is an excuse.
needs_linker <- function(code) {
  tryCatch(code, nmathopencl_error = function(e) {
    if (!grepl("(COMPILER|LINKER)_NOT_AVAILABLE", e$status)) stop(e)
    skip(e$message)
  })
}

test_that("a bundle goes from source to executable and runs", {
  for (device in compiling_devices()) {
    source <- kernel_bundle(adding_program("add", 2), device)
    expect_s3_class(source, "nmathopencl_bundle")
    expect_identical(bundle_state(source), "source")
    executable <- bundle_build(source)
    expect_identical(bundle_state(executable), "executable")
    expect_identical(bundle_state(source), "source")
    expect_identical(last_run()$`function`, "bundle_build")
    expect_ran_on(device)
    expect_identical(kernel_ids(executable), "add")
    expect_identical(has_kernel(executable, c("add", "subtract")), c(TRUE, FALSE))
    expect_identical(run_opencl_kernel(executable, "add", list(c(1, 2.5))), c(3, 4.5))
    expect_ran_on(device)
    expect_identical(run_opencl_kernel(executable, "add", list(1), n = 3, device = device), c(3, 3, 3))
    expect_identical(run_opencl_kernel(executable, "add", list(numeric())), numeric())
    expect_type(bundle_log(executable), "character")
    expect_output(print(executable), "<kernel bundle: executable>.*kernels: +add")
    bundle_build(source)
    expect_identical(last_run()$built, 0L)  # no text is built twice in a session
    expect_identical(last_run()$cache_hits, 1L)
  }
})

test_that("kernels tell their limits", {
  grouped <- "__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void grouped(__global int* x)
    { __local int y[64]; y[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE); x[0] = y[0]; }"
  for (device in compiling_devices()) {
    bundle <- bundle_join(
      bundle_build(kernel_bundle(grouped, device)), bundle_build(kernel_bundle(adding_program("add", 2), device))
    )
    info <- kernel_info(bundle)
    expect_identical(info$kernel, c("add", "grouped"))
    expect_identical(info$arguments, c(3L, 1L))
    expect_identical(info$required_x, c(NA, 4L))
    expect_identical(info$required_y, c(NA, 2L))
    expect_true(all(info$work_group_size >= 1 & info$preferred_multiple >= 1 & info$private_memory >= 0))
    if (device != "0") expect_gte(info$local_memory[2], 256) # C has it as variables of threads
    expect_identical(kernel_info(bundle, "add"), info[1, ])
    expect_core_error(kernel_info(bundle, "none"), "no kernel 'none'; its kernels: add, grouped")
  }
})

test_that("specialization constants arrive exactly", {
  x <- c(1, 2, -4)
  for (device in compiling_devices()) {
    source <- kernel_bundle(scale_program, device)
    expect_core_error(bundle_build(source), "FACTOR")
    values <- list(1 / 3, -0.1, 5e-324, .Machine$double.xmax, -0.0, Inf, NaN, 7L, -7L, .Machine$integer.max, TRUE)
    for (value in if (device == "0") values[c(3, 6, 7, 9)] else values) { # a C compiler takes a while for each
      set <- set_specialization_constant(source, "FACTOR", value)
      expect_identical(specialization_constants(set), list(FACTOR = value))
      expect_identical(run_opencl_kernel(bundle_build(set), "scale", list(x)), value * x)
    }
    both <- set_specialization_constant(set_specialization_constant(source, "FACTOR", 2), "SHIFT", 10L)
    again <- set_specialization_constant(both, "FACTOR", 3)
    expect_identical(run_opencl_kernel(bundle_build(both), "scale", list(x)), 2 * x + 10)
    expect_identical(run_opencl_kernel(bundle_build(again), "scale", list(x)), 3 * x + 10)
    expect_identical(specialization_constants(source), list())
    expect_true(has_specialization_constant(source, "SHIFT"))
    expect_false(has_specialization_constant(source, "SHIFTS"))
    expect_output(print(again), "FACTOR = 3, SHIFT = 10")

    expect_core_error(set_specialization_constant(source, "FACTR", 1), "does not mention 'FACTR'")
    for (name in c("2X", "A B", "A=1", "-w", "__OPENCL_VERSION__", "defined")) {
      expect_core_error(set_specialization_constant(source, name, 1), "cannot name")
    }
    for (value in list(NA, NA_real_, NA_integer_, "1", c(1, 2), numeric(), NULL, factor(1))) {
      expect_error(set_specialization_constant(source, "FACTOR", value), "one number or logical")
    }
    expect_core_error(set_specialization_constant(bundle_build(both), "FACTOR", 1), "state 'source'")
  }
})

test_that("bundles are joined, the first kernel of a name is meant", {
  for (device in compiling_devices()) {
    a <- kernel_bundle(adding_program("a", 1), device)
    b <- kernel_bundle(adding_program("b", 2), device)
    other <- kernel_bundle(adding_program("a", 3), device)
    executable <- bundle_build(bundle_join(a, b, other, a))
    expect_identical(last_run()$built + last_run()$cache_hits, 3L)
    expect_identical(kernel_ids(executable), c("a", "b"))
    expect_identical(run_opencl_kernel(executable, "a", list(0)), 1)
    expect_identical(run_opencl_kernel(bundle_join(list(bundle_build(other), executable)), "a", list(0)), 3)
    expect_core_error(bundle_join(a, executable), "state 'source', this one is in state 'executable'")
    expect_core_error(bundle_join(a, "b"), "`bundle 2` must be a kernel bundle")
  }
  expect_error(bundle_join(), class = "nmathopencl_error")
  expect_error(bundle_link(list()), class = "nmathopencl_error")
})

test_that("nmath is compiled once and linked with kernels of one's own", {
  kernel <- "
__kernel void mine(__global const double* x, __global double* out, const int len)
{
    int i = get_global_id(0);
    if (i < len) out[i] = dnorm(x[i], 0.0, 1.0, 0) + pgamma(x[i], 2.0, 1.0, 1, 0) * sign(x[i]) + qbeta(0.3, x[i], 2.0, 1, 0);
}"
  functions <- c("dnorm", "pgamma", "sign", "qbeta")
  x <- c(0.5, 1, 7)
  expected <- dnorm(x) + pgamma(x, 2) + qbeta(0.3, x, 2)
  for (device in compiling_devices()) needs_linker({
    some <- bundle_compile(kernel_bundle(nmath_library(functions), device))
    mine <- bundle_compile(kernel_bundle(paste0(nmath_header(functions), kernel), device))
    expect_identical(bundle_state(some), "object")
    programs <- list(bundle_link(some, mine))
    if (device != "0") { # a C compiler takes long for all of it
      all <- bundle_compile(kernel_bundle(nmath_library(), device))
      by_all <- bundle_compile(kernel_bundle(paste0(nmath_header(), kernel), device))
      programs[[2L]] <- bundle_link(list(by_all, all))
    }
    for (program in programs) {
      expect_identical(kernel_ids(program), "mine")
      expect_equal(run_opencl_kernel(program, "mine", list(x)), expected, tolerance = 1e-13)
      expect_ran_on(device)
    }
    expect_core_error(kernel_ids(mine), "state 'executable', this one is in state 'object'")
    expect_core_error(bundle_link(some, kernel_bundle(kernel, device)), "state 'object'")
  })
})

test_that("the library and its header need no device", {
  expect_match(nmath_library("dnorm"), "#define NMATH_OBJECT 1", fixed = TRUE)
  expect_false(grepl("pgamma", nmath_library("dnorm"), fixed = TRUE))
  expect_match(nmath_header("dnorm"), "\ndouble dnorm4(double x, double mu, double sigma, int log_p);", fixed = TRUE)
  expect_match(nmath_header(), "\ndouble qbeta(", fixed = TRUE)
  expect_core_error(nmath_library("no_such"), "no function 'no_such'")
  expect_error(nmath_header(1), "names of functions")
})

test_that("the header declares every function of the table that OpenCL C has not itself", {
  table <- utils::read.delim(system.file("spec", "functions.tsv", package = "nmathopencl"), quote = "")
  calls <- unique(unlist(regmatches(table$call, gregexpr("[A-Za-z_0-9]+(?=\\()", table$call, perl = TRUE))))
  expect_gt(length(calls), 80)
  of_opencl <- c("log1p", "expm1", "isnan")
  header <- nmath_header()
  declared <- vapply(setdiff(calls, of_opencl), function(name) {
    grepl(paste0("\n(double|int|void) ", name, "\\(|\n#define ", name, "[( ]"), header)
  }, TRUE)
  expect_identical(names(declared)[!declared], character())
})

test_that("headers are given by name", {
  for (device in compiling_devices()) needs_linker({
    source <- kernel_bundle(paste0("#include \"two.h\"\n", adding_program("add", "TWO")), device)
    program <- bundle_link(bundle_compile(source, c("two.h" = "#define TWO 2\n")))
    expect_identical(run_opencl_kernel(program, "add", list(1)), 3)
    error <- expect_core_error(bundle_compile(source), "two.h")
    expect_match(error$status, "CL_")
    expect_error(bundle_compile(source, "#define TWO 2"), "with names")
  })
})

test_that("what cannot be is an error that says why", {
  expect_core_error(kernel_bundle(scale_program, device = character()), "list of devices is empty")
  expect_core_error(kernel_bundle(scale_program, device = c("1", "2")), "belongs to one device")
  expect_error(kernel_bundle(scale_program, device = "no such device"), class = "nmathopencl_error")
  old <- options(nmathopencl.compiler = FALSE)
  expect_core_error(kernel_bundle(scale_program, device = "host"), "no compiler, which a kernel bundle needs")
  options(old)
  expect_error(kernel_bundle(c("a", "b")), "`program` must be one string")
  for (not_one in list("text", NULL, list(pointer = 1), structure(list(), class = "nmathopencl_bundle"))) {
    expect_core_error(kernel_ids(not_one), "must be a kernel bundle")
    expect_core_error(bundle_build(not_one), "must be a kernel bundle")
  }
  for (device in opencl_test_devices()) {
    source <- kernel_bundle(scale_program, device, options = "-DFACTOR=2")
    executable <- bundle_build(source)
    expect_core_error(bundle_build(executable), "build needs a bundle in state 'source'")
    expect_core_error(bundle_compile(executable), "compile needs a bundle in state 'source'")
    expect_core_error(kernel_ids(source), "state 'executable', this one is in state 'source'")
    expect_core_error(run_opencl_kernel(source, "scale", list(1)), "state 'executable'")
    expect_core_error(run_opencl_kernel(executable, "none", list(1)), "no kernel 'none'; its kernels: scale")
    expect_core_error(run_opencl_kernel(executable, "scale", list(1), device = "host"), "cannot be used on this device")
    expect_core_error(run_opencl_kernel(executable, "scale", list(1, 2)), "takes 3 arguments")
    error <- expect_core_error(bundle_build(kernel_bundle("#line 7 \"mine.cl\"\nnonsense", device)), "building")
    expect_match(error$build_log, "mine.cl:7")
  }
})

test_that("a device says whether it can use a bundle", {
  for (device in opencl_test_devices()) {
    source <- kernel_bundle(adding_program("add", 2), device)
    executable <- bundle_build(source)
    expect_true(is_compatible(source, device))
    expect_true(is_compatible(executable, device))
    expect_true(is_compatible(executable, device, "add"))
    expect_identical(is_compatible(source, "host"), compiler_here())
    expect_core_error(is_compatible(executable, device, "none"), "no kernel 'none'")
    expect_core_error(is_compatible(executable, character()), "list of devices is empty")
    for (other in setdiff(opencl_test_devices(), device)) expect_false(is_compatible(executable, other))
    # A group that no device has: the driver refuses it at once, or the bundle is incompatible and does not run.
    huge <- "__kernel __attribute__((reqd_work_group_size(1048576, 1, 1))) void huge(__global int* x, __global double* out,
      const int len) { out[0] = len; }"
    tried <- tryCatch(bundle_build(kernel_bundle(huge, device)), nmathopencl_error = identity)
    if (inherits(tried, "nmathopencl_bundle")) {
      expect_false(is_compatible(tried, device))
      expect_error(run_opencl_kernel(tried, "huge", list(1L)), class = "nmathopencl_error")
    }
    # Nor is there a device with 256 MB of local memory.
    large <- "__kernel void large(__global int* x, __global double* out, const int len) { __local int y[67108864];
      y[get_local_id(0)] = len; barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = y[0]; }"
    tried <- tryCatch(bundle_build(kernel_bundle(large, device)), nmathopencl_error = identity)
    if (inherits(tried, "nmathopencl_bundle")) {
      expect_false(is_compatible(tried, device))
      expect_core_error(run_opencl_kernel(tried, "large", list(1L)), "local memory")
    }
    expect_identical(run_opencl_kernel(executable, "add", list(1)), 3)
  }
})

test_that("objects of the host device call one another, barriers and all", {
  library <- "
int place(void) { return (int)get_global_id(0); }
double total(double x, __local double* s)
{
    s[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    double t = 0;
    for (int k = 0; k < (int)get_local_size(0); ++k) t += s[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    return t;
}"
  between <- "double total(double x, __local double* s);
double twice(double x, __local double* s) { return 2 * total(x, s); }"
  kernel <- "int place(void);
double twice(double x, __local double* s);
__kernel void k(__global double* out, __local double* s) { out[place()] = twice(place(), s); }"
  for (device in compiling_devices()) needs_linker({
    object <- function(text) bundle_compile(kernel_bundle(text, device))
    program <- bundle_link(object(kernel), object(between), object(library))
    value <- run_opencl_kernel(program, "k", list(), n = 8, out = 8, local = 4, groups = 4)
    expect_identical(value, rep(c(12, 44), each = 4))
  })
  skip_without_compiler()
  host <- bundle_compile(kernel_bundle(kernel, "host"))
  error <- expect_core_error(bundle_link(host), "linking the program failed")
  expect_identical(error$step, "link")
  expect_match(conditionMessage(error), "twice")
})

test_that("the host device builds a text once, keeps it on disk, and says what it cannot compile", {
  skip_without_compiler()
  source <- kernel_bundle(adding_program("add", 41.25), "host")
  expect_true(is_compatible(source, "host"))
  built <- bundle_build(source)
  expect_identical(last_run()$device, "host")
  expect_true(is_compatible(built, "host"))
  before <- compilations()
  bundle_build(source)
  expect_identical(last_run()$cache_hits, 1L)
  expect_identical(compilations(), before)
  expect_core_error(run_opencl_kernel(source, "add", list(1)), "state 'executable'")
  expect_core_error(run_opencl_kernel(built, "none", list(1)), "no kernel 'none'; its kernels: add")
  error <- expect_core_error(bundle_build(kernel_bundle("#line 7 \"mine.cl\"\nnonsense", "host")), "compiling")
  expect_match(error$build_log, "mine.cl:7")
  vectors <- "__kernel void k(__global double* out) { double4 v = (double4)(1.0); out[0] = v.x; }"
  expect_core_error(bundle_build(kernel_bundle(vectors, "host")), "vector types: 'double4'")
  expect_core_error(bundle_compile(kernel_bundle("#include \"a.h\"", "host")), "a.h")
  error <- expect_core_error(
    bundle_compile(kernel_bundle("#include \"a.h\"\nnonsense", "host"), c(a.h = "#include \"b.h\"\n", b.h = "int b;\n")),
    "your program:2"
  )
  expect_core_error(bundle_compile(kernel_bundle("#include \"a.h\"", "host"), c(a.h = "#include \"a.h\"")), "includes itself")
  for (other in opencl_test_devices()) expect_false(is_compatible(built, other))
})

test_that("a bundle outlives a reset, a copy from elsewhere says what it is", {
  for (device in opencl_test_devices()) {
    source <- kernel_bundle(adding_program("add", 2), device)
    executable <- bundle_build(source)
    file <- tempfile()
    on.exit(unlink(file), add = TRUE)
    saveRDS(executable, file)
    expect_core_error(kernel_ids(readRDS(file)), "of another R session")
    expect_core_error(print(readRDS(file)), "of another R session")
    nmathopencl_opencl_reset_device_selection()
    expect_identical(kernel_ids(executable), "add")
    expect_false(is_compatible(executable, device))
    expect_core_error(run_opencl_kernel(executable, "add", list(1)), "before its device was reset")
    expect_core_error(bundle_join(executable, bundle_build(source)), "different contexts or devices")
    expect_identical(run_opencl_kernel(bundle_build(source), "add", list(1)), 3)
  }
})

test_that("bundles are released, and also after the package was unloaded", {
  for (device in compiling_devices()) {
    source <- kernel_bundle(adding_program("add", 2), device)
    for (i in 1:2000) bundle_join(source, source)
    invisible(gc())
    expect_identical(bundle_state(source), "source")
  }
  skip_if(length(opencl_test_devices()) == 0)
  code <- paste0(
    "library(nmathopencl); b <- bundle_build(kernel_bundle('", gsub("\n", " ", "__kernel void f(__global int* x) { x[0] = 1; }"),
    "', '", opencl_test_devices()[1], "')); unloadNamespace('nmathopencl'); invisible(gc()); c <- b; rm(b); ",
    "library(nmathopencl); e <- tryCatch(kernel_ids(c), nmathopencl_error = conditionMessage); rm(c); ",
    "invisible(gc()); cat(e)"
  )
  said <- run_r(code)
  expect_match(paste(said, collapse = " "), "the package was unloaded since")
})
