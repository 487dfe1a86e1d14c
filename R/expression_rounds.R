# Loops over data: launches of their own (src/expression/recursion.h), and how R computes them where nothing is compiled.

# One launch of a loop. Gives the inputs that it defines, or NULL where R has to compute all: it met something that R warns of, stops at,
# or does otherwise.
run_rounds <- function(stage, tree, inputs, device, keep = FALSE) {
  nodes <- lapply(stage$columns, function(id) node_of(tree, id))
  # What lies on the loop's device stays there.
  vectors <- vector("list", length(stage$columns))
  for (k in seq_along(vectors)) {
    node <- nodes[[k]]
    given <- if (node$op == "const") node$value else inputs[[node$value]]
    if (keep && is_resident(given)) {
      vectors[[k]] <- resident_fields(given)$pointer
      next
    }
    x <- in_r(given)
    vectors[[k]] <- if (typeof(x) == node$type) x else storage_as(x, node$type)
  }
  whole <- vapply(stage$scalars, function(id) type_of(tree, id) != "double", NA)
  scalars <- vapply(stage$scalars, function(id) {
    node <- node_of(tree, id)
    as.double(if (node$op == "const") node$value else in_r(inputs[[node$value]]))
  }, 0)
  series <- lapply(stage$series, function(k) if (keep && is_resident(inputs[[k]])) resident_fields(inputs[[k]])$pointer else in_r(inputs[[k]]))
  rounds_run_cpp(stage$handle, vectors, scalars, as.integer(whole), series, stage$numbers, stage$sizes, stage$items, device, keep)
}

# The inputs that a loop defines, of what its kernel left.
rounds_results <- function(stage, tree, values) {
  lapply(seq_along(stage$inputs), function(k) {
    part <- stage$parts[k]
    if (part > stage$carried) {
      made <- values[[part - stage$carried + 1L]]
      return(if (typeof(made) == "externalptr") new_resident(made, "double", stage$sizes[part - stage$carried + 1L]) else made)
    }
    value <- values[[1L]][part * stage$items + seq_len(stage$items)]
    switch(stage$of[[k]]$type, integer = as.integer(value), logical = as.logical(value), value)
  })
}

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
  for (id in c(loop$carried$next_node, loop$writes$place, loop$writes$value)) add(id)
  order
}

storage_as <- function(x, type) switch(type, double = as.double(x), integer = as.integer(x), logical = as.logical(x))

# An element by its number, NA where there is none.
place_in <- function(x, place, skip, length) {
  place <- trunc(place)
  if (is.na(place) || place < 1 || place > length) NA else x[[skip + place]]
}

# The device of a loop over data: it is one work-item's work, or that of a few, which a GPU takes long for.
rounds_device <- function(device, items = 1) {
  if (length(device) > 1L) device <- device[1L]
  if (identical(device, "host")) return("host")
  if (items >= 64) return(device)
  known <- expression_state$gpus[[device]]
  if (is.null(known)) {
    devices <- opencl_devices()
    index <- tryCatch(device_index_cpp(device), error = function(e) 0L)
    known <- if (is.numeric(index)) index == 0L || identical(devices$type[match(index, devices$index)], "gpu") else FALSE
    expression_state$gpus[[device]] <- known
  }
  if (known && host_compiles()) "host" else device
}
