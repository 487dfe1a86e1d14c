// interrupted -- the check that the embedding program registered.
#include "base/interrupted.h"

#include <thread>
#include <utility>

namespace openclPort {

namespace {

struct UserInterrupt {
  InterruptCheck check;
  std::thread::id thread;
};

UserInterrupt& user_interrupt() {  // never destroyed
  static UserInterrupt* const instance = new UserInterrupt;
  return *instance;
}

}  // namespace

void set_user_interrupt(InterruptCheck check) { user_interrupt() = {std::move(check), std::this_thread::get_id()}; }

bool user_listens() {
  const UserInterrupt& known = user_interrupt();
  return known.check && known.thread == std::this_thread::get_id();
}

bool user_interrupts() { return user_listens() && user_interrupt().check(); }

}  // namespace openclPort
