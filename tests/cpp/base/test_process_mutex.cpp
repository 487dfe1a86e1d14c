// test_process_mutex -- locks and forks: a child finds them free, and what they guard whole.
#include "base/process_mutex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#if !defined(_WIN32) && !defined(__APPLE__) && !defined(__SANITIZE_THREAD__)  // which does not follow such a fork
#include <sys/wait.h>
#include <unistd.h>

using openclPort::ProcessMutex;
using Lock = std::lock_guard<ProcessMutex>;

namespace {

// What a child that does this ends with; -1 if it did not end within ten seconds.
template <typename Body>
int in_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST(ProcessMutex, children_find_it_free_and_its_data_whole) {
  ProcessMutex outer, inner;
  long first = 0, second = 0;  // the same, under both locks
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      const Lock around(outer);
      const Lock within(inner);
      ++first;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      ++second;
    }
  });
  int ended_with = 0;
  for (int k = 0; k < 50 && ended_with == 0; ++k)
    ended_with = in_child([&] {
      const Lock within(inner);  // in the other order, too
      const Lock around(outer);
      return first == second ? 0 : 1;
    });
  EXPECT_EQ(0, ended_with);
  stop = true;
  busy.join();
  // And the parent has them back.
  EXPECT_TRUE(outer.try_lock());
  outer.unlock();
}

TEST(ProcessMutex, the_forking_threads_own_locks_stay_its_own) {
  ProcessMutex mine;
  std::unique_lock<ProcessMutex> lock(mine);
  const auto start = std::chrono::steady_clock::now();
  const auto use = [&] {
    if (!mine.held_by_this_thread()) return 1;
    lock.unlock();
    if (mine.held_by_this_thread() || !mine.try_lock()) return 2;
    mine.unlock();
    return 0;
  };
  EXPECT_EQ(0, in_child(use));
  EXPECT_EQ(0, use());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(900));  // nobody waited
}

TEST(ProcessMutex, a_fork_waits_a_second_at_most) {
  ProcessMutex taken, another;
  std::atomic<bool> held{false}, stop{false};
  std::thread holder([&] {
    const Lock lock(taken);
    held = true;
    while (!stop) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  while (!held) std::this_thread::yield();
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(0, in_child([&] {
              if (taken.try_lock()) return 1;
              const Lock lock(another);
              ProcessMutex fresh;
              return fresh.try_lock() ? 0 : 2;
            }));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  stop = true;
  holder.join();
}

TEST(ProcessMutex, threads_may_fork_at_once) {
  ProcessMutex shared;
  std::atomic<int> failed{0};
  const auto forks = [&] {
    for (int k = 0; k < 20; ++k)
      failed += in_child([&] {
                  const Lock lock(shared);
                  ProcessMutex fresh;
                  return fresh.try_lock() ? 0 : 1;
                }) != 0;
  };
  std::thread beside(forks);
  forks();
  beside.join();
  EXPECT_EQ(0, failed);
  EXPECT_TRUE(shared.try_lock());
  shared.unlock();
}

TEST(ProcessMutex, every_process_knows_its_own_number) {
  EXPECT_EQ(static_cast<long>(getpid()), openclPort::process_id());
  EXPECT_EQ(0, in_child([] {
              if (openclPort::process_id() != static_cast<long>(getpid())) return 1;
              return in_child([] { return openclPort::process_id() == static_cast<long>(getpid()) ? 0 : 2; });
            }));
  EXPECT_EQ(static_cast<long>(getpid()), openclPort::process_id());
}

TEST(ProcessMutex, one_that_is_gone_is_not_asked) {
  auto brief = std::make_unique<ProcessMutex>();
  ProcessMutex stays;
  brief.reset();
  EXPECT_EQ(0, in_child([&] { return stays.try_lock() ? 0 : 1; }));
}
#endif
