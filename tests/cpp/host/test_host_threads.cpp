// test_host_threads -- the host device called by many threads at once, inside OpenMP regions, in forked children.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "base/nmath_error.h"
#include "base/work_threads.h"
#include "engine/elementwise.h"
#include "glm/ex_glmbayes_opencl.h"
#include "host_test.h"
#include "sanitizers.h"

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

using namespace openclPort;

namespace {

constexpr std::size_t kElements = 100000;  // several blocks
constexpr double kLogSqrt2Pi = 0.91893853320467274178;

// The number of wrong elements of one call of dnorm's logarithm, whose value is known in closed form.
std::size_t wrong_elements(double mean, RunReport* reported = nullptr) {
  std::vector<double> x(kElements), out(kElements, -1.0);
  for (std::size_t i = 0; i < kElements; ++i) x[i] = 1e-3 * static_cast<double>(i);
  const double sd = 1.0;
  const int log = 1;
  RunReport report;
  run_on_host(find_kernel_spec("dnorm"),
              {{x.data(), kElements, Column::Type::f64},
               {&mean, 1, Column::Type::f64},
               {&sd, 1, Column::Type::f64},
               {&log, 1, Column::Type::i32}},
              kElements, out.data(), report, {});
  if (reported != nullptr) *reported = report;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kElements; ++i) {
    const double z = x[i] - mean, want = -0.5 * z * z - kLogSqrt2Pi;
    wrong += !(std::fabs(out[i] - want) <= 1e-14 * std::fabs(want));
  }
  return wrong;
}

bool one_element() {
  const double x = 0.0, mean = 0.0, sd = 1.0;
  const int log = 1;
  double out = 0.0;
  RunReport report;
  run_on_host(find_kernel_spec("dnorm"),
              {{&x, 1, Column::Type::f64},
               {&mean, 1, Column::Type::f64},
               {&sd, 1, Column::Type::f64},
               {&log, 1, Column::Type::i32}},
              1, &out, report, {});
  return std::fabs(out + kLogSqrt2Pi) < 1e-15;
}

std::size_t wrong_grid_points(int m1) {
  const double x[2] = {1, 1}, y[2] = {1, 2}, alpha[2] = {0, 0}, wt[2] = {1, 1}, mu = 0, prior = 1;
  std::vector<double> b(m1), qf(m1), grad(m1);
  for (int j = 0; j < m1; ++j) b[j] = 1e-5 * j;
  ex_glmbayes::opencl::GlmProblem problem{};
  problem.X = x, problem.B = b.data(), problem.mu = &mu, problem.P = &prior, problem.alpha = alpha, problem.y = y;
  problem.wt = wt, problem.qf = qf.data(), problem.grad = grad.data(), problem.l1 = 2, problem.l2 = 1, problem.m1 = m1;
  RunReport report;
  ex_glmbayes::opencl::run_f2_f3("host", ex_glmbayes::opencl::find_glm_kernel("poisson", "log"), problem, report, {});
  std::size_t wrong = 0;
  for (int j = 0; j < m1; ++j) {
    const double want = 0.5 * b[j] * b[j] - 3 * b[j] + 2 * std::exp(b[j]) + std::log(2.0);
    wrong += !(std::fabs(qf[j] - want) < 1e-12 && std::fabs(grad[j] - (b[j] - 3 + 2 * std::exp(b[j]))) < 1e-12);
  }
  return wrong;
}

}  // namespace

TEST(HostThreads, many_callers_at_once) {
  std::atomic<std::size_t> wrong{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 6; ++t)
    callers.emplace_back([&wrong, t] {
      for (int round = 0; round < 5; ++round) {
        set_host_threads(1 + (t + round) % 4);  // the bound may change under way
        wrong += wrong_elements(t) + wrong_grid_points(20000);
      }
    });
  for (std::thread& caller : callers) caller.join();
  set_host_threads(0);
  EXPECT_EQ(0u, wrong);
}

