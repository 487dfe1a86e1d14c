// counts -- what kernels compute of whole numbers once: of a column of data, which often holds counts, a function that
// costs something has its values for 0, 1, ..., 255 in a table in a GPU's local memory, which each group fills for its
// block of a reduction. An element that is none of these numbers is computed where it stands.
//
// Only in the assume_no_nan form of a reduction, where nothing is told of single elements but what the sum tells.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expression/node_text.h"
#include "expression/writer.h"

namespace openclPort::expression {

// Of all nodes below `ids`, which are in no table themselves but where they are such a function: finds those that are.
void find_counts(Writer& w, const std::vector<int>& ids);

// Declares a function that has a table and gives the name of its value; nothing where it has none.
std::optional<std::string> counted_text(const NodeUse& use);

// The log of a mass whose part that depends on the count and on what is the same for all elements has a table; nothing
// where there is no such form of it.
std::optional<std::string> weighted_text(const NodeUse& use);

// Declares the tables and fills them.
Lines count_tables(const Writer& w);

}  // namespace openclPort::expression
