// test_apart -- work that an interrupted caller leaves, and its result for who asks later.
#include "base/apart.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#ifdef __GLIBC__
#include <unistd.h>
#endif

using openclPort::Interrupted;
using openclPort::run_apart;

namespace {

class Apart : public ::testing::Test {
 protected:
  void TearDown() override { openclPort::set_user_interrupt(nullptr); }
};

void nap(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

}  // namespace

TEST_F(Apart, without_a_user_work_is_done_here) {
  const std::thread::id here = std::this_thread::get_id();
  EXPECT_TRUE(run_apart<bool>([here] { return std::this_thread::get_id() == here; }));
}

TEST_F(Apart, a_result_and_a_failure_come_back) {
  openclPort::set_user_interrupt([] { return false; });
  EXPECT_EQ(run_apart<int>([] {
              nap(120);
              return 7;
            }),
            7);
  EXPECT_THROW(run_apart<int>([]() -> int { throw std::runtime_error("no"); }), std::runtime_error);
}

#ifndef _WIN32
namespace {

using Handler = void (*)(int);

void of_process(int) {}
void of_program(int) {}
void of_compiler(int) {}

Handler present_handler() {
  const Handler present = std::signal(SIGINT, SIG_IGN);
  std::signal(SIGINT, present);
  return present;
}

}  // namespace

// A compiler's handler ends the process at the second interrupt: it must not be taken for the process' own.
TEST_F(Apart, what_the_process_does_on_an_interrupt_stays) {
  openclPort::set_user_interrupt([] { return false; });
  const Handler before = std::signal(SIGINT, of_process);
  {
    const openclPort::OwnInterrupts own;
    std::signal(SIGINT, of_compiler);
    own.restore();
    EXPECT_EQ(of_process, present_handler());
    std::signal(SIGINT, of_compiler);
  }
  EXPECT_EQ(of_process, present_handler());
  std::signal(SIGINT, of_compiler);  // on a thread that an interrupt left behind, say
  { const openclPort::OwnInterrupts own; }
  EXPECT_EQ(of_process, present_handler());
  std::signal(SIGINT, of_program);  // the process changes its mind
  {
    const openclPort::OwnInterrupts own;
    EXPECT_EQ(of_program, present_handler());
    std::signal(SIGINT, of_compiler);
  }
  EXPECT_EQ(of_program, present_handler());
  std::signal(SIGINT, before);
}
#endif

#ifdef __GLIBC__
TEST_F(Apart, an_interrupt_leaves_the_work_which_goes_on) {
  std::atomic<int> asked{0};
  openclPort::set_user_interrupt([&] { return ++asked > 1; });
  const auto done = std::make_shared<std::atomic<bool>>(false);
  const auto promise = std::make_shared<std::promise<int>>();
  const std::shared_future<int> result = promise->get_future().share();
  const auto begin = std::chrono::steady_clock::now();
  openclPort::start_apart([promise, done] {
    nap(600);
    *done = true;
    promise->set_value(5);
  });
  EXPECT_THROW(openclPort::await(result), Interrupted);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 0.5);
  EXPECT_FALSE(*done);
  openclPort::set_user_interrupt([] { return false; });
  EXPECT_EQ(openclPort::await(result), 5);
  EXPECT_TRUE(*done);
}

TEST_F(Apart, a_process_ends_with_its_own_status_while_something_is_under_way) {
  EXPECT_EXIT(
      {
        int asked = 0;
        openclPort::set_user_interrupt([&] { return ++asked > 1; });
        try {
          run_apart<int>([] {
            nap(60000);
            return 0;
          });
        } catch (const Interrupted&) {
        }
        std::exit(3);
      },
      ::testing::ExitedWithCode(3), "");
}

// What a driver's compiler does at the process' end, that was loaded after its caller had left.
TEST_F(Apart, a_process_ends_before_what_was_loaded_later) {
  EXPECT_EXIT(
      {
        const openclPort::UnderWay counted;
        openclPort::note_left_behind();
        std::atexit([] { nap(60000); });
        openclPort::note_end();
        std::exit(4);
      },
      ::testing::ExitedWithCode(4), "");
}

TEST_F(Apart, a_process_ends_while_a_thread_reads_from_a_stream_and_what_it_wrote_is_there) {
  const std::string file = ::testing::TempDir() + "nmathopencl_apart.txt";
  EXPECT_EXIT(
      {
        std::FILE* const written = std::fopen(file.c_str(), "w");
        std::fputs("whole", written);
        const openclPort::UnderWay counted;
        openclPort::note_left_behind();
        std::thread([] {
          int ends[2];
          if (pipe(ends) == 0) std::fgetc(fdopen(ends[0], "r"));
        }).detach();
        nap(100);
        std::exit(5);
      },
      ::testing::ExitedWithCode(5), "");
  std::ifstream read(file);
  std::string text;
  read >> text;
  EXPECT_EQ(text, "whole");
  std::remove(file.c_str());
}

TEST_F(Apart, other_threads_are_not_interrupted) {
  openclPort::set_user_interrupt([] { return true; });
  int value = 0;
  std::thread([&] {
    value = run_apart<int>([] {
      nap(120);
      return 3;
    });
  }).join();
  EXPECT_EQ(value, 3);
}
#endif
