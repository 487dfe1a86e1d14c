// expression_key -- the argument layout of a call of an opencl_function().
#pragma once

#include <string>

#include "r_door.h"

// All that a program may assume of its inputs' shapes: the type of each, which are matrices, and the order of all
// lengths, numbers of rows and numbers of columns, with which of them are equal and which are 1.
struct ExpressionKey {
  bool plain = false;  // all are plain vectors of numbers
  std::string text;    // "" where one has no elements
};

// Of a list of R's vectors and of resident ones. Calls no function of R.
ExpressionKey read_expression_key(SEXP inputs);

// A length that a program depends on: of n inputs, measures 1 to n are their lengths, the next n the rows of those that
// are matrices, the last n their columns.
double expression_measure(SEXP inputs, int measure);
