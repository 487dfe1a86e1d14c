# What R makes of a node, with this package's host functions: for conditions, flags, counts of draws, and the texts of
# warnings that only R's rules know.

node_value <- function(tree, id, inputs) node_values(tree, id, inputs)[[1L]]

# Of several nodes at once: what they share is computed once.
node_values <- function(tree, ids, inputs) node_values_under(tree, ids, inputs)[unlist(ids)]

# By node: the values of some nodes and of all that they are made of, for the inputs of this call, which need not be as long as
# those that the tree was made for.
node_values_under <- function(tree, ids, inputs) {
  there <- vapply(seq_along(inputs), function(k) !is.null(inputs[[k]]), NA)
  values_in_order(tree, order_under(tree, ids, there), inputs, list())
}

# The nodes that have to be computed for some, in order. `there`: by input, whether its value is known.
order_under <- function(tree, ids, there) {
  nodes_under(tree, ids, function(node) {
    k <- if (node$op == "input") node$value else if (node$op == "product") node$value[[2L]] else return(node$args)
    if (isTRUE(there[k])) NULL else node$args
  })
}

# By node: the values of those of `order`, besides what is `known`.
values_in_order <- function(tree, order, inputs, known) {
  suppressWarnings(for (id in order) known[[id]] <- computed_node(tree, tree$nodes[[id]], known, inputs))
  known
}

computed_node <- function(tree, node, known, inputs) {
  there <- function(k) k <= length(inputs) && !is.null(inputs[[k]])
  args <- known[node$args]
  switch(node$op,
    const = node$value,
    input = if (there(node$value)) plain_value(inputs[[node$value]]) else args[[1L]],
    product = {
      k <- node$value[[2L]]
      as.vector(as_matrix(inputs[[node$value[[1L]]]]) %*% as.vector(if (there(k)) inputs[[k]] else args[[1L]]))
    },
    slice = args[[1L]][slice_places(node$value, length(args[[1L]]), node$len)],
    spread = {
      value <- numeric(node$len)
      places <- slice_places(node$value, node$len, node$value$len)
      value[places] <- args[[1L]]
      value
    },
    gather = elements_at(args[[1L]], args[[2L]]),
    segments = segment_sums(args[[1L]], args[[2L]], node$len),
    reduce = {
      value <- reduced_node(node$value, args[[1L]])
      check_widths(list(node), list(value))
      value
    },
    concat = unlist(args) %||% vector(node$type, 0L), cumsum = cumsum(args[[1L]]),
    each = rep(args[[1L]], each = node$len / length(args[[1L]])),
    position = seq_len(node$len) - (if (node$type == "integer") 1L else 1), part_sums = sums_of_parts(args[[1L]], node$value, node$len / node$value),
    row_reduce = reduced_rows(node$value, matrix(args[[1L]], node$len)),
    count = as.double(length(args[[1L]])),
    materialize = args[[1L]],
    fill = rep_len(args[[1L]], node$len), patch = replace(args[[1L]], node$value, args[[2L]]),
    recursion = rounds_in_r(node$value, args), recursion_part = args[[1L]][[node$value]],
    crossprod = crossproduct(tree, node, args, inputs),
    cut = args[[1L]][seq_along(args[[2L]])],
    column = as.vector(as.matrix(inputs[[node$value[[1L]]]])[, node$value[[2L]]]),
    as_double = as.double(args[[1L]]), as_logical = as.logical(args[[1L]]), as_integer = as.integer(args[[1L]]),
    neg = -args[[1L]], plus = +args[[1L]], bare = as.vector(args[[1L]]), "^^" = xor(args[[1L]], args[[2L]]),
    select = select_values(args, node$len == len_of(tree, node$args[1L])),
    elementary = do.call(get(node$value, baseenv()), args),
    log = , log_base = do.call(base::log, args),
    library = library_result(node, args)$value,
    pmin = , pmax = do.call(get(node$op, baseenv()), c(args, na.rm = node$value)),
    draw = draw_values(node, args),
    c_text = argument_error(no_text_message()),
    do.call(get(node$op, baseenv()), args)
  )
}

slice_places <- function(slice, length, count) {
  slice$first + (if (slice$from_end) length else 0) + slice$step * (seq_len(count) - 1)
}

elements_at <- function(x, codes) {
  refuse_codes(codes)
  x[codes]
}

segment_sums <- function(x, codes, n) {
  sums <- numeric(n)
  x <- rep_len(x, length(codes))
  codes <- trunc(codes)
  known <- !is.na(codes) & codes <= n
  if (!any(known)) return(sums)
  found <- rowsum(x[known], codes[known])
  sums[as.integer(rownames(found))] <- found
  sums
}

