# opencl_sitrep() tells everything, changes nothing and never fails; the published diagnostics answer.

parts <- c(
  "package", "build", "library", "drivers", "platforms", "devices", "skipped", "selection", "compiler", "cache",
  "settings", "system", "install", "problems"
)

test_that("the report agrees with what the package does, as list, rows and page", {
  report <- opencl_sitrep()
  expect_s3_class(report, "opencl_sitrep")
  expect_named(report, parts)
  expect_identical(unname(report$problems), character())
  expect_identical(nzchar(report$library$file), nmathopencl_has_opencl())
  expect_identical(nzchar(report$library$problem), !nmathopencl_has_opencl())
  expect_identical(report$devices[setdiff(names(report$devices), c("reason", "pairs_refused", "pair_speed"))], opencl_devices())
  expect_identical(nzchar(report$devices$reason), !report$devices$fp64)
  expect_identical(sum(report$platforms$devices), nrow(report$devices) - 1L)
  expect_identical(report$selection$device, report$devices$name[report$devices$selected])
  expect_identical(nzchar(report$compiler$command), compiler_here())
  if (nmathopencl_has_opencl()) {
    expect_true(report$build$opencl)
    expect_true(file.exists(report$library$real_file) || Sys.info()[["sysname"]] == "Darwin")
  }
  page <- capture.output(returned <- withVisible(print(report)))
  expect_false(returned$visible)
  in_one_line <- gsub("[[:space:]]+", " ", paste(page, collapse = " "))
  for (device in report$devices$name) expect_match(in_one_line, device, fixed = TRUE)
  expect_true(all(c("OpenCL library", "Platforms", "Selection", "To install") %in% page))
  rows <- as.data.frame(report)
  expect_named(rows, c("section", "item", "value"))
  expect_identical(rows$value[rows$section == "selection" & rows$item == "device"], report$selection$device)
  expect_type(rows$value, "character")
})

test_that("without probes no device is tried", {
  nmathopencl_opencl_reset_device_selection()
  report <- opencl_sitrep(probe = FALSE)
  expect_true(all(is.na(report$devices$fp64[-1])))
  expect_true(any(grepl("\"auto\"", format(report), fixed = TRUE)))
})

test_that("nothing is changed by it", {
  before <- list(Sys.getenv(), options(), last_run(), getwd(), list.files(tempdir()))
  invisible(capture.output(print(opencl_sitrep())))
  expect_identical(list(Sys.getenv(), options(), last_run(), getwd(), list.files(tempdir())), before)
})

test_that("settings that make no sense, even to the package, are told and do not stop it", {
  old <- options(nmathopencl.device = "no such device", nmathopencl.threads = "many", nmathopencl.cache = 3)
  on.exit(options(old))
  report <- opencl_sitrep()
  said <- if (nmathopencl_has_opencl()) "no such device" else "OpenCL"
  expect_match(report$selection$problem, said)
  expect_identical(report$selection$source, "options(nmathopencl.device = )")
  expect_true(all(c("nmathopencl.device", "nmathopencl.threads") %in% report$settings$name))
  expect_named(report$problems, "devices")
  page <- paste(capture.output(print(report)), collapse = "\n")
  expect_match(page, paste0("not available:.*", said, ".*Could not be found out"))
  options(nmathopencl.device = c("a", "b"), nmathopencl.threads = NULL)
  expect_match(opencl_sitrep()$selection$problem, "must be one device")
  expect_silent(opencl_sitrep(probe = "perhaps"))
})

test_that("a driver that the system does not load is told with its reason", {
  skip_if_not(length(opencl_test_devices()) > 0 && file.exists("/etc/OpenCL/vendors"), "OpenCL with its drivers' files:")
  folder <- tempfile("vendors")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  good <- readLines(list.files("/etc/OpenCL/vendors", full.names = TRUE)[1], warn = FALSE)
  writeLines(good, file.path(folder, "good.icd"))
  writeLines("/nonexistent/libdriver.so.1", file.path(folder, "gone.icd"))
  writeLines("", file.path(folder, "nothing.icd"))
  lines <- run_r(c(
    "library(nmathopencl); report <- opencl_sitrep()",
    "writeLines(paste0(basename(report$drivers$file), '|', report$drivers$problem))",
    "cat(nrow(report$platforms), 'platforms,', length(report$problems), 'problems\\n')"
  ), env = paste0("OCL_ICD_VENDORS=", folder))
  expect_true("good.icd|" %in% lines)
  expect_match(lines, "^gone.icd[|].*nonexistent", all = FALSE)
  expect_true("nothing.icd|the file names no library" %in% lines)
  expect_match(lines, "^[1-9] platforms, 0 problems *$", all = FALSE)
})

test_that("a forked child has a report too", {
  skip_on_os("windows")
  opencl_devices()
  report <- parallel::mccollect(parallel::mcparallel(opencl_sitrep()))[[1]]
  expect_s3_class(report, "opencl_sitrep")
  if (length(opencl_test_devices())) expect_match(paste(report$library$problem, collapse = ""), "fork")
})

