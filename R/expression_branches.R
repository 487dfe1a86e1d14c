# Branches of a choice that a kernel computes only where they are taken: what costs something, and has a use nowhere else.
#
# Only where no part is asked whether it is NA (the hopeful form of a reduction), and only parts that warn of nothing: R computes
# both branches, and warns of both.

# By node, the block that it is computed in: 0, or a number of `blocks`, list(select, way, parent).
find_branches <- function(w, ids, outputs) {
  place <- integer(length(w$tree$nodes))
  blocks <- list()
  numbers <- new.env(parent = emptyenv())
  warns <- vapply(w$tree$sites, function(site) as.integer(site$node), 0L)
  users <- vector("list", length(w$tree$nodes)) # blocks that a node's users want it in
  block_of <- function(select, way) {
    key <- paste(select, way)
    if (is.null(numbers[[key]])) {
      blocks[[length(blocks) + 1L]] <<- list(select = select, way = way, parent = place[select])
      numbers[[key]] <- length(blocks)
    }
    numbers[[key]]
  }
  depth <- function(b) {
    d <- 0L
    while (b > 0L) {
      b <- blocks[[b]]$parent
      d <- d + 1L
    }
    d
  }
  common <- function(a, b) {
    while (a != b) if (depth(a) >= depth(b)) a <- blocks[[a]]$parent else b <- blocks[[b]]$parent
    a
  }
  stays <- c(unlist(outputs), warns, w$tree$tests)
  for (id in rev(ids)) {
    node <- node_of(w$tree, id)
    movable <- node$len == w$n && w$n > 1 && !id %in% stays && !node$op %in% c("product", "draw", "input", "column", "const", "c_text")
    wanted <- unique(users[[id]])
    place[id] <- if (movable && length(wanted) > 0L) Reduce(common, wanted) else 0L
    for (k in seq_along(node$args)) {
      arg <- node$args[k]
      whole <- node$op == "select" && node$type == "double" && k > 1L && node$len == w$n && len_of(w$tree, node$args[1L]) == w$n && sum(node$args == arg) == 1L
      users[[arg]] <- c(users[[arg]], if (whole) block_of(id, k - 1L) else place[id])
    }
  }
  dear <- vapply(seq_along(blocks), function(b) {
    any(vapply(which(place == b), function(id) {
      node <- node_of(w$tree, id)
      node$op %in% c("library", "log", "log_base") || (node$op == "elementary" && !node$value %in% c("sqrt", "floor", "ceiling"))
    }, NA))
  }, NA)
  for (b in rev(seq_along(blocks))) { # inner blocks first: what holds one that is dear is dear
    if (dear[b] && blocks[[b]]$parent > 0L) dear[blocks[[b]]$parent] <- TRUE
  }
  for (b in rev(seq_along(blocks))) {
    if (dear[b]) next
    place[place == b] <- blocks[[b]]$parent
    for (inner in seq_along(blocks)) if (blocks[[inner]]$parent == b) blocks[[inner]]$parent <- blocks[[b]]$parent
  }
  w$branch_of <- place
  w$branches <- lapply(seq_along(blocks), function(b) if (dear[b]) blocks[[b]])
}

in_branch <- function(w, id) w$hopeful && id <= length(w$branch_of) && w$branch_of[id] > 0L

# The number of the block that a choice computes one of its two branches in, or 0.
branch_number <- function(w, id, way) {
  for (b in seq_along(w$branches)) {
    block <- w$branches[[b]]
    if (!is.null(block) && block$select == id && block$way == way) return(b)
  }
  0L
}

# Declares a choice that has blocks; FALSE where it has none.
branched_text <- function(w, id, node, at, name) {
  numbers <- c(branch_number(w, id, 1L), branch_number(w, id, 2L))
  if (is_scalar_index(at) || all(numbers == 0L)) return(FALSE)
  test <- value_at(w, node$args[1L], at)
  for (k in 1:2) if (numbers[k] == 0L) value_at(w, node$args[k + 1L], at)
  branch <- function(k) {
    if (numbers[k] > 0L) for (inner in which(w$branch_of == numbers[k])) value_at(w, inner, at)
    emit(w, at, "    ", name, " = ", value_at(w, node$args[k + 1L], at), ";")
  }
  emit(w, at, "double ", name, " = NMATH_NA_REAL;")
  emit(w, at, "if (", test, " == 1) {")
  branch(1L)
  emit(w, at, "} else if (", test, " == 0) {")
  branch(2L)
  emit(w, at, "}")
  TRUE
}
