// program -- a set of kernels that a device can run, built from a text or part of the package.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/text.h"
#include "device/launch.h"
#include "loader/kernel_signature.h"

namespace openclPort {

using ProgramText = std::function<std::string()>;

// A program of the package, which every device knows by its name, or, without a name, a text of the user's.
struct ProgramSource {
  std::string name;     // "src/dnorm_kernel.cl", "ex_glmbayes_src/f2_f3_poisson.cl|lanes"
  ProgramText text;     // asked for only where the program is not yet there
  std::string options;  // of the compiler
  // That a GPU's compiler may give a work-item at most, where it can be told: more work-items wait for each other's
  // divisions and tables then. 0: as many as it likes.
  int registers = 0;
  bool written = false;  // by the package, though it has no name

  bool of_package() const { return written || !name.empty(); }  // what it calls is known
};

inline ProgramSource user_source(const std::string& text, const std::string& options = std::string()) {
  return {"", [text] { return without_byte_order_marks(text); }, options};
}

// A text that the package wrote for a user's expression.
inline ProgramSource written_source(ProgramText text, const std::string& options = std::string()) {
  return {"", std::move(text), options, 0, true};
}

class Program {
 public:
  virtual ~Program() = default;
  virtual std::unique_ptr<Launch> launch(const std::string& kernel) const = 0;  // throws for a kernel that is not there
  virtual KernelInfo kernel_info(const std::string& kernel) const = 0;
  virtual KernelSignature signature(const std::string& kernel) const = 0;
};

using SharedProgram = std::shared_ptr<const Program>;

}  // namespace openclPort