# Of each of the columns of a matrix, the sums of so many parts of it.
sums_of_parts <- function(x, columns, parts) {
  x <- matrix(x, ncol = columns)
  part <- (nrow(x) - 1) %/% parts + 1
  colSums(matrix(rbind(x, matrix(0, part * parts - nrow(x), columns)), part))
}

reduced_rows <- function(op, x) {
  if (op == "sum") return(rowSums(x))
  columns <- lapply(seq_len(ncol(x)), function(j) x[, j])
  Reduce(switch(op, prod = `*`, min = pmin, max = pmax), columns)
}

reduced_node <- function(reduce, value) {
  if (reduction_table()[[reduce$op]]$takes == "real") value <- as.double(value)
  if (reduce$na_rm) value <- value[!is.na(value)]
  reduced_by_r(reduce, value)
}

# t(X) %*% score, of the rows that have part.
crossproduct <- function(tree, node, args, inputs) {
  product <- node_of(tree, node$value[[1L]])
  X <- as_matrix(inputs[[product$value[[1L]]]])
  n <- max(length(args[[1L]]), nrow(X))
  cut <- if (node$value[[2L]] == 0L) n else min(n, len_of(tree, node$value[[2L]]))
  score <- of_length(args[[1L]], n)
  part <- if (length(args) > 1L) of_length(args[[2L]], n) %in% c(TRUE, NA)
  if (is.null(part) && cut == n && nrow(X) == n) return(colSums(X * score))
  rows <- ((seq_len(n) - 1) %% cut) %% nrow(X) + 1
  if (is.null(part)) part <- rep(TRUE, n)
  colSums(X[rows[part], , drop = FALSE] * score[part])
}

# ifelse() of test, yes and no: as long as the test or, where rules choose element by element, as the longest.
select_values <- function(args, as_test) {
  n <- if (as_test) length(args[[1L]]) else if (any(lengths(args) == 0L)) 0L else max(lengths(args))
  test <- of_length(args[[1L]], n)
  yes <- of_length(args[[2L]], n)
  no <- of_length(args[[3L]], n)
  if (typeof(yes) == typeof(no) && !anyNA(test)) {
    if (all(test)) return(yes)
    if (!any(test)) return(no)
  }
  others <- which(!test)
  yes[others] <- no[others]
  yes[is.na(test)] <- NA
  yes
}

# Recycled or cut; a copy only where that changes it.
of_length <- function(x, n) if (length(x) == n && is.null(attributes(x))) x else rep_len(x, n)

draw_values <- function(node, args) {
  ours <- get(paste0(node$value[[1L]], "_opencl"), asNamespace("nmathopencl"))
  do.call(ours, c(list(node$len), args, list(device = "host")))
}

library_result <- function(node, args) {
  n_real <- length(split_commas(library_row(node$value)$columns))
  flags <- vapply(args[-seq_len(n_real)], as_flag, 0L)
  elementwise_cpp(node$value, args[seq_len(n_real)], flags, "host", NULL)
}

as_matrix <- function(x) if (is.object(x)) as.matrix(x) else x

plain_value <- function(x) if (is.null(attributes(x))) x else as.vector(x)

# ---- warnings that no kernel tells of ---------------------------------------------------------------------------------

# Which way the tests of ifelse() went: what guards_open() asks. `unless_known`: what is said of a test without values.
guards_of_values <- function(known, guards, unless_known = FALSE) {
  for (guard in guards) {
    test <- if (guard$test <= length(known)) known[[guard$test]]
    taken <- if (is.null(test)) unless_known else any(test == guard$way, na.rm = TRUE)
    if (!taken) return(FALSE)
  }
  TRUE
}

# The same of tests that R need not have computed: what launches have told of them, what is known, else what R makes of `inputs`. NA where
# that is more than one value: of a test that differs from round to round of a loop over data or, `in_series`, from series to series.
guards_taken <- function(tree, guards, known, reported, inputs, in_series = FALSE) {
  all(vapply(guards, function(guard) {
    if (guards_raised(tree, list(guard), reported)) return(TRUE)
    if (node_of(tree, guard$test)$op == "const") return(FALSE)
    test <- if (guard$test <= length(known)) known[[guard$test]]
    if (is.null(test)) {
      if (in_series || is_of_rounds(tree, guard$test, inputs)) return(NA)
      test <- node_value(tree, guard$test, inputs)
    }
    any(test == guard$way, na.rm = TRUE)
  }, NA))
}

# Rules of sites that kernels ask something at, of which no warning comes.
asking_rules <- c("test", "needs_general", "index", "bounds")

