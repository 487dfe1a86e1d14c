for (helper in c("as-one", "devices", "expectations", "child", "process", "compiler", "loader")) {
  source(file.path("..", "testthat", paste0("helper-", helper, ".R")), local = TRUE)
}
