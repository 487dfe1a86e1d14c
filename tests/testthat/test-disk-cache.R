# Every test has a cache of its own, below tempdir().
with_cache <- function(code, folder = tempfile("cache")) {
  old <- options(nmathopencl.cache = folder)
  on.exit({
    options(old)
    unlink(folder, recursive = TRUE)
  })
  force(code)
}

entries <- function() list.files(opencl_cache_info()$folder, pattern = "\\.program$", full.names = TRUE)

# As a new process would: nothing that was built is known any more.
forget_programs <- function() nmathopencl_opencl_reset_device_selection()

# Whether this device's driver gives programs out and takes them back.
caches <- function(device) {
  forget_programs()
  dnorm_opencl(0, device = device)
  forget_programs()
  dnorm_opencl(0, device = device)
  last_run()$disk_hits == 1L
}

test_that("the option, the environment variable and a check decide whether and where", {
  names <- c("NMATHOPENCL_CACHE", "NMATHOPENCL_CACHE_DIR", "_R_CHECK_PACKAGE_NAME_", "_R_CHECK_LIMIT_CORES_")
  env <- Sys.getenv(names, NA, names = TRUE)
  old <- options(nmathopencl.cache = NULL)
  on.exit({
    options(old)
    Sys.unsetenv(names)
    if (any(!is.na(env))) do.call(Sys.setenv, as.list(env[!is.na(env)]))
  })
  folder <- function(...) {
    Sys.unsetenv(names)
    settings <- list(...)
    if (length(settings)) do.call(Sys.setenv, settings)
    opencl_cache_info()$folder
  }
  usual <- tools::R_user_dir("nmathopencl", "cache")
  expect_identical(folder(), usual)
  expect_identical(folder(NMATHOPENCL_CACHE_DIR = "/there"), "/there")
  expect_identical(folder(NMATHOPENCL_CACHE = "off"), NA_character_)
  expect_identical(folder(NMATHOPENCL_CACHE = "FALSE"), NA_character_)
  expect_identical(folder(NMATHOPENCL_CACHE = "1"), usual)
  expect_identical(folder(NMATHOPENCL_CACHE = "/here", NMATHOPENCL_CACHE_DIR = "/there"), "/here")
  expect_identical(folder("_R_CHECK_PACKAGE_NAME_" = "nmathopencl"), NA_character_)
  expect_identical(folder("_R_CHECK_PACKAGE_NAME_" = "nmathopencl", NMATHOPENCL_CACHE = "yes"), usual)
  options(nmathopencl.cache = FALSE)
  expect_identical(folder(NMATHOPENCL_CACHE = "/here"), NA_character_)
  expect_false(opencl_cache_info()$enabled)
  options(nmathopencl.cache = "/mine")
  expect_identical(folder(NMATHOPENCL_CACHE = "/here"), "/mine")
  options(nmathopencl.cache = TRUE)
  expect_identical(folder(NMATHOPENCL_CACHE = "/here"), usual)
  for (nonsense in list(NA, 3, "", c("a", "b"), NULL, list())) {
    options(nmathopencl.cache = nonsense)
    if (!is.null(nonsense)) expect_identical(folder(), NA_character_)
  }
  expect_identical(opencl_cache_clear(), 0L)
})

test_that("a program that is there is not built, and clearing removes it", {
  for (device in opencl_test_devices()) with_cache({
    expect_identical(opencl_cache_info()[c("enabled", "entries", "bytes")], list(enabled = TRUE, entries = 0L, bytes = 0))
    forget_programs()
    dnorm_opencl(0, device = device)
    expect_identical(last_run()$built, 1L)
    expect_identical(last_run()$disk_hits, 0L)
    if (caches(device)) {
      expect_identical(last_run()$built, 0L)
      expect_identical(last_run()$cache_hits, 1L)
      expect_ran_on(device)
      dnorm_opencl(1, device = device)
      expect_identical(unlist(last_run()[c("built", "cache_hits", "disk_hits")], use.names = FALSE), c(0L, 1L, 0L))
      expect_identical(opencl_cache_info()$bytes, sum(file.size(entries())))
      count <- opencl_cache_info()$entries
      expect_gte(count, 1L)
      expect_identical(opencl_cache_clear(), count)
      expect_identical(opencl_cache_info()$entries, 0L)
      forget_programs()
      dnorm_opencl(0, device = device)
      expect_identical(last_run()$built, 1L)
      options(nmathopencl.cache = FALSE)
      forget_programs()
      dnorm_opencl(0, device = device)
      expect_identical(last_run()$built, 1L)
    }
  })
})

