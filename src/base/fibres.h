// fibres -- functions that run by turns on one thread, each on a stack of its own.
//
// For work-items of a group: each runs until it waits or ends, then the next has its turn. Belongs to one thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace openclPort {

class Fibres {
 public:
  static bool supported();  // by this system

  static constexpr std::size_t kStackBytes = 256 << 10;  // of each, unless more is asked for

  // `most`: of one run, each with so large a stack. Throws std::bad_alloc where there is no memory for their stacks.
  explicit Fibres(std::size_t most, std::size_t stack_bytes = kStackBytes);
  ~Fibres();
  Fibres(const Fibres&) = delete;
  Fibres& operator=(const Fibres&) = delete;

  // body(0) ... body(count - 1), which must not throw. Between two calls of wait() of one of them every other one that
  // has not ended comes to its own wait().
  void run(std::size_t count, const std::function<void(std::size_t)>& body);
  void wait();  // called by a body only

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace openclPort
