// test_fibres -- turns, and stacks as large as they were asked for.
#include "base/fibres.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <vector>

using openclPort::Fibres;

namespace {

class FibresTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!Fibres::supported()) GTEST_SKIP();
  }
};

// The sum of what a frame of so many bytes holds, all of it written.
template <std::size_t kBytes>
__attribute__((noinline)) long fill(unsigned char value) {
  volatile unsigned char all[kBytes];
  for (std::size_t i = 0; i < kBytes; ++i) all[i] = value;
  long sum = 0;
  for (std::size_t i = 0; i < kBytes; i += 4096) sum += all[i];
  return sum;
}

}  // namespace

TEST_F(FibresTest, each_waits_for_all_others) {
  Fibres fibres(16);
  for (std::size_t count : {1u, 7u, 16u}) {
    std::vector<int> at(count, 0);
    bool together = true;
    fibres.run(count, [&](std::size_t k) {
      for (int turn = 0; turn < 3; ++turn) {
        ++at[k];
        fibres.wait();
        for (const int other : at) together = together && (other == turn + 1 || other == turn + 2);
        fibres.wait();
      }
    });
    EXPECT_TRUE(together);
    for (const int turns : at) EXPECT_EQ(turns, 3);
  }
}

TEST_F(FibresTest, turns_are_in_order) {
  Fibres fibres(16);
  for (const std::size_t count : {16u, 3u, 1u}) {
    std::vector<std::size_t> order;
    fibres.run(count, [&](std::size_t i) {
      for (int turn = 0; turn < 3; ++turn) {
        order.push_back(i);
        fibres.wait();
      }
    });
    ASSERT_EQ(order.size(), 3 * count);
    for (std::size_t k = 0; k < order.size(); ++k) EXPECT_EQ(order[k], k % count);
  }
}

TEST_F(FibresTest, a_stack_is_as_large_as_it_was_asked_for) {
  constexpr std::size_t kFrame = 4 << 20;
  Fibres fibres(8, kFrame + Fibres::kStackBytes);
  std::vector<long> sums(8);
  fibres.run(8, [&](std::size_t k) {
    fibres.wait();
    sums[k] = fill<kFrame>(static_cast<unsigned char>(k + 1));
    fibres.wait();
  });
  for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(sums[k], static_cast<long>((k + 1) * kFrame / 4096));
}

#ifndef _WIN32  // whose stacks grow to whole steps of their own
TEST_F(FibresTest, what_lies_beyond_a_stack_is_not_touched_silently) {
  Fibres fibres(2, 1);  // a page
  EXPECT_DEATH(fibres.run(2, [](std::size_t) { fill<(48 << 10)>(1); }), "");
}
#endif

TEST_F(FibresTest, stacks_beyond_all_memory_are_refused) {
  EXPECT_THROW(Fibres(1024, SIZE_MAX / 2), std::bad_alloc);
  EXPECT_THROW(Fibres(1024, SIZE_MAX - 10), std::bad_alloc);
}
