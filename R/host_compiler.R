# host_compiler -- the C compiler that R was configured with, for programs from their text on the host device. What is made of
# it: src/host/host_compiler.cpp.

host_compiler_found <- new.env(parent = emptyenv())

# TRUE, FALSE, or NULL where the option is not set.
compiler_option <- function() {
  option <- getOption("nmathopencl.compiler")
  if (is.null(option)) return(NULL)
  isTRUE(option)
}

under_install <- function() nzchar(Sys.getenv("R_INSTALL_PKG", "")) || nzchar(Sys.getenv("R_PACKAGE_NAME", ""))

# One string for the core: why there is no compiler, or an empty line and then, words between tabs, command, flags, flags for
# linking, and the folder for temporary files.
host_compiler_setting <- function() {
  option <- compiler_option()
  if (identical(option, FALSE)) return("options(nmathopencl.compiler = FALSE) says so")
  if (under_install()) return("no compiler is used while a package is installed")
  if (is.null(option) && under_check()) {
    return("no compiler is used while a package is checked, unless options(nmathopencl.compiler = TRUE) is set")
  }
  if (is.null(host_compiler_found$text)) {
    host_compiler_found$text <- tryCatch(configured_compiler(), error = function(e) {
      paste("the settings that R was built with cannot be read:", gsub("\n", " ", conditionMessage(e)))
    })
  }
  if (nchar(host_compiler_found$text) > 0L && !startsWith(host_compiler_found$text, "\n")) return(host_compiler_found$text)
  lines <- strsplit(paste0(host_compiler_found$text, "\n"), "\n", fixed = TRUE)[[1L]] # the last one may be empty
  lines[3L] <- paste(c(lines[3L], compiler_level()), collapse = "\t")
  paste(c(lines, temporary_folder()), collapse = "\n")
}

# R's own, made again where it is gone: what tidies /tmp may remove it while a session is idle.
temporary_folder <- function() {
  if (!dir.exists(tempdir())) dir.create(tempdir(), showWarnings = FALSE, mode = "0700")
  tempdir()
}

# The level of optimization that the option asks for, as the compiler's flag; nothing where it is not set.
compiler_level <- function() {
  level <- getOption("nmathopencl.optimize")
  if (is.null(level)) return(NULL)
  if (!is.numeric(level) || length(level) != 1L || !level %in% 0:3) {
    argument_error("options(nmathopencl.optimize = ) must be 0, 1, 2 or 3: the level of optimization of the host device's compiler")
  }
  paste0("-O", as.integer(level)) # the text of a double is that of options(scipen = )
}

configured_compiler <- function() {
  if (.Platform$OS.type == "windows") {
    found <- Sys.which("gcc")[[1L]]
    if (!nzchar(found)) return("there is no gcc on the PATH (Rtools has one)")
    # -static: variables of a thread need gcc's own library, and Windows would look for its DLL where Rtools is not.
    return(paste("", found, "", paste("-shared", "-static", "-lm", sep = "\t"), sep = "\n"))
  }
  vars <- make_variables(file.path(paste0(R.home("etc"), Sys.getenv("R_ARCH")), "Makeconf"))
  command <- shell_words(make_value("CC", vars))
  if (!length(command)) return("R was configured without a C compiler")
  if (Sys.info()[["sysname"]] == "Darwin" && !has_command_line_tools()) {
    return("the command line tools of Xcode are not installed (xcode-select --install)")
  }
  flags <- c(shell_words(make_value("CFLAGS", vars)), shell_words(make_value("CPICFLAGS", vars)))
  link <- c(shell_words(make_value("SHLIB_LDFLAGS", vars)), shell_words(make_value("LDFLAGS", vars)), few_libraries(command), "-lm")
  words <- function(x) paste(x, collapse = "\t")
  paste("", words(command), words(plain_flags(flags)), words(plain_flags(link)), sep = "\n")
}

