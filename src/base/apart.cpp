// apart -- threads that may be left, and the end of a process that has some.
#include "base/apart.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#ifdef __GLIBC__
#include <dlfcn.h>
#include <unistd.h>
#endif

#include "base/program_cache.h"

namespace openclPort {

namespace {

std::atomic<int> under_way{0};

#ifdef __GLIBC__
// Comes before the ends of all that was loaded earlier: a compiler that is at work would find its own tables gone.
void leave_at_once(int status, void*) {
  if (under_way.load() == 0) return;
  fcloseall();  // as exit() does: fflush() would wait for a stream that a thread is reading from
  std::quick_exit(status);
}

// A thread runs this library's code: it stays, whoever unloads it.
void stay_for_threads() {
  Dl_info here;
  if (dladdr(reinterpret_cast<void*>(&leave_at_once), &here) != 0 && here.dli_fname != nullptr)
    dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}
#endif

}  // namespace

#ifndef _WIN32
struct OwnInterrupts::Action {
  struct sigaction now;
};

namespace {

// Of the thread that users interrupt.
struct KnownHandlers {
  bool any = false;
  struct sigaction own;                     // this process' last one
  std::vector<void (*)(int)> of_compilers;  // those that came while a compiler was at work
};

KnownHandlers& known_handlers() {
  static KnownHandlers* const instance = new KnownHandlers;
  return *instance;
}

bool is_of_compiler(void (*handler)(int)) {
  const std::vector<void (*)(int)>& known = known_handlers().of_compilers;
  return std::find(known.begin(), known.end(), handler) != known.end();
}

}  // namespace

// One that a compiler left behind is not taken for this process' own: it ends the process at the second interrupt.
OwnInterrupts::OwnInterrupts() {
  auto action = std::make_unique<Action>();
  if (!user_listens() || sigaction(SIGINT, nullptr, &action->now) != 0) return;
  KnownHandlers& known = known_handlers();
  if (!known.any || (under_way.load() == 0 && !is_of_compiler(action->now.sa_handler))) {
    known.own = action->now;
    known.any = true;
  }
  action->now = known.own;
  action_ = std::move(action);
  restore();
}

void OwnInterrupts::restore() const {
  struct sigaction present;
  if (action_ == nullptr || sigaction(SIGINT, nullptr, &present) != 0) return;
  if (present.sa_handler == action_->now.sa_handler) return;
  if (!is_of_compiler(present.sa_handler)) known_handlers().of_compilers.push_back(present.sa_handler);
  sigaction(SIGINT, &action_->now, nullptr);
}
#else
struct OwnInterrupts::Action {};
OwnInterrupts::OwnInterrupts() = default;
void OwnInterrupts::restore() const {}
#endif
OwnInterrupts::~OwnInterrupts() { restore(); }

UnderWay::UnderWay() { ++under_way; }
UnderWay::~UnderWay() { --under_way; }

// Asked for anew each time: what was loaded, or first used, since the last time has an end of its own by now.
void note_left_behind() {
#ifdef __GLIBC__
  stay_for_threads();
  on_exit(leave_at_once, nullptr);
#endif
}

void note_end() {
  if (under_way.load() > 0) note_left_behind();
}

// Threads of other systems may have small stacks, and what there is under way at a process' end is less known.
void start_apart(const std::function<void()>& work) {
#ifdef __GLIBC__
  if (user_listens()) {
    program_cache_folder();  // where programs are kept now: whoever knows is asked on this thread alone
    try {
      std::thread([work] {
        const UnderWay counted;
        work();
      }).detach();
      return;
    } catch (const std::exception&) {  // the system has no more threads
    }
  }
#endif
  work();
}

}  // namespace openclPort
