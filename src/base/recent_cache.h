// recent_cache -- a recent-use cache: the last few results of costly computations, by their keys.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>

#include "base/process_mutex.h"

namespace openclPort {

// Of any thread. Two that ask for the same at once may both make it.
template <class Key, class Value>
class RecentCache {
 public:
  explicit RecentCache(std::size_t most) : most_(most) {}

  template <class Make>
  Value get(const Key& key, Make make) {
    {
      const std::lock_guard<ProcessMutex> lock(mutex_);
      for (const auto& [made_for, value] : kept_)
        if (made_for == key) return value;
    }
    Value value = make();
    const std::lock_guard<ProcessMutex> lock(mutex_);
    kept_.emplace_front(key, value);
    if (kept_.size() > most_) kept_.pop_back();
    return value;
  }

 private:
  const std::size_t most_;
  ProcessMutex mutex_;
  std::deque<std::pair<Key, Value>> kept_;
};

}  // namespace openclPort
