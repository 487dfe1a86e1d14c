# fetch_clients -- Rscript fetch_clients.R FOLDER: puts the sources of opencltools, glmbayes and glmbayesCore into FOLDER, from the
# repository that R is configured with, and what they need of other packages into the first library of .libPaths(). Debian's and Ubuntu's
# packages of these are taken first where apt-get may be used: they need not be compiled.

folder <- commandArgs(TRUE)[1L]
clients <- c("opencltools", "glmbayes", "glmbayesCore")
if ("@CRAN@" %in% getOption("repos")) utils::chooseCRANmirror(graphics = FALSE, ind = 1L)
available <- available.packages(type = "source")
unknown <- setdiff(clients, rownames(available))
if (length(unknown)) stop("this repository does not have ", toString(unknown))
download.packages(clients, folder, available = available, type = "source", quiet = TRUE)

# What the clients ask for, with the least versions that they accept: "Rcpp (>= 1.1.1)".
entries <- unlist(strsplit(stats::na.omit(as.vector(available[clients, c("Depends", "Imports", "LinkingTo")])), ","))
entries <- trimws(gsub("[[:space:]]+", " ", entries))
name <- sub(" ?[(].*", "", entries)
least <- ifelse(grepl(">=", entries), gsub(".*>= ?|[)].*", "", entries), "0")
ours <- c("R", "nmathopencl", clients, rownames(installed.packages(priority = "base")))
least <- tapply(least[!name %in% ours], name[!name %in% ours], function(v) as.character(max(numeric_version(v))))
least[["testthat"]] <- "3.0.0"

lacking <- function() {
  fits <- function(package) {
    version <- tryCatch(utils::packageVersion(package), error = function(e) NULL)
    !is.null(version) && version >= least[[package]]
  }
  Filter(Negate(fits), names(least))
}

missing <- lacking()
if (length(missing) && nzchar(Sys.which("apt-get")) && Sys.info()[["user"]] == "root") {
  for (package in missing) system2("apt-get", c("install", "-y", "--no-install-recommends", paste0("r-cran-", tolower(package))))
}
missing <- lacking()
if (length(missing)) install.packages(missing, lib = .libPaths()[1L], type = "source", INSTALL_opts = "--no-docs")
missing <- lacking()
if (length(missing)) stop("cannot be installed: ", toString(missing))
