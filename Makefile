# Makefile -- what a checkout offers; the package itself does not need it and does not ship it.

R ?= R
RSCRIPT ?= Rscript
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# One line for each step, with its time; the output is kept in build-logs and shown where a step fails.
STEP = @sh tools/step.sh

.PHONY: help demo check check-all clients windows release-check install document generate pictures site format lint clean

help:
	@echo "make demo       install what is missing and the package, then compute on the best device there is"
	@echo "make check      install what is missing, then build and check the package with the tests that CRAN runs (CHECK=--as-cran: as CRAN does)"
	@echo "make check-all  the same with all tests, on every device"
	@echo "make clients    packages of CRAN that build on this one, on this tree (tests/clients/README.md; half an hour)"
	@echo "make windows    the core and the host device under mingw-w64, their tests under Wine (tools/check_windows.sh)"
	@echo "make release-check   what only the owner can decide before a release, and whether the package says it"
	@echo "make install    install the package into R's library"
	@echo "make document   NAMESPACE, man/ and the Rcpp glue from the sources; needs the installed package (make install) and roxygen2"
	@echo "make generate   the files that tools/generate.R and tools/tags.R write"
	@echo "make pictures   the pictures of the README and the vignettes, the table of all functions and the cheat sheet"
	@echo "make site       the site, into docs (needs pkgdown)"
	@echo "make format     C and C++ in the layout of .clang-format"
	@echo "make lint       what lintr says of R code, tools/layers.R of includes, and tools/words.R of words"
	@echo "make clean      remove what builds left in the tree"

demo:
	$(STEP) --show '^nmathopencl: ' "what is needed is installed" sh tools/install_deps.sh demo
	@$(MAKE) --no-print-directory install
	$(STEP) --open "demonstration" $(RSCRIPT) tools/demo.R

check:
	$(STEP) --show '^nmathopencl: ' "what is needed is installed" sh tools/install_deps.sh check
	@NOT_CRAN=false sh tools/check_package.sh $(CHECK)

check-all:
	$(STEP) --show '^nmathopencl: ' "what is needed is installed" sh tools/install_deps.sh check
	$(STEP) "generated files are fresh" $(RSCRIPT) tools/generate.R --check
	$(STEP) "tags are fresh" $(RSCRIPT) tools/tags.R --check
	@sh tools/check_package.sh $(CHECK)

clients:
	sh tests/clients/run_glmbayes.sh

windows:
	sh tools/check_windows.sh build-windows

release-check:
	@$(RSCRIPT) tools/release_check.R

install:
	@MAKEFLAGS=-j$(JOBS) sh tools/step.sh --show '^nmathopencl: ' "package installed" $(R) CMD INSTALL .

document:
	$(RSCRIPT) -e 'for (p in c("Rcpp", "roxygen2", "nmathopencl")) if (!nzchar(system.file(package = p))) stop("make document needs ", p, " installed (nmathopencl itself: make install)", call. = FALSE)'
	$(RSCRIPT) -e 'Rcpp::compileAttributes()' -e 'roxygen2::roxygenise(load_code = "installed")'

generate:
	$(RSCRIPT) tools/tags.R
	$(RSCRIPT) tools/generate.R

pictures:
	$(RSCRIPT) tools/pictures.R

site:
	sh tools/site.sh

format:
	clang-format -i $$(ls src/*.h src/*.cpp src/*/*.h src/*/*.cpp tests/cpp/*.h tests/cpp/*/*.h tests/cpp/*/*.cpp tests/fuzz/*.h tests/fuzz/*.cpp bench/*.cpp | grep -v -e _gen -e RcppExports)

lint:
	$(RSCRIPT) tools/layers.R
	$(RSCRIPT) tools/words.R
	$(RSCRIPT) -e 'lints <- lintr::lint_package(); print(lints); quit(status = length(lints) > 0)'

clean:
	sh cleanup
	rm -rf src/*.o src/*/*.o src/*.so demo docs build build-* *.Rcheck *.tar.gz
