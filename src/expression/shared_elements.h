// shared_elements -- vectors of elements that are left by one launch, because they have in common what takes long.
#ifndef NMATHOPENCL_EXPRESSION_SHARED_ELEMENTS_H
#define NMATHOPENCL_EXPRESSION_SHARED_ELEMENTS_H

#include <vector>

#include "expression/graph.h"

namespace openclPort {
namespace expression {

// Whether one launch is to leave the elements of node `id` as well as those of `nodes`: they are as many, and call a
// function of the library, or another that takes long, that the first of `nodes` calls, too.
bool share_long_parts(const Graph& graph, const std::vector<int>& nodes, int id);

}  // namespace expression
}  // namespace openclPort

#endif
