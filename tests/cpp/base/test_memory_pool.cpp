// test_memory_pool -- blocks come back, sizes and bounds hold.
#include "base/memory_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

using openclPort::MemoryPool;

#ifdef __linux__
#define SKIP_WHERE_NOT_LINUX() ASSERT_TRUE(pool.serves(MemoryPool::kLeastBytes))
#else
#define SKIP_WHERE_NOT_LINUX() GTEST_SKIP() << "not on this system"
#endif

namespace {
constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kBound = 64 * kMiB;
}  // namespace

TEST(MemoryPool, sizes_are_close_and_cover_what_is_asked) {
  std::size_t last = 0;
  for (std::size_t bytes = MemoryPool::kLeastBytes; bytes < 512 * kMiB; bytes += bytes / 7 + 13) {
    const std::size_t size = MemoryPool::block_bytes(bytes);
    EXPECT_GE(size, bytes);
    EXPECT_GE(size, last);
    EXPECT_LE(size - bytes, std::max(bytes / 8, bytes < 16 * kMiB && bytes >= 4 * kMiB ? 2 * kMiB : 0));
    EXPECT_EQ(size, MemoryPool::block_bytes(size));
    last = size;
  }
}

TEST(MemoryPool, a_block_given_back_is_the_next_of_its_size) {
  MemoryPool pool(kBound);
  SKIP_WHERE_NOT_LINUX();
  for (const std::size_t bytes : {MemoryPool::kLeastBytes, kMiB + 1, 10 * kMiB}) {
    void* const first = pool.take(bytes);
    ASSERT_NE(nullptr, first);
    std::memset(first, 1, bytes);
    void* const second = pool.take(bytes);
    ASSERT_NE(nullptr, second);
    EXPECT_NE(first, second);
    std::memset(second, 2, bytes);
    EXPECT_EQ(1, static_cast<unsigned char*>(first)[bytes - 1]);
    EXPECT_EQ(2 * MemoryPool::block_bytes(bytes), pool.in_use());
    pool.give(first);
    EXPECT_EQ(first, pool.take(bytes));
    pool.give(first);
    pool.give(second);
    EXPECT_EQ(0u, pool.in_use());
  }
  EXPECT_EQ(0u, reinterpret_cast<std::uintptr_t>(pool.take(10 * kMiB)) % (2 * kMiB));
}

TEST(MemoryPool, much_larger_ones_that_wait_give_parts) {
  MemoryPool pool(kBound);
  SKIP_WHERE_NOT_LINUX();
  unsigned char* const large = static_cast<unsigned char*>(pool.take(60 * kMiB));
  const std::size_t whole = pool.in_use();
  pool.give(large);
  std::vector<unsigned char*> parts;
  const auto within = [&](const unsigned char* part, std::size_t bytes) {
    return part >= large && part + bytes <= large + whole;
  };
  for (const std::size_t bytes : {kMiB, 3 * kMiB, 4 * kMiB, kMiB / 8, 4 * kMiB}) {
    parts.push_back(static_cast<unsigned char*>(pool.take(bytes)));
    EXPECT_TRUE(within(parts.back(), bytes));
    EXPECT_EQ(0u, reinterpret_cast<std::uintptr_t>(parts.back()) % (bytes < 4 * kMiB ? 4096 : 2 * kMiB));
    std::memset(parts.back(), static_cast<int>(parts.size()), bytes);
    EXPECT_EQ(whole, pool.waiting() + pool.in_use());
  }
  EXPECT_EQ(0u, pool.fresh().bytes - whole);  // nothing else was asked of the system
  for (std::size_t k = 0; k < parts.size(); ++k)
    EXPECT_EQ(static_cast<int>(k) + 1, parts[k][1000]);                           // none lies in another
  EXPECT_FALSE(within(static_cast<unsigned char*>(pool.take(30 * kMiB)), kMiB));  // of about its size: it stays whole
  for (unsigned char* const part : parts) pool.give(part);
  EXPECT_EQ(whole, pool.waiting());
  EXPECT_EQ(parts[0], pool.take(kMiB));  // each is a block of its own now
  pool.set_bound(kMiB);                  // and goes by itself
  EXPECT_LE(pool.waiting(), kMiB);
  pool.give(parts[0]);
}

