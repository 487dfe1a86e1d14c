// expression_graph -- converts the expression compiler's graphs to R lists.
#pragma once

#include <functional>
#include <vector>

#include "expression/graph.h"
#include "r_door.h"

// Inside r::enter(): lists as R/expression_variants.R describes them; none is protected.
SEXP nodes_for_r(const openclPort::expression::Graph& graph);
SEXP constant_for_r(const openclPort::expression::Constant& value);
SEXP constants_for_r(const std::vector<openclPort::expression::Constant>& values);
// `call(number)`: R's call of that number.
using CallOf = std::function<SEXP(int number)>;
SEXP sites_for_r(const openclPort::expression::Graph& graph, const CallOf& call);
SEXP recycled_for_r(const openclPort::expression::Graph& graph, const CallOf& call);
SEXP singles_for_r(const openclPort::expression::Graph& graph, const CallOf& call);
SEXP assertions_for_r(const openclPort::expression::Graph& graph, const CallOf& call);
SEXP warnings_for_r(const openclPort::expression::Graph& graph, const CallOf& call);
SEXP decisions_for_r(const openclPort::expression::Graph& graph);
SEXP named_for_r(const openclPort::expression::Graph& graph);

const char* type_for_r(openclPort::expression::Type type);

// Of a vector of R; throws where it is none of numbers.
std::vector<openclPort::expression::Constant> constants_of_r(SEXP x);
