// shared_elements -- vectors of elements that are left by one launch, because they have in common what takes long.
#ifndef NMATHOPENCL_EXPRESSION_SHARED_ELEMENTS_H
#define NMATHOPENCL_EXPRESSION_SHARED_ELEMENTS_H

#include <vector>

#include "expression/stages.h"

namespace openclPort {
namespace expression {

// A launch of elements that calls a function which node `id` has as well, for as many elements; null: none.
Stage* launch_sharing(const Graph& graph, std::vector<Stage>& launches, int id);

}  // namespace expression
}  // namespace openclPort

#endif