TEST(MemoryPool, what_waits_stays_below_the_bound_and_the_oldest_goes_first) {
  MemoryPool pool(kBound);
  SKIP_WHERE_NOT_LINUX();
  std::vector<void*> blocks;
  for (int i = 0; i < 10; ++i) blocks.push_back(pool.take(10 * kMiB));
  for (void* block : blocks) {
    pool.give(block);
    EXPECT_LE(pool.waiting(), kBound);
  }
  EXPECT_EQ(60 * kMiB, pool.waiting());
  void* const young = pool.take(10 * kMiB);
  EXPECT_EQ(blocks.back(), young);
  pool.set_bound(kMiB);
  EXPECT_EQ(0u, pool.waiting());
  EXPECT_FALSE(pool.serves(2 * kMiB));
  pool.give(young);
  EXPECT_EQ(0u, pool.waiting());
  EXPECT_EQ(0u, pool.in_use());
}

TEST(MemoryPool, gives_no_more_blocks_than_it_may_and_none_that_the_system_has_not) {
  MemoryPool pool(std::numeric_limits<std::size_t>::max());
  SKIP_WHERE_NOT_LINUX();
  EXPECT_FALSE(pool.serves(MemoryPool::kLeastBytes - 1));
  EXPECT_EQ(nullptr, pool.take(std::size_t{1} << 50));
  EXPECT_EQ(0u, pool.in_use());
  std::vector<void*> blocks;
  while (pool.serves(MemoryPool::kLeastBytes) && blocks.size() <= MemoryPool::kMostBlocks)
    blocks.push_back(pool.take(MemoryPool::kLeastBytes));
  EXPECT_EQ(MemoryPool::kMostBlocks, blocks.size());
  for (void* block : blocks) pool.give(block);
  EXPECT_TRUE(pool.serves(MemoryPool::kLeastBytes));
}

TEST(MemoryPool, many_small_blocks_come_and_go_in_no_time) {
  MemoryPool pool(MemoryPool::kMostBlocks * MemoryPool::kLeastBytes / 2);
  SKIP_WHERE_NOT_LINUX();
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> blocks;
    while (pool.serves(MemoryPool::kLeastBytes)) blocks.push_back(pool.take(MemoryPool::kLeastBytes));
    ASSERT_EQ(MemoryPool::kMostBlocks, blocks.size());
    for (void* block : blocks) pool.give(block);
    EXPECT_EQ(pool.bound(), pool.waiting());
  }
}

TEST(MemoryPool, what_came_fresh_is_counted) {
  MemoryPool pool(kBound);
  SKIP_WHERE_NOT_LINUX();
  EXPECT_EQ(0u, pool.fresh().bytes);
  EXPECT_EQ(0.0, pool.fresh().seconds);
  void* const small = pool.take(kMiB);
  std::size_t bytes = MemoryPool::block_bytes(kMiB);
  EXPECT_EQ(bytes, pool.fresh().bytes);
  const double seconds = pool.fresh().seconds;
  EXPECT_GT(seconds, 0.0);
  void* const large = pool.take(32 * kMiB);
  bytes += MemoryPool::block_bytes(32 * kMiB);
  EXPECT_EQ(bytes, pool.fresh().bytes);
  EXPECT_GT(pool.fresh().seconds, seconds);
  pool.give(large);
  pool.give(small);
  EXPECT_EQ(small, pool.take(kMiB));
  EXPECT_EQ(bytes, pool.fresh().bytes);
  pool.give(small);
}

TEST(MemoryPool, what_a_fresh_block_will_cost_is_measured_on_the_last_one) {
  MemoryPool pool(kBound);
  SKIP_WHERE_NOT_LINUX();
  for (const std::size_t bytes : {kMiB, 48 * kMiB}) {
    EXPECT_FALSE(pool.waits_for(bytes));
    const double before = pool.fresh().seconds;
    void* const block = pool.take(bytes);
    EXPECT_DOUBLE_EQ(pool.seconds_of_fresh(bytes), pool.fresh().seconds - before);
    EXPECT_GT(pool.seconds_of_fresh(bytes), 1e-12 * static_cast<double>(bytes));
    EXPECT_LT(pool.seconds_of_fresh(bytes), 1e-6 * static_cast<double>(bytes));
    EXPECT_FALSE(pool.waits_for(bytes));
    pool.give(block);
    EXPECT_TRUE(pool.waits_for(bytes));
    EXPECT_FALSE(pool.waits_for(2 * bytes));
    pool.set_bound(0);
    EXPECT_FALSE(pool.waits_for(bytes));
    pool.set_bound(kBound);
  }
}