test_that("what to install goes by the system and its hardware", {
  facts <- function(family, graphics = character(), container = FALSE) {
    list(family = family, graphics = graphics, container = container, closed = character())
  }
  advice <- function(..., built = TRUE, library = TRUE, makers = character(), compiler = TRUE) {
    install_advice <- nmathopencl:::install_advice(facts(...), built, library, makers, compiler)
    install_advice[install_advice$needed, ]
  }
  for (family in c("debian", "fedora", "arch", "linux", "windows", "macos")) {
    expect_true("loader" %in% advice(family, library = FALSE)$part, label = family)
    expect_true("compiler" %in% advice(family, compiler = FALSE)$part, label = family)
  }
  for (family in c("debian", "fedora", "arch", "linux", "windows")) for (maker in c("nvidia", "amd", "intel")) {
    expect_identical(advice(family, maker)$part, maker)
    expect_identical(nrow(advice(family, maker, makers = maker)), 0L)
  }
  expect_match(advice("debian", library = FALSE)$command, "ocl-icd-libopencl1")
  expect_match(advice("macos")$note, "double precision")
  expect_identical(sort(advice("debian", "nvidia", TRUE)$system), c("container", "debian"))
  expect_match(advice("fedora", "nvidia", TRUE)$command, "--gpus all", all = FALSE)
  expect_identical(nrow(advice("arch", "amd", built = FALSE)), 0L)
})

test_that("systems and graphics hardware are recognized by their files", {
  family <- function(...) nmathopencl:::system_family("Linux", c(...))
  skip_on_os("windows")
  expect_identical(family("NAME=x", "ID=ubuntu", "ID_LIKE=debian"), "debian")
  expect_identical(family("ID=\"rocky\"", "ID_LIKE=\"rhel centos fedora\""), "fedora")
  expect_identical(family("ID=manjaro", "ID_LIKE=arch"), "arch")
  expect_identical(family("ID=alpine"), "linux")
  expect_identical(nmathopencl:::system_family("Darwin", character()), "macos")
  pci <- tempfile("pci")
  on.exit(unlink(pci, recursive = TRUE))
  card <- function(name, class, vendor) {
    dir.create(file.path(pci, name), recursive = TRUE)
    writeLines(class, file.path(pci, name, "class"))
    writeLines(vendor, file.path(pci, name, "vendor"))
  }
  card("0000:00:02.0", "0x030000", "0x8086")
  card("0000:01:00.0", "0x030200", "0x10de")
  card("0000:02:00.0", "0x020000", "0x1002") # a network controller
  expect_identical(nmathopencl:::graphics_makers(pci, nvidia = "/nonexistent"), c("intel", "nvidia"))
  expect_identical(nmathopencl:::graphics_makers(file.path(pci, "none"), nvidia = "/nonexistent"), character())
  vendors <- c("NVIDIA Corporation", "Advanced Micro Devices, Inc.", "GenuineIntel", "Apple", "Intel(R) Corporation")
  expect_setequal(nmathopencl:::device_maker(vendors), c("nvidia", "amd", "intel"))
  expect_identical(nmathopencl:::device_maker("Apple"), character())
  expect_identical(nmathopencl:::device_maker(character()), character())
})

test_that("the published diagnostics answer", {
  names <- nmathopencl:::published_names
  expect_identical(names$has_opencl(), nmathopencl_has_opencl())
  info <- names$opencl_device_info(details = TRUE)
  expect_identical(info$ok, nmathopencl_opencl_fp64_available())
  expect_type(info$device_type, "character")
  expect_length(info$candidates$device_name, nrow(opencl_devices()) - 1L)
  devices <- opencl_devices()
  expect_identical(names$gpu_names(), devices$name[devices$type == "gpu"])
  expect_gte(names$get_opencl_core_count(), 1L)
  expect_type(names$get_opencl_core_count(), "integer")
  expect_identical(names$verify_opencl_runtime(lib_dirs = "/lib"), nrow(opencl_sitrep(probe = FALSE)$platforms) > 0L)
  expect_identical(names$opencl_fp64_available(force = TRUE), nmathopencl_opencl_fp64_available())
  expect_invisible(names$opencl_reset_device_selection())
  expect_error(names$opencl_device_info(details = NA), "`details`", class = "nmathopencl_error")
})

test_that("their names are exported unless opencltools, which has them too, is installed", {
  skip_on_cran() # other processes
  exported <- paste(
    "cat(sum(c('has_opencl', 'opencl_device_info', 'gpu_names', 'get_opencl_core_count', 'verify_opencl_runtime',",
    "'opencl_fp64_available', 'opencl_reset_device_selection') %in% getNamespaceExports('nmathopencl')), 'exported\\n')"
  )
  library <- tempfile("library")
  dir.create(file.path(library, "opencltools"), recursive = TRUE)
  on.exit(unlink(library, recursive = TRUE))
  writeLines(c("Package: opencltools", "Version: 0.8.3"), file.path(library, "opencltools", "DESCRIPTION"))
  with_it <- run_r(c(sprintf(".libPaths(c('%s', .libPaths()))", library), exported))
  expect_match(with_it, "^0 exported", all = FALSE)
  skip_if(nzchar(system.file(package = "opencltools")), "opencltools is installed:")
  expect_match(run_r(exported), "^7 exported", all = FALSE)
})
