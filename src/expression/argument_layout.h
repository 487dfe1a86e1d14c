// argument_layout -- what a kernel assumes of its inputs: their types, which lengths are one, and how the others
// compare.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace openclPort::expression {

// Of an input. `type`: 'd', 'i' or 'l' as R's types begin; 0: no plain vector of numbers.
struct InputFacts {
  char type = 0;
  std::int64_t length = 0;
  std::int64_t rows = -1, columns = -1;  // of a matrix
};

// Inputs with one key share a kernel. "" where one has no elements.
std::string layout_key(const std::vector<InputFacts>& facts);

// Whether elements of such inputs need 64 bits.
bool is_wide(const std::vector<InputFacts>& facts);

// The lengths that a kernel may depend on: those of the inputs, then rows, then columns; -1 of what is no matrix.
std::vector<double> layout_measures(const std::vector<InputFacts>& facts);

}  // namespace openclPort::expression
