// point_names -- which names lines of C declare and read.
#pragma once

#include <string>
#include <vector>

#include "expression/writer.h"

namespace openclPort::expression {

// What a line declares: "const double v1 = ...", "int over_v2 = 0;", "EXPR_FORM(dgamma_fixed, f7, ...)".
struct Declared {
  std::string type, name;
};

// Both empty where it declares nothing of a type that can be handed on.
Declared declared_by(const std::string& line);
bool uses(const Lines& lines, const std::string& name);
// What `lines` declare and `users` read.
std::vector<Declared> handed_on(const Lines& lines, const Lines& users);

}  // namespace openclPort::expression
