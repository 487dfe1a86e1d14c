// literals -- numbers in the text of a kernel. None is written through the locale, whose decimal point may be a comma.
#pragma once

#include <string>
#include <vector>

#include "expression/writer.h"

namespace openclPort::expression {

std::string c_constant(const Constant& value);
std::string double_bits(double value);

// The text of a constant where it is used. Compilers compute functions of constants when they compile, PoCL's some of
// them wrongly outside their range: a conversion of what is no int leaves the result undefined, and the kernel then
// stores nothing. So what is far out, missing, or an argument of a call of constants alone comes as a value that the
// compiler does not know.
std::string constant_text(Writer& w, int id, const Constant& value);

// Calls of constants alone: R computes them, if that gives a number and can warn of nothing (`folded`); the constants
// in the others are `opaque`.
void note_constant_nodes(Writer& w, const std::vector<int>& outputs);

}  // namespace openclPort::expression
