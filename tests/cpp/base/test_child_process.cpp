// test_child_process -- other programs: their status, words and environment, and their end with all that they started.
#include "base/child_process.h"

#include <gtest/gtest.h>

#include "base/interrupted.h"
#include "base/shared_object.h"
#include "base/stopwatch.h"

#ifndef _WIN32  // whose programs are others
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <sstream>
#include <string>

using openclPort::ChildProcess;
using openclPort::Interrupted;
using openclPort::read_bytes;
using openclPort::run_child;
using openclPort::Stopwatch;
using openclPort::TemporaryFolder;

namespace {

class Children : public ::testing::Test {
 protected:
  void TearDown() override { openclPort::set_user_interrupt(nullptr); }

  ChildProcess child_of(const std::string& script) const {
    ChildProcess child;
    child.command = {"/bin/sh", "-c", script};
    child.environment = openclPort::own_environment();
    child.output = folder_.file("log");
    return child;
  }
  std::string log() const { return read_bytes(folder_.file("log")); }
  // Whether a process that wrote its number to the log is still there, after a moment. (One that ended and that nobody
  // has asked for its status is not.)
  bool any_left() const {
    usleep(200000);
    std::istringstream numbers(log());
    for (long number; numbers >> number;) {
      FILE* const reported = popen(("ps -o stat= -p " + std::to_string(number)).c_str(), "r");
      char state[16] = "";
      const bool there = std::fgets(state, sizeof state, reported) != nullptr;
      pclose(reported);
      if (there && state[0] != 'Z') return true;
    }
    return false;
  }

  const TemporaryFolder folder_{""};
  std::string problem_;
};

// Itself, what it starts, and what that leaves behind.
constexpr const char* kHanging = "echo $$; sleep 300 & echo $!; (sleep 300 & echo $!); wait";

}  // namespace

TEST_F(Children, give_their_status_and_words) {
  ChildProcess child = child_of("echo \"$1\" '$HOME'; echo more >&2; exit 7");
  child.command.push_back("zero");
  child.command.push_back("a 'b' \"c\" $(d) \\");
  EXPECT_EQ(run_child(child, problem_), 7);
  EXPECT_EQ(log(), "a 'b' \"c\" $(d) \\ $HOME\nmore\n");
  EXPECT_EQ(run_child(child_of("exit 0"), problem_), 0);
  EXPECT_EQ(log(), "");
  EXPECT_EQ(problem_, "");
}

TEST_F(Children, have_the_environment_that_they_are_given_and_nothing_to_read) {
  ChildProcess child = child_of("cat; echo \"$NMATH_ONE\" \"$NMATH_TWO\"");
  child.environment = {{"PATH", "/usr/bin:/bin"}, {"NMATH_ONE", "1 2"}, {"ENV", "/nowhere"}};
  EXPECT_EQ(run_child(child, problem_), 0);
  EXPECT_EQ(log(), "1 2 \n");
}

TEST_F(Children, that_cannot_start_or_were_ended_say_so) {
  ChildProcess child = child_of("");
  child.command = {"/nowhere/cc"};
  EXPECT_LT(run_child(child, problem_), 0);
  EXPECT_NE(problem_.find("cannot be started"), std::string::npos);
  EXPECT_LT(run_child(child_of("kill -9 $$"), problem_), 0);
  EXPECT_NE(problem_.find("signal 9"), std::string::npos);
}

TEST_F(Children, end_with_all_that_they_started_after_their_time) {
  ChildProcess child = child_of(kHanging);
  child.seconds = 0.3;
  Stopwatch watch;
  EXPECT_LT(run_child(child, problem_), 0);
  EXPECT_LT(watch.lap(), 2);
  EXPECT_NE(problem_.find("did not end"), std::string::npos);
  EXPECT_FALSE(any_left());
}

TEST_F(Children, end_with_all_that_they_started_when_the_user_interrupts) {
  int asked = 0;
  openclPort::set_user_interrupt([&] { return ++asked > 3; });
  Stopwatch watch;
  EXPECT_THROW(run_child(child_of(kHanging), problem_), Interrupted);
  EXPECT_LT(watch.lap(), 2);
  EXPECT_FALSE(any_left());
}

TEST_F(Children, leave_nobody_behind_when_they_end_themselves) {
  EXPECT_EQ(run_child(child_of("echo $$; sleep 300 & echo $!; exit 0"), problem_), 0);
  EXPECT_FALSE(any_left());
}

TEST_F(Children, end_with_this_process) {
  const pid_t parent = fork();
  if (parent == 0) {
    run_child(child_of(kHanging), problem_);
    _exit(0);
  }
  usleep(500000);
  EXPECT_FALSE(log().empty());
  kill(parent, SIGKILL);
  EXPECT_FALSE(any_left());
}
#endif
