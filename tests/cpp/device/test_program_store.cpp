// test_program_store -- a program is built once, by whoever asks first, in each process that needs it.
#include "device/program_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

using openclPort::ProgramStore;
using openclPort::RunReport;

namespace {

void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

}  // namespace

TEST(ProgramStore, builds_once_and_tells_of_it) {
  ProgramStore<int> store;
  RunReport report;
  int builds = 0;
  const auto build = [&](bool&) { return ++builds; };
  EXPECT_EQ(1, store.get("a", true, &report, build));
  EXPECT_EQ(1, store.get("a", true, &report, build));
  EXPECT_EQ(2, store.get("b", false, &report, build));
  EXPECT_EQ(2, report.built);
  EXPECT_EQ(1, report.cache_hits);
}

TEST(ProgramStore, a_failure_is_tried_again) {
  ProgramStore<int> store;
  EXPECT_THROW(store.get("a", true, nullptr, [](bool&) -> int { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(3, store.get("a", true, nullptr, [](bool&) { return 3; }));
}

#if !defined(_WIN32) && !defined(__APPLE__) && !defined(__SANITIZE_THREAD__)  // which does not follow such a fork
TEST(ProgramStore, a_forked_child_builds_what_its_parent_is_at) {
  ProgramStore<int> store;
  std::atomic<bool> begun{false}, stop{false};
  std::thread builder([&] {
    store.get("a", true, nullptr, [&](bool&) {
      begun = true;
      while (!stop) nap();
      return 1;
    });
  });
  while (!begun) nap();
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    const int value = store.get("a", true, nullptr, [](bool&) { return 2; });
    _exit(value == 2 && store.get("a", true, nullptr, [](bool&) { return 3; }) == 2 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  stop = true;
  builder.join();
  EXPECT_EQ(1, store.get("a", true, nullptr, [](bool&) { return 4; }));  // what was built before a fork stays
}
#endif
