// unfinished -- a kernel that still runs after its caller was interrupted: nothing can stop it.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace openclPort {

// What the kernel uses lives as long as `holds`, which goes once it has ended. The functions may be called from any
// thread.
struct Unfinished {
  std::string kernel;
  std::function<bool()> begun;  // false: the driver still compiles it, or it waits for its turn
  std::function<bool()> ended;
  std::shared_ptr<void> holds;
};

}  // namespace openclPort
