// process_mutex -- all locks of the process, and what a fork does with them.
#include "base/process_mutex.h"

#include <algorithm>
#include <chrono>
#include <vector>

#ifndef _WIN32
#include <unistd.h>
#endif
#if !defined(_WIN32) && !defined(__APPLE__)
#include <pthread.h>
#define NMATH_FORK_HANDLERS 1
#else
#define NMATH_FORK_HANDLERS 0
#endif

namespace openclPort {

namespace {

constexpr std::chrono::seconds kLongestWait{1};

// Never destroyed.
struct Locks {
  std::mutex mutex;  // guards `all` and `held`
  std::vector<ProcessMutex*> all;
  std::vector<ProcessMutex*> held;                          // by a fork under way; has room for all
  std::atomic<std::thread::id> forking{std::thread::id()};  // the thread whose fork holds `mutex`
};

Locks& locks();

#if NMATH_FORK_HANDLERS
void release_all(Locks& known) {
  for (ProcessMutex* const mutex : known.held) mutex->unlock();
  known.held.clear();
  known.forking = std::thread::id();
  known.mutex.unlock();
}

// Which order others take them in is not known: a fork takes all or, where one is not free, none; in the end those that
// are free.
bool take_all(Locks& known, bool at_last) {
  if (!known.mutex.try_lock()) return false;
  known.forking = std::this_thread::get_id();
  for (ProcessMutex* const mutex : known.all) {
    if (mutex->held_by_this_thread()) continue;
    if (mutex->try_lock()) {
      known.held.push_back(mutex);
    } else if (!at_last) {
      release_all(known);
      return false;
    }
  }
  return true;
}

void before_fork() {
  const auto start = std::chrono::steady_clock::now();
  while (!take_all(locks(), false)) {
    if (std::chrono::steady_clock::now() - start >= kLongestWait) {
      take_all(locks(), true);
      return;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void after_fork() {
  if (locks().forking.load() == std::this_thread::get_id()) release_all(locks());
}

std::atomic<long> known_id{0};  // 0: not asked for since the last fork

void begin_child() {
  known_id = 0;
  after_fork();
}

void hear_of_forks() { pthread_atfork(before_fork, after_fork, begin_child); }
#else
void hear_of_forks() {}
#endif

Locks& locks() {
  static Locks* const instance = [] {
    hear_of_forks();
    return new Locks;
  }();
  return *instance;
}

}  // namespace

long process_id() noexcept {
#ifdef _WIN32
  return 1;
#elif !NMATH_FORK_HANDLERS
  return static_cast<long>(getpid());
#else
  long id = known_id.load();
  if (id == 0) {
    locks();
    known_id = id = static_cast<long>(getpid());
  }
  return id;
#endif
}

ProcessMutex::ProcessMutex() {
  Locks& known = locks();
  const std::lock_guard<std::mutex> lock(known.mutex);
  known.all.push_back(this);
  known.held.reserve(known.all.capacity());  // a fork must not fail
}

ProcessMutex::~ProcessMutex() {
  Locks& known = locks();
  const std::lock_guard<std::mutex> lock(known.mutex);
  known.all.erase(std::find(known.all.begin(), known.all.end(), this));
}

}  // namespace openclPort
