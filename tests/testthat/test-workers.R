# Work that other processes share, by R's own means: what vignette("many-devices") tells, with two workers.

devices_of_workers <- function() rep_len(test_devices(), 2L)

pieces_of <- function(n, size) {
  first <- seq(1, n, by = size)
  data.frame(piece = seq_along(first), first = first, count = pmin(size, n - first + 1))
}

# What a worker does with a piece: draws, elements and grid points, on the device of its number, with the device's name.
work_on_piece <- function(piece, first, count, devices, x, grid) {
  device <- devices[1 + (piece - 1) %% length(devices)]
  own <- first - 1 + seq_len(count)
  draws <- nmathopencl::rgamma_opencl(count, 0.7, seed = 42, first = first, device = device)
  log_posterior <- function(b) {
    nmathopencl::f2_f3_opencl(
      "poisson", "log", b, 0:9, cbind(1, 0:9), numeric(2), diag(2), numeric(10), rep(1, 10), device = device
    )
  }
  list(draws = draws, values = nmathopencl::pnorm_opencl(x[own], 0.5, device = device), grid = log_posterior(grid[, own])$qf,
       device = nmathopencl::last_run()$device, process = Sys.getpid())
}

expect_whole <- function(results, devices, x, grid) {
  whole <- work_on_piece(1, 1, length(x), "host", x, grid)
  part <- function(name) unlist(lapply(results, `[[`, name))
  for (name in c("draws", "values", "grid")) expect_equal(part(name), whole[[name]], tolerance = 1e-13, label = name)
  expect_identical(part("device"), unname(vapply(devices[1 + (seq_along(results) - 1) %% 2], device_name, "")))
  expect_false(Sys.getpid() %in% part("process"))
  expect_length(unique(part("process")), 2L)
}

x <- seq(-3, 3, length.out = 1000)
grid <- rbind(seq(-1, 1, length.out = 1000), seq(0.5, -0.5, length.out = 1000))
work <- pieces_of(1000, 251) # an odd number: first draws of all kinds

test_that("workers of future and furrr compute pieces of one result", {
  skip_on_cran()
  skip_if_not_installed("future")
  skip_if_not_installed("furrr")
  old <- future::plan(future::multisession, workers = 2)
  on.exit(future::plan(old))
  devices <- devices_of_workers()
  # A piece for each: the first chunk is the first worker's.
  results <- furrr::future_pmap(
    work, work_on_piece, devices = devices, x = x, grid = grid,
    .options = furrr::furrr_options(seed = NULL, chunk_size = 2, globals = FALSE)
  )
  expect_whole(results, devices, x, grid)
})

test_that("daemons of mirai compute pieces of one result, each on its device", {
  skip_on_cran()
  skip_if_not_installed("mirai")
  devices <- devices_of_workers()
  profiles <- paste0("nmathopencl", seq_along(devices))
  on.exit(for (profile in profiles) mirai::daemons(0, .compute = profile))
  for (profile in profiles) mirai::daemons(1, dispatcher = FALSE, .compute = profile)
  tasks <- lapply(work$piece, function(k) {
    mirai::mirai(
      do.call(work_on_piece, c(piece, list(devices = devices, x = x, grid = grid))),
      work_on_piece = work_on_piece, piece = as.list(work[k, ]), devices = devices, x = x, grid = grid,
      .compute = profiles[1 + (k - 1) %% 2]
    )
  })
  results <- lapply(tasks, function(task) task[])
  failed <- Filter(mirai::is_error_value, results)
  if (length(failed)) fail(format(failed[[1L]]))
  expect_whole(results, devices, x, grid)
})

test_that("workers of parallel choose their device once", {
  skip_on_cran()
  cluster <- parallel::makePSOCKcluster(2L, rscript_args = "--vanilla", setup_strategy = "sequential")
  on.exit(parallel::stopCluster(cluster))
  parallel::clusterCall(cluster, .libPaths, .libPaths())
  devices <- devices_of_workers()
  parallel::clusterApply(cluster, devices, function(device) nmathopencl::set_opencl_device(device))
  draws <- parallel::clusterMap(cluster, function(first, count) {
    list(nmathopencl::rbinom_opencl(count, 50, 0.3, seed = 1, first = first), nmathopencl::last_run()$device)
  }, work$first, work$count)
  expect_identical(unlist(lapply(draws, `[[`, 1L)), rbinom_opencl(1000, 50, 0.3, seed = 1, device = "host"))
  expect_setequal(vapply(draws, `[[`, "", 2L), vapply(devices, device_name, ""))
})
