# sitrep_system -- what opencl_sitrep() knows of the machine without OpenCL: its system, graphics hardware, drivers'
# files, and what would have to be installed. Files are read; nothing is run.

lines_of <- function(file) tryCatch(suppressWarnings(readLines(file, warn = FALSE)), error = function(e) character())

# The row of inst/spec/install.tsv that the system goes by, from ID and ID_LIKE of os-release.
system_family <- function(sysname = Sys.info()[["sysname"]], os_release = lines_of("/etc/os-release")) {
  if (.Platform$OS.type == "windows" || sysname == "Windows") return("windows")
  if (sysname == "Darwin") return("macos")
  ids <- gsub("\"", "", sub("^[^=]*=", "", grep("^ID(_LIKE)?=", os_release, value = TRUE)))
  ids <- unlist(strsplit(ids, " ", fixed = TRUE))
  if (any(ids %in% c("debian", "ubuntu"))) return("debian")
  if (any(ids %in% c("fedora", "rhel", "centos"))) return("fedora")
  if (any(ids == "arch")) return("arch")
  "linux"
}

# Makers of display controllers and processing accelerators (classes 0x03 and 0x12) on the PCI bus, as Linux lists
# them, and of those whose driver says so in /proc.
graphics_makers <- function(pci = "/sys/bus/pci/devices", nvidia = "/proc/driver/nvidia/version") {
  folders <- list.files(pci, full.names = TRUE)
  first <- function(file) c(lines_of(file), "")[1L]
  class <- vapply(file.path(folders, "class"), first, "")
  vendor <- vapply(file.path(folders, "vendor"), first, "")[grepl("^0x(03|12)", class)]
  known <- c("0x10de" = "nvidia", "0x1002" = "amd", "0x1022" = "amd", "0x8086" = "intel")
  makers <- known[vendor]
  sort(unique(c(makers[!is.na(makers)], if (file.exists(nvidia)) "nvidia")))
}

in_container <- function() {
  any(file.exists(c("/.dockerenv", "/run/.containerenv"))) || nzchar(Sys.getenv("container", "")) ||
    any(grepl("docker|kubepods|containerd|lxc", lines_of("/proc/1/cgroup")))
}

# Device files of graphics hardware that this user may not open.
closed_device_files <- function() {
  files <- c(Sys.glob("/dev/dri/renderD*"), Sys.glob("/dev/nvidia[0-9]*"), Sys.glob("/dev/kfd"))
  files[file.access(files, 4L) != 0L | file.access(files, 2L) != 0L]
}

system_facts <- function() {
  family <- system_family()
  linux <- !family %in% c("windows", "macos")
  info <- Sys.info()
  name <- sub("^PRETTY_NAME=\"?([^\"]*)\"?$", "\\1", grep("^PRETTY_NAME=", lines_of("/etc/os-release"), value = TRUE))
  list(
    family = family, name = c(if (linux) name, paste(info[["sysname"]], info[["release"]]))[1L],
    machine = info[["machine"]], container = linux && in_container(), graphics = if (linux) graphics_makers() else character(),
    closed = if (linux) closed_device_files() else character()
  )
}

# Files that tell an ICD loader which drivers there are, where this process's loader looks; `check`: whether each is
# asked for.
driver_files <- function(check) {
  vendors <- Sys.getenv("OCL_ICD_VENDORS", Sys.getenv("OPENCL_VENDOR_PATH", ""))
  folder <- if (nzchar(vendors)) vendors else "/etc/OpenCL/vendors"
  files <- if (dir.exists(folder)) list.files(folder, "\\.icd$", full.names = TRUE) else vendors[file.exists(vendors)]
  files <- sort(files, method = "radix")
  library <- vapply(files, function(file) trimws(c(lines_of(file), "")[1L]), "")
  problem <- vapply(library, function(name) {
    if (!nzchar(name)) return("the file names no library")
    if (check) loading_problem_cpp(name) else ""
  }, "")
  data.frame(file = as.character(files), library = unname(library), problem = unname(problem))
}

# The rows of inst/spec/install.tsv for this system, with `needed`. facts: system_facts(); `built`, `library`: whether the
# package has OpenCL and the machine its library; makers: of the OpenCL devices there are; `compiler`: the host
# device has one.
install_advice <- function(facts, built, library, makers, compiler) {
  table <- utils::read.delim(
    system.file("spec", "install.tsv", package = "nmathopencl"),
    colClasses = "character", quote = "", na.strings = character()
  )
  lacking <- setdiff(facts$graphics, makers)
  rows <- table[table$system %in% c(facts$family, if (facts$container) "container"), ]
  rows$needed <- (rows$part == "loader" & !library) | rows$part %in% lacking | (rows$part == "compiler" & !compiler) |
    (rows$part == "gpu" & !length(makers))
  rows$needed <- rows$needed & (built | rows$part == "compiler")
  rownames(rows) <- NULL
  rows
}

# Whose a device is, in the words of install.tsv.
device_maker <- function(vendor) {
  known <- c(nvidia = "nvidia", amd = "advanced micro|^amd", intel = "intel")
  hit <- vapply(known, function(pattern) grepl(pattern, small_letters(vendor)), logical(length(vendor)))
  unique(colnames(matrix(hit, ncol = 3L, dimnames = list(NULL, names(known))))[
    which(matrix(hit, ncol = 3L), arr.ind = TRUE)[, "col"]
  ])
}