# A program takes functions of C from R's process. To look through a compiler's files for the start and end of a program, and through
# the libraries that it would add, takes longer than to link (`time gcc -shared part.o -lm`, with and without -nostdlib).
few_libraries <- function(command) {
  is_gcc <- any(grepl("^([a-z0-9_]+-)*gcc(-[0-9.]+)?$", basename(command)))
  if (Sys.info()[["sysname"]] == "Linux" && is_gcc) c("-nostdlib", "-lgcc")
}

# Without them, the compiler that macOS has is one that opens a dialog.
has_command_line_tools <- function() {
  tool <- "/usr/bin/xcode-select"
  file.exists(tool) && identical(suppressWarnings(system2(tool, "-p", stdout = FALSE, stderr = FALSE)), 0L)
}

# Whether the host device can compile programs: asked once for each setting of the option.
host_compiles <- function() {
  option <- list(getOption("nmathopencl.compiler"))
  if (!identical(option, host_compiler_found$option)) {
    host_compiler_found$compiles <- identical(host_compiler_cpp()$missing, "")
    host_compiler_found$option <- option
  }
  host_compiler_found$compiles
}

# After a program that failed on the host device: whether nothing that the compiler makes can be run here (it is broken, or
# the folder of temporary files allows no programs). It is then as if there were none, and the first to know says so.
compiler_is_broken <- function(error, call) {
  if (!error$step %in% c("compile", "link", "load")) return(FALSE)
  problem <- host_compiler_problem_cpp()
  if (!identical(problem, "")) {
    host_compiler_found$broken <- sub("\n.*", "", problem)
    host_compiler_found$option <- list(getOption("nmathopencl.compiler"))
    host_compiler_found$compiles <- FALSE
    warning(simpleWarning(paste0(
      "R evaluates expressions, since the C compiler that it was configured with does not work here: ",
      host_compiler_found$broken
    ), call))
  }
  !identical(problem, "")
}

# Why expressions are not compiled.
no_compiler_reason <- function() {
  missing <- host_compiler_cpp()$missing
  if (identical(missing, "")) host_compiler_found$broken %||% "" else missing
}

# What asks for debug information, for warnings, for a level of optimization or for checks is left out: the core has its own.
plain_flags <- function(flags) {
  drop <- "^(-g[0-9a-z-]*|-W[^al].*|-Wall|-Werror.*|-O.*|-flto.*|-f(file|debug|macro)-prefix-map=.*|-D_FORTIFY_SOURCE.*|-U_FORTIFY_SOURCE|-pedantic|-Wp,-D_FORTIFY_SOURCE.*|-specs=.*)$"
  keep <- startsWith(flags, "-Wl,") | startsWith(flags, "-Wa,")
  flags[keep | !grepl(drop, flags)]
}

# The variables of a makefile as they are written; continued lines are joined and comments dropped.
make_variables <- function(file) {
  text <- paste(readLines(file, warn = FALSE), collapse = "\n")
  lines <- strsplit(gsub("\\\\\n", " ", text), "\n", fixed = TRUE)[[1L]]
  lines <- grep("^[A-Za-z_][A-Za-z0-9_]*[ \t]*[:?]?=", sub("#.*$", "", lines), value = TRUE)
  name <- sub("[ \t]*[:?]?=.*$", "", lines)
  value <- trimws(sub("^[^=]*=", "", lines))
  stats::setNames(as.list(value), name)
}

# One of them, with those that it mentions filled in; what is not among them is nothing.
make_value <- function(name, vars, depth = 0L) {
  value <- vars[[name]] %||% ""
  if (depth > 20L) return("")
  repeat {
    found <- regmatches(value, regexpr("\\$[({][A-Za-z_][A-Za-z0-9_]*[)}]", value))
    if (!length(found)) break
    inner <- substring(found, 3L, nchar(found) - 1L)
    value <- sub(found, if (inner == "R_HOME") R.home() else make_value(inner, vars, depth + 1L), value, fixed = TRUE)
  }
  value
}

# A command line in words, quotes as a shell reads them; nothing is run.
shell_words <- function(line) {
  words <- regmatches(line, gregexpr("(\"[^\"]*\"|'[^']*'|[^ \t\"'])+", line))[[1L]]
  gsub("[\"']", "", words)
}
