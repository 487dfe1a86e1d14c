// dependence -- what a function has no derivative for, told when it is made: before anything is known of the types and
// lengths of its arguments.
#pragma once

#include <string>
#include <vector>

#include "expression/syntax.h"

namespace openclPort::expression {

// Throws NmathError where a call that is made in any case has no rule for an argument that depends on those of
// `gradient`; `twice`: or none for the second derivatives.
void check_derivatives(const Function& function, const std::vector<std::string>& gradient, bool twice = false);

}  // namespace openclPort::expression