test_that("a new process with a warm cache builds nothing", {
  for (device in opencl_test_devices()) with_cache({
    if (!caches(device)) skip("this driver does not give programs out")
    code <- paste0(
      "library(nmathopencl); start <- proc.time()[[3]]; value <- dnorm_opencl(0, device = '", device, "'); ",
      "cat(last_run()$built, last_run()$disk_hits, value == dnorm_opencl(0, device = 'host'), proc.time()[[3]] - start)"
    )
    said <- strsplit(utils::tail(run_r(code, paste0("NMATHOPENCL_CACHE=", getOption("nmathopencl.cache"))), 1), " ")[[1]]
    expect_identical(said[1:2], c("0", "1"))
    expect_true(as.logical(said[3]))
  })
})

test_that("whatever lies in the place of an entry: right results, and the entry is replaced", {
  damage <- list(
    "cut to nothing" = function(bytes) raw(),
    "cut within the head" = function(bytes) bytes[1:10],
    "cut within the key" = function(bytes) bytes[1:200],
    "cut in the middle" = function(bytes) bytes[seq_len(length(bytes) %/% 2)],
    "cut by one byte" = function(bytes) bytes[-length(bytes)],
    "one byte more" = function(bytes) c(bytes, as.raw(0)),
    "zeros" = function(bytes) raw(length(bytes)),
    "garbage" = function(bytes) as.raw((seq_along(bytes) * 73) %% 256),
    "garbage behind a right head" = function(bytes) c(bytes[1:24], as.raw((seq_along(bytes) * 73) %% 256)),
    "a bit flipped in the head" = function(bytes) replace(bytes, 9, xor(bytes[9], as.raw(1))),
    "a bit flipped in the key" = function(bytes) replace(bytes, 60, xor(bytes[60], as.raw(16))),
    "a bit flipped in the program" = function(bytes) {
      at <- length(bytes) - 5000
      replace(bytes, at, xor(bytes[at], as.raw(4)))
    },
    "a bit flipped in the checksum" = function(bytes) replace(bytes, length(bytes), xor(bytes[length(bytes)], as.raw(128)))
  )
  for (device in opencl_test_devices()) with_cache({
    if (!caches(device)) skip("this driver does not give programs out")
    for (what in names(damage)) {
      for (path in entries()) {
        bytes <- readBin(path, "raw", file.size(path))
        writeBin(damage[[what]](bytes), path)
      }
      forget_programs()
      expect_equal(dnorm_opencl(0, device = device), dnorm(0), tolerance = 1e-14, label = what)
      expect_identical(last_run()$built, 1L, label = what)
      expect_ran_on(device)
      forget_programs()
      dnorm_opencl(0, device = device)
      expect_identical(last_run()$disk_hits, 1L, label = what)
    }
  })
})

test_that("a folder in the place of an entry, and the entry of another program", {
  for (device in opencl_test_devices()) with_cache({
    if (!caches(device)) skip("this driver does not give programs out")
    for (path in entries()) {
      unlink(path)
      dir.create(path)
    }
    for (i in 1:2) {
      forget_programs()
      expect_equal(dnorm_opencl(0, device = device), dnorm(0), tolerance = 1e-14)
      expect_identical(last_run()$built, 1L)
    }
    expect_false(is.na(opencl_cache_info()$problem))
    unlink(entries(), recursive = TRUE)
    forget_programs()
    dnorm_opencl(0, device = device)
    of_dnorm <- entries()
    pcauchy_opencl(0, device = device)
    of_pcauchy <- setdiff(entries(), of_dnorm)
    for (path in of_dnorm) file.copy(of_pcauchy, path, overwrite = TRUE)
    forget_programs()
    expect_equal(dnorm_opencl(0, device = device), dnorm(0), tolerance = 1e-14)
    expect_identical(last_run()$built, 1L)
  })
})

