// interrupted -- what ends a call whose caller asked it to stop: no failure, and so no NmathError.
#ifndef NMATHOPENCL_INTERRUPTED_H
#define NMATHOPENCL_INTERRUPTED_H

#include <functional>

namespace openclPort {

class Interrupted {};

// Polled on the calling thread between pieces of work; true ends the call, which then throws Interrupted.
using InterruptCheck = std::function<bool()>;

inline void stop_if(const InterruptCheck& interrupted) {
  if (interrupted && interrupted()) throw Interrupted();
}

}  // namespace openclPort

#endif
