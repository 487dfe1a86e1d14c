// interrupted -- the exception that ends a call whose caller asked it to stop. It is no failure, and so no NmathError.
#pragma once

#include <functional>

namespace openclPort {

class Interrupted {};

// Polled on the calling thread between pieces of work; true ends the call, which then throws Interrupted.
using InterruptCheck = std::function<bool()>;

inline void stop_if(const InterruptCheck& interrupted) {
  if (interrupted && interrupted()) throw Interrupted();
}

// What is compiled at a call's first run is waited for in places that know of no call. The embedding program registers
// a check for them, which is asked on the thread that registered it; on other threads nobody interrupts.
void set_user_interrupt(InterruptCheck check);
bool user_listens();     // whether the present thread is the one that registered it
bool user_interrupts();  // what the check says; false on other threads

// Where a wait may be interrupted, and how long one looks away: long enough to cost nothing, short enough for a user.
constexpr double kInterruptSeconds = 0.05;

}  // namespace openclPort
