// result_memory -- R's vectors for results: large ones in memory that is used again, see base/memory_pool.h.
#pragma once

#include "r_door.h"

// A vector of doubles, integers or logicals whose elements are still to be written, not protected. It is an ordinary
// vector for everyone; what is special is where its memory comes from and goes to. options(nmathopencl.recycle = ) says
// how many bytes may wait for the next result; NmathError if it is no number.
SEXP new_result(SEXPTYPE type, R_xlen_t length);

// The same as a matrix.
SEXP new_result(SEXPTYPE type, int rows, int columns);

// What options(nmathopencl.recycle = ) says, asked in each call: a bound that became smaller holds at once.
void apply_recycle_option();

// Large elements of a list that R has not expanded yet (1:1e9) replaced by vectors that are, in a loop that users can
// interrupt; NmathError where there is no memory for one.
void expand_in_chunks(SEXP vectors);

// NmathError, with `what` as its subject, if so many bytes are more than the memory that is available.
void refuse_what_would_swap(std::size_t bytes, const char* what);
