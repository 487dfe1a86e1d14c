# Calls once found wrong, with their right values: ref/defects/*.tsv, a file per family of functions. Columns: call, right
# (both R expressions), tolerance (relative; absolute where the right value is 0), note (how the right value was found).

defect_files <- list.files(test_path("ref", "defects"), "\\.tsv$", full.names = TRUE)

evaluated <- function(text) suppressWarnings(as.numeric(eval(parse(text = text), globalenv())))

is_right <- function(value, right, tolerance) {
  if (is.nan(right) || is.nan(value)) return(is.nan(right) && is.nan(value))
  identical(value, right) || abs(value - right) <= tolerance * (if (right == 0) 1 else abs(right))
}

test_that("calls once found wrong are right on every device", {
  expect_gt(length(defect_files), 0)
  for (path in defect_files) {
    rows <- read.delim(path, quote = "", colClasses = "character")
    expect_named(rows, c("call", "right", "tolerance", "note"), info = path)
    for (device in test_devices()) {
      wrong <- character()
      for (k in seq_len(nrow(rows))) {
        value <- with_device(device, evaluated(rows$call[k]))
        right <- with_device(device, evaluated(rows$right[k]))
        if (length(value) != 1 || !is_right(value, right, as.numeric(rows$tolerance[k]))) {
          wrong <- c(wrong, sprintf("%s is %.17g, not %.17g", rows$call[k], value, right))
        }
      }
      expect(length(wrong) == 0, paste(c(paste(basename(path), "on", device_name(device)), wrong), collapse = "\n"))
    }
  }
})