# Of some sites, those whose values are known: a missing value of what was none. `open`: whether guards are.
warn_of_values <- function(tree, sites, known, warn = site_warner(), open = function(guards) guards_of_values(known, guards)) {
  for (site in sites) {
    value <- if (site$node <= length(known)) known[[site$node]]
    if (is.null(value) || site$rule %in% asking_rules) next
    node <- node_of(tree, site$node)
    texts <- if (site$of_r) {
      library_result(node, known[node$args])$warnings
    } else if (site$rule == "none") {
      if (all(is.na(known[[node$args]]))) site$reason
    } else {
      made <- is.na(value)
      if (site$rule == "running" && any(made)) made <- seq_along(made) == which(made)[1L] # the others follow from it
      if (site$rule != "draw") for (id in node$args) if (any(made)) made <- made & !is.na(rep_len(known[[id]], length(value)))
      if (any(made)) site$reason
    }
    if (length(texts) > 0L && open(site$guards)) warn(site, texts)
  }
}

# Sites of what decides how a tree is computed, which no kernel computes.
decision_sites <- function(tree, outputs) {
  if (length(tree$decisions) == 0L) return(list())
  decided <- nodes_under(tree, lapply(tree$decisions, function(decision) decision$node), function(node) node$args)
  ours <- setdiff(decided, nodes_under(tree, outputs, function(node) node$args))
  Filter(function(site) site$node %in% ours, tree$sites)
}

warn_of_decisions <- function(variant, inputs) {
  sites <- variant$decision_sites
  if (length(sites) == 0L) return(invisible())
  tests <- unlist(lapply(sites, function(site) lapply(site$guards, function(guard) guard$test)))
  nodes <- c(vapply(sites, function(site) site$node, 0L), tests)
  warn_of_values(variant$tree, sites, node_values_under(variant$tree, nodes, inputs))
}

# ---- loops over data, round by round

# All results of a loop, round by round.
rounds_in_r <- function(loop, args) {
  tree <- list(nodes = loop$nodes)
  locals <- loop$locals
  carried <- Map(function(start, type) {
    storage_as(if (start > 0L) args[[start]] else 0, type)
  }, loop$carried$start, loop$carried$type)
  vectors <- lapply(loop$vectors, function(vector) {
    x <- rep_len(if (vector$start > 0L) as.double(args[[vector$start]]) else 0, vector$length)
    for (k in seq_along(vector$places)) x[vector$places[k]] <- args[[vector$arguments[k]]]
    x
  })
  used <- order_of_round(loop)
  rounds <- loop$rounds[1L]
  for (r in if (loop$backwards) rev(seq_len(rounds)) else seq_len(rounds)) {
    known <- list()
    local <- function(k) {
      number <- locals$number[k]
      value <- switch(locals$kind[k] + 1L,
        loop$rounds[2L] + loop$rounds[3L] * (r - 1),
        r,
        carried[[number]],
        if (number > 0L) args[[number]] else NA_real_,
        place_in(args[[number]], known[[locals$place[k]]], locals$skip[k], locals$length[k]),
        place_in(vectors[[number]], known[[locals$place[k]]], 0, locals$length[k])
      )
      storage_as(value, locals$type[k])
    }
    for (id in used) {
      node <- loop$nodes[[id]]
      known[[id]] <- if (node$op == "input") local(node$value) else computed_node(tree, node, known, NULL)
    }
    for (id in loop$codes) if (!isTRUE(known[[id]])) {
      argument_error("in a loop over data, the number of an element that is assigned is none of the vector's, from 1 to its length")
    }
    carried <- lapply(loop$carried$next_node, function(id) known[[id]])
    for (k in seq_along(loop$writes$vector)) {
      place <- trunc(known[[loop$writes$place[k]]])
      v <- loop$writes$vector[k]
      if (is.na(place) || place < 1 || place > length(vectors[[v]])) next
      value <- known[[loop$writes$value[k]]]
      vectors[[v]][place] <- if (loop$writes$adds[k] == 1L) vectors[[v]][place] + value else value
    }
  }
  c(carried, vectors)
}

# The nodes of a round, each behind what it is made of; an element of a vector is behind its place.
order_of_round <- function(loop) {
  place <- loop$locals$place
  seen <- logical(length(loop$nodes))
  order <- integer()
  add <- function(id) {
    if (seen[id]) return(invisible())
    seen[id] <<- TRUE
    node <- loop$nodes[[id]]
    for (arg in if (node$op == "input") place[node$value][place[node$value] > 0L] else node$args) add(arg)
    order <<- c(order, id)
  }
  for (id in c(loop$carried$next_node, loop$writes$place, loop$writes$value, loop$codes)) add(id)
  order
}

storage_as <- function(x, type) switch(type, double = as.double(x), integer = as.integer(x), logical = as.logical(x))

# An element by its number, NA where there is none.
place_in <- function(x, place, skip, length) {
  place <- trunc(place)
  if (is.na(place) || place < 1 || place > length) NA else x[[skip + place]]
}
