// unused -- leaves out of a translation the functions that no kernel calls.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace openclPort::pair {

// A function's definition, from byte `begin` of the text on.
struct FunctionText {
  std::string_view name;
  std::size_t begin, end;
  bool is_kernel;
};

// `functions` in the order of the text. A text without kernels stays as it is.
std::string without_unused(const std::string& text, const std::vector<FunctionText>& functions);

}  // namespace openclPort::pair