TEST(HostThreads, bound_is_kept) {
  for (const int threads : {1, 2, 3}) {
    set_host_threads(threads);
    RunReport report;
    EXPECT_EQ(0u, wrong_elements(0.5, &report));
    EXPECT_GE(report.threads, 1);
    EXPECT_LE(report.threads, threads);
  }
  set_host_threads(0);
}

TEST(HostThreads, an_interrupt_ends_all_threads_and_the_next_call_works) {
  // Enough blocks that the calling thread, which polls, has its share.
  const std::size_t n = 20000000;
  const double x = 1.0, mean = 0.0, sd = 1.0;
  const int log = 0;
  std::vector<double> out(n, -1.0);
  const std::vector<Column> columns{{&x, 1, Column::Type::f64},
                                    {&mean, 1, Column::Type::f64},
                                    {&sd, 1, Column::Type::f64},
                                    {&log, 1, Column::Type::i32}};
  for (int polls_wanted : {1, 2, 3}) {
    int polls = 0;
    RunReport report;
    try {
      run_on_host(find_kernel_spec("dnorm"), columns, n, out.data(), report,
                  {[&] { return ++polls >= polls_wanted; }, nullptr});
      ADD_FAILURE() << "not interrupted";
    } catch (const Interrupted&) {
    }
    EXPECT_EQ(polls_wanted, polls);
  }
  EXPECT_EQ(-1.0, out[n - 1]);  // nobody went on to the end
  EXPECT_EQ(0u, wrong_elements(1.0));
}

TEST(HostThreads, an_error_in_any_block_reaches_the_caller) {
  for (const std::size_t bad : {std::size_t{0}, std::size_t{500}, std::size_t{999}}) {
    EXPECT_THROW(parallel_blocks(
                     1000, 1,
                     [bad](std::size_t begin, std::size_t) {
                       if (begin == bad) throw NmathError("bad block");
                     },
                     nullptr),
                 NmathError);
  }
}

#ifdef _OPENMP
TEST(HostThreads, inside_openmp_regions) {
  std::size_t wrong = 0;
#pragma omp parallel for num_threads(4) reduction(+ : wrong)
  for (int k = 0; k < 16; ++k) wrong += wrong_elements(k) + wrong_grid_points(5000);
  EXPECT_EQ(0u, wrong);
  // And OpenMP works on afterwards, with the threads it had.
  int sum = 0;
#pragma omp parallel for num_threads(4) reduction(+ : sum)
  for (int k = 0; k < 100; ++k) sum += k;
  EXPECT_EQ(4950, sum);
}
#endif

#if !defined(_WIN32) && !defined(__SANITIZE_THREAD__)  // which does not follow a fork of a process with threads
TEST(HostThreads, forked_children_compute_after_their_parent_did) {
  EXPECT_EQ(0u, wrong_elements(0.0));
  // Threads that compute at the moment of the fork do not stop the child either. But the address sanitizer's allocator,
  // which nothing tells of forks, would: it has locks of its own (of __sanitizer::SizeClassAllocator64), a thread that
  // allocates, begins or ends takes them, and the first of the child's threads that allocates waits for one for ever.
  // So no thread is there then. (One run in twelve had a child that hung, in FutexWait() below GetFromAllocator(),
  // while threads of its parent ended.)
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
#ifndef UNDER_ADDRESS_SANITIZER
  busy.emplace_back([&stop] {
    while (!stop) wrong_elements(2.0);
  });
  // This one asks for programs and settings only, under whose locks it is most of the time.
  busy.emplace_back([&stop] {
    while (!stop) one_element();
  });
#endif
  bool all_ended = true;
  for (int k = 0; k < 100 && all_ended; ++k) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(30);
      if (k % 10 != 0) _exit(one_element() ? 0 : 1);
      _exit(wrong_elements(k) + wrong_grid_points(3000) == 0 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    all_ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    EXPECT_TRUE(all_ended) << status << " of child " << k;
  }
  stop = true;
  for (std::thread& thread : busy) thread.join();
}
#endif
