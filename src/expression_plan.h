// expression_plan -- what the expression compiler gives, as lists for R.
#ifndef NMATHOPENCL_EXPRESSION_PLAN_DOOR_H
#define NMATHOPENCL_EXPRESSION_PLAN_DOOR_H

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

// Inside r::enter(). `sites`: those of the graph, for R.
SEXP slope_for_r(const openclPort::expression::Slope& slope);
SEXP kernel_for_r(const openclPort::expression::KernelText& text, const openclPort::expression::KernelPlan& plan,
                  bool reduces, SEXP sites);  // list(text, plan, widths)
// list(root, type, slopes, stages, named, input_types, input_lengths). `tree`: the environment that has the graph for
// R.
SEXP staged_for_r(const openclPort::expression::Staged& staged, const openclPort::expression::Graph& graph, SEXP tree);

#endif