test_that("a folder that cannot be used means no cache, no error and no message", {
  for (device in opencl_test_devices()) {
    file <- tempfile("file")
    writeLines("a file", file)
    locked <- tempfile("locked")
    dir.create(locked, mode = "0500")
    folders <- c(file, file.path(file, "below"))
    if (file.access(locked, 2) != 0) folders <- c(folders, locked)  # nothing is read-only to root
    for (folder in folders) {
      with_cache(folder = folder, {
        forget_programs()
        expect_silent(value <- dnorm_opencl(c(0, 1, 2), device = device))
        expect_equal(value, dnorm(0:2), tolerance = 1e-14)
        expect_identical(last_run()$built, 1L)
        expect_identical(opencl_cache_info()$entries, 0L)
        expect_false(is.na(opencl_cache_info()$problem))
      })
      if (folder == file) writeLines("a file", file)
    }
    unlink(c(file, locked), recursive = TRUE)
  }
})

test_that("a folder that others can write to is not used, and that is said once", {
  skip_on_os("windows")  # no modes there
  for (device in opencl_test_devices()) with_cache({
    if (!caches(device)) skip("this driver does not give programs out")
    folder <- opencl_cache_info()$folder
    Sys.chmod(folder, "0777", use_umask = FALSE)
    forget_programs()
    expect_message(value <- dnorm_opencl(c(0, 1, 2), device = device), "others can write", class = "nmathopencl_cache_warning")
    expect_equal(value, dnorm(0:2), tolerance = 1e-14)
    expect_identical(last_run()$built, 1L)
    expect_match(opencl_cache_info()$problem, "others can write")
    forget_programs()
    expect_silent(dnorm_opencl(0, device = device))
    expect_identical(last_run()$built, 1L)
    Sys.chmod(folder, "0700", use_umask = FALSE)
    forget_programs()
    dnorm_opencl(0, device = device)
    expect_identical(last_run()$disk_hits, 1L)
  })
})

test_that("eight processes write at once", {
  for (device in opencl_test_devices()) with_cache({
    if (!caches(device)) skip("this driver does not give programs out")
    opencl_cache_clear()
    code <- paste0(
      "library(nmathopencl); options(nmathopencl.cache = '", getOption("nmathopencl.cache"), "')\n",
      "for (i in 1:6) { nmathopencl_opencl_reset_device_selection(); if (i %% 3 == 0) opencl_cache_clear()\n",
      "stopifnot(all.equal(dnorm_opencl(0:2, device = '", device, "'), dnorm(0:2), tolerance = 1e-14),\n",
      "all.equal(pcauchy_opencl(0:2, device = '", device, "'), pcauchy(0:2), tolerance = 1e-14)) }\n",
      "cat('right')"
    )
    workers <- lapply(1:8, function(i) start_r(code))
    said <- vapply(workers, finish_r, "")
    expect_identical(unname(said), rep("right", 8))
    forget_programs()
    expect_equal(dnorm_opencl(0:2, device = device), dnorm(0:2), tolerance = 1e-14)
    expect_length(list.files(opencl_cache_info()$folder, pattern = "draft$"), 0)
  })
})

test_that("bundles are kept too", {
  program <- "__kernel void f(__global int* x) { x[0] = VALUE; }"
  for (device in opencl_test_devices()) with_cache({
    if (!caches(device)) skip("this driver does not give programs out")
    make <- function(value) bundle_build(set_specialization_constant(kernel_bundle(program, device), "VALUE", value))
    forget_programs()
    make(1L)
    expect_identical(last_run()$built, 1L)
    forget_programs()
    expect_output(print(make(1L)), "from the disk cache")
    expect_identical(last_run()$disk_hits, 1L)
    expect_identical(last_run()$built, 0L)
    make(2L)
    expect_identical(last_run()$built, 1L)
  })
})
