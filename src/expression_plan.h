// expression_plan -- converts the results of the expression compiler to R lists.
#pragma once

#include "expression/stages.h"
#include "r_door.h"

// Inside r::enter(). A list with an element for each of `items`.
template <typename Items, typename Make>
SEXP list_of(const Items& items, const Make& make) {
  SEXP const list = PROTECT(Rf_allocVector(VECSXP, static_cast<R_xlen_t>(items.size())));
  R_xlen_t k = 0;
  for (const auto& item : items) SET_VECTOR_ELT(list, k++, make(item));
  UNPROTECT(1);
  return list;
}

SEXP slope_for_r(const openclPort::expression::Slope& slope);  // inside r::enter()
// What R knows of a kernel. Inside r::enter(). `sites`: those of the graph, for R.
SEXP text_for_r(const openclPort::expression::KernelText& text, SEXP sites);
// The kernel behind a handle. Outside r::enter(), as what follows. `as_gpu`: it computes as GPUs do.
SEXP kernel_handle(const openclPort::expression::KernelText& text, const openclPort::expression::KernelPlan& plan,
                   bool as_gpu);
// list(root, type, slopes, curves, diagonal, stages, named, input_types, input_lengths, compiled). `tree`: the
// environment that has the graph for R; `curves`: of each direction, slope, node; `compiled`: what staged_plan_cpp()
// takes.
SEXP staged_for_r(openclPort::expression::Staged staged, openclPort::expression::Graph graph, SEXP tree, bool as_gpu);
