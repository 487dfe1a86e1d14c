// expression_key -- what the program of an opencl_function() depends on of its arguments.
#ifndef NMATHOPENCL_EXPRESSION_KEY_H
#define NMATHOPENCL_EXPRESSION_KEY_H

#include "r_door.h"

// The type of each input, the number of columns of a matrix, and the order of their lengths.
struct ExpressionKey {
  static constexpr int most = 64, each = 32;  // inputs, characters of one
  bool plain = false;                         // all are plain vectors of numbers
  int length = 0;
  char text[most * each + 2];  // "" where one has no elements, "many" beyond 64 inputs
};

// Of a list of R's vectors and of vectors that stay on devices. Enters R in no way.
void read_expression_key(SEXP inputs, ExpressionKey& key);

#endif
