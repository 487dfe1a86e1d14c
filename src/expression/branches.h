// branches -- branches of a choice that a kernel computes only where they are taken: what costs something, and has a
// use nowhere else.
//
// Only where no part is asked whether it is NA (the assume_no_nan form of a reduction), and only parts that warn of
// nothing: R computes both branches, and warns of both.
#pragma once

#include <vector>

#include "expression/node_text.h"
#include "expression/writer.h"

namespace openclPort::expression {

// Of the nodes `ids`, in ascending order; `stay` are no part of a branch. Sets what the writer knows of branches.
void find_branches(Writer& w, const std::vector<int>& ids, const std::vector<int>& stay);

// Declares a choice that has branches; false where it has none.
bool write_branches(const NodeUse& use);

}  // namespace openclPort::expression
