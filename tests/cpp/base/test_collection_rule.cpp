// test_collection_rule -- collections are asked for where they save more than they cost, and where they bound memory.
#include "collection_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

using openclPort::Collection;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20, kBound = 256 * kMiB;

// A pool of blocks of one size whose fresh ones cost a second each.
struct OneSize {
  struct Fresh {
    std::size_t bytes = 0;
    double seconds = 0;
  };
  std::size_t size = 0, used = 0, waiting = 0, takes = 0;
  Fresh all;
  std::size_t in_use() const { return size * used; }
  std::size_t blocks_in_use() const { return used; }
  std::size_t taken() const { return takes; }
  static std::size_t bound() { return kBound; }
  bool waits_for(std::size_t) const { return waiting > 0; }
  const Fresh& fresh() const { return all; }
  static double seconds_of_fresh(std::size_t) { return 1; }
};

// A language whose results live in it: each until the next one is there, or all of them.
struct Language {
  Language(std::size_t bytes, double young_cost, double whole_cost) : young(young_cost), whole(whole_cost) {
    pool.size = bytes;
  }

  void call(bool keep = false) {
    for (Collection kind; (kind = rule.due(pool, pool.size)) != Collection::none;) {
      const std::size_t in_use = pool.in_use();
      collect(kind);
      rule.collected(kind, pool, kind == Collection::young ? young : whole, in_use, pool.size);
      if (kind == Collection::whole) break;
    }
    if (pool.waiting > 0) {
      --pool.waiting;
    } else {
      pool.all.bytes += pool.size;
      pool.all.seconds += 1;
    }
    ++pool.takes;
    most = std::max(most, pool.size * ++pool.used);
    if (!keep) drop_all();
    results.push_back({true, true});
  }
  void calls(int count) {
    for (int k = 0; k < count; ++k) call();
  }
  void drop_all() {
    for (Result& result : results) result.held = false;
  }
  double cost() const { return young_ones * young + whole_ones * whole + pool.all.seconds; }

  struct Result {
    bool held, is_young;
  };
  void collect(Collection kind) {
    ++(kind == Collection::young ? young_ones : whole_ones);
    const auto goes = [kind](const Result& result) {
      return !result.held && (kind == Collection::whole || result.is_young);
    };
    const auto left = std::remove_if(results.begin(), results.end(), goes);
    const std::size_t gone = static_cast<std::size_t>(results.end() - left);
    results.erase(left, results.end());
    for (Result& result : results) result.is_young = false;
    pool.used -= gone;
    pool.waiting = std::min(pool.waiting + gone, kBound / pool.size);
  }

  OneSize pool;
  double young, whole;
  openclPort::CollectionRule rule;
  std::vector<Result> results;
  std::size_t most = 0;
  int young_ones = 0, whole_ones = 0;
};

constexpr double kNever = 1e9;

}  // namespace

TEST(CollectionRule, nothing_to_collect_before_the_first_two) {
  Language fresh(kMiB, 1e-9, 1e-9);
  fresh.calls(2);
  EXPECT_EQ(0, fresh.young_ones + fresh.whole_ones);
}

TEST(CollectionRule, where_fresh_blocks_are_dear_a_loop_lives_on_a_few) {
  Language whole_alone(32 * kMiB, kNever, 1e-3);
  whole_alone.calls(200);
  EXPECT_LE(whole_alone.pool.all.seconds, 5);
  Language both(32 * kMiB, 1e-6, 1e-3);
  both.calls(200);
  EXPECT_LE(both.pool.all.seconds, 5);
}

TEST(CollectionRule, young_ones_save_most_of_the_fresh_blocks_before_a_whole_one_is_worth_it) {
  Language loop(32 * kMiB, 0.05, 2.5);  // as measured for 8e8 bytes
  loop.calls(12);
  EXPECT_LE(loop.pool.all.seconds, 8);
  EXPECT_LE(loop.whole_ones, 2);
  EXPECT_LE(loop.cost(), 11);
  const double before = loop.cost();
  loop.calls(100);
  EXPECT_LE(loop.cost() - before, 40);
}

TEST(CollectionRule, where_collections_are_dear_there_are_few_and_memory_stays_bounded) {
  Language loop(32 * kMiB, kNever, 1e3);
  loop.calls(200);
  EXPECT_LE(loop.whole_ones, 200 / 4);
  EXPECT_GT(loop.whole_ones, 200 / 40);
  EXPECT_LE(loop.most, 2 * kBound + 32 * kMiB);
}

TEST(CollectionRule, the_cost_is_at_most_twice_that_of_the_better_way) {
  const double blocks = 8;  // kBound has eight of 32 MiB
  for (const double share : {0.01, 0.1, 0.5})
    for (const double whole : {0.03, 0.1, 0.3, 1.0, 3.0, 10.0}) {
      for (const int calls : {3, 10, 30, 100, 1000}) {
        const double young = share * whole;
        Language loop(32 * kMiB, young, whole);
        loop.calls(calls);
        const double each = 2 + (calls - 2) * whole;            // a whole collection for each call
        const double rounds = blocks + calls / blocks * whole;  // one for each round of all blocks that may wait
        const double none = calls;                              // fresh ones each time
        EXPECT_LE(loop.cost(), 2 * std::min({each, rounds, none}) + 3 + whole + 2 * young)
            << young << ", " << whole << ", " << calls << " calls";
      }
    }
}

TEST(CollectionRule, small_blocks_are_collected_when_they_have_cost_as_much) {
  Language loop(kMiB, 5, 20);
  loop.calls(2000);
  EXPECT_LE(loop.pool.all.seconds, 2 * 256);
  EXPECT_LE(loop.cost(), 1000);
}

TEST(CollectionRule, one_that_brings_nothing_back_makes_the_next_wait_and_one_that_does_ends_it) {
  Language hoard(64, 0.1, 1);
  for (int k = 0; k < 1000; ++k) hoard.call(true);
  EXPECT_LE(hoard.young_ones, 25);
  EXPECT_LE(hoard.whole_ones, 15);
  hoard.drop_all();
  hoard.calls(1000);
  const double fresh = hoard.pool.all.seconds;
  hoard.calls(1000);
  EXPECT_LE(hoard.pool.all.seconds, fresh + 10);
}
