// flag_rules -- which bits of a kernel's flags say nothing of a call by themselves.
//
// A bit of a test only says that some element of ifelse() goes this way. What R would warn of in a branch counts only
// where the branch is taken: its bit says something together with those of the tests that it stands behind.
#pragma once

#include <vector>

#include "expression/writer.h"

namespace openclPort::expression {

// As FusedSpec::flag_rules has them.
std::vector<int> flag_rules(const Writer& w);

}  // namespace openclPort::expression
