// c_expression -- runs an expression in C over columns of doubles, as one elementwise kernel.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/fused.h"

namespace openclPort {

// Not thread-safe; the kernels are.
class CExpression {
 public:
  // `arguments`: names with commas between; `text`: of them, with functions of nmath. Throws NmathError.
  CExpression(const std::string& arguments, const std::string& text);

  std::size_t arguments() const { return names_.size(); }

  // The kernel that takes those arguments for which `scalar` is set by value, and of all others a column.
  FusedKernel& kernel(const std::vector<bool>& scalar);

 private:
  std::string program(const std::vector<bool>& scalar) const;

  std::vector<std::string> names_;
  std::string text_;
  Cost cost_;
  std::map<std::vector<bool>, std::unique_ptr<FusedKernel>> kernels_;
};

}  // namespace openclPort
