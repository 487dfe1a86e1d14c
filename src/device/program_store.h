// program_store -- programs that were built in this process: each once, users' texts while there is room.
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/process_mutex.h"
#include "base/report.h"
#include "base/stopwatch.h"

namespace openclPort {

// How many programs of users' texts each device keeps, the least recently used leave first; what uses one keeps it
// alive.
constexpr int kDefaultUserPrograms = 64;
void set_user_programs(int most);
std::size_t user_programs();

// Thread-safe: who asks for what is being built waits for it. T is copied, shared ownership say.
template <typename T>
class ProgramStore {
 public:
  // `build(from_disk)` is called for a key that is not there. A failure throws in all who wait, and is tried again next
  // time. `own`: the library's, which stays.
  template <typename Build>
  T get(const std::string& key, bool own, RunReport* report, const Build& build) {
    std::promise<T> promise;
    std::shared_future<T> known;
    {
      const std::lock_guard<ProcessMutex> lock(mutex_);
      auto found = programs_.find(key);
      if (found != programs_.end() && found->second.abandoned()) {
        programs_.erase(found);
        found = programs_.end();
      }
      if (found != programs_.end()) {
        known = found->second.program;
        found->second.used = ++uses_;
        found->second.own = found->second.own || own;
      } else {
        programs_.emplace(key, Kept{promise.get_future().share(), ++uses_, own, process_id()});
        if (!own) drop_oldest();
      }
    }
    if (known.valid()) {
      T program = known.get();
      if (report != nullptr) ++report->cache_hits;
      return program;
    }
    try {
      Stopwatch watch;
      bool from_disk = false;
      T program = build(from_disk);
      note(report, from_disk, watch.lap());
      promise.set_value(program);
      return program;
    } catch (...) {
      {
        const std::lock_guard<ProcessMutex> lock(mutex_);
        programs_.erase(key);
      }
      promise.set_exception(std::current_exception());
      throw;
    }
  }

 private:
  struct Kept {
    std::shared_future<T> program;
    std::uint64_t used;  // when, in uses of programs
    bool own;
    long process;  // that builds it

    bool ready() const { return program.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
    // Of a process that was forked meanwhile: the thread that builds it is its parent's.
    bool abandoned() const { return process != process_id() && !ready(); }
  };

  static void note(RunReport* report, bool from_disk, double seconds) {
    if (report == nullptr) return;
    report->cache_hits += from_disk;
    report->disk_hits += from_disk;
    report->built += !from_disk;
    report->build += seconds;
  }

  // Of users' programs beyond the limit, the one that was not used for longest. One that is being built has just been
  // asked for.
  void drop_oldest() {
    std::size_t users = 0;
    auto oldest = programs_.end();
    for (auto entry = programs_.begin(); entry != programs_.end(); ++entry) {
      if (entry->second.own) continue;
      ++users;
      if (entry->second.ready() && (oldest == programs_.end() || entry->second.used < oldest->second.used))
        oldest = entry;
    }
    if (users > user_programs() && oldest != programs_.end()) programs_.erase(oldest);
  }

  ProcessMutex mutex_;
  std::unordered_map<std::string, Kept> programs_;
  std::uint64_t uses_ = 0;
};

}  // namespace openclPort
