// apart -- work on a thread of its own that an interrupted caller leaves: what a driver builds, say, which nothing
// ends.
//
// The work goes on to its end, so that who asks for its result later finds it; it refers to nothing of its caller's.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <thread>

#include "base/interrupted.h"

namespace openclPort {

// On another thread where this is that one, else here.
void start_apart(const std::function<void()>& work);

// While one of these lives, the process ends without waiting for threads and without the ends of libraries that they
// may be using.
class UnderWay {
 public:
  UnderWay();
  ~UnderWay();
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
};
void note_left_behind();  // for what is under way its caller waits no longer
void note_end();  // the process is about to end: what was loaded since must not end before what is under way is left

// What this process does on an interrupt, kept as it is while drivers are loaded and compile: compilers that are
// libraries take Ctrl-C for the end, remove the files that they are at, and so fail, and end the process next time.
// Without effect where this is not the thread that users interrupt.
class OwnInterrupts {
 public:
  OwnInterrupts();
  ~OwnInterrupts();
  OwnInterrupts(const OwnInterrupts&) = delete;
  OwnInterrupts& operator=(const OwnInterrupts&) = delete;
  void restore() const;  // what it was at the beginning

 private:
  struct Action;
  std::unique_ptr<Action> action_;
};

// The result, or Interrupted where the user does not wait for it any more. Work that failed while the user interrupted
// may have failed for that.
template <typename T>
T await(const std::shared_future<T>& result) {
  const auto nap = std::chrono::duration<double>(kInterruptSeconds);
  const OwnInterrupts own;
  for (auto wait = nap / 50; user_listens() && result.wait_for(wait) != std::future_status::ready;) {
    own.restore();
    if (wait < nap) wait *= 2;
    if (!user_interrupts()) continue;
    note_left_behind();
    throw Interrupted();
  }
  try {
    return result.get();
  } catch (...) {
    if (user_listens())
      std::this_thread::sleep_for(1.2 * nap);  // who asks too soon after the last time is told nothing
    if (user_interrupts()) throw Interrupted();
    throw;
  }
}

// What `work` gives; the same in one.
template <typename T>
T run_apart(const std::function<T()>& work) {
  if (!user_listens()) return work();
  const auto promise = std::make_shared<std::promise<T>>();
  const std::shared_future<T> result = promise->get_future().share();
  start_apart([promise, work] {
    try {
      promise->set_value(work());
    } catch (...) {
      promise->set_exception(std::current_exception());
    }
  });
  return await(result);
}

}  // namespace openclPort
