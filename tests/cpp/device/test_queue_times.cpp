// test_queue_times -- seconds of commands that overlap, and of such as tell no times.
#include <gtest/gtest.h>

#include "device/queue.h"

using namespace openclPort;

namespace {

class Ended : public Event {
 public:
  Ended(std::uint64_t start, std::uint64_t end) : start_(start), end_(end) {}
  bool ended() const override { return true; }
  std::uint64_t start() const override { return start_; }
  std::uint64_t end() const override { return end_; }

 private:
  const std::uint64_t start_, end_;
};

}  // namespace

TEST(BusyTime, counts_what_two_queues_do_at_a_time_once) {
  BusyTime busy;
  EXPECT_DOUBLE_EQ(100e-9, busy.add(Ended(1000, 1100)));
  EXPECT_DOUBLE_EQ(60e-9, busy.add(Ended(1050, 1160)));
  EXPECT_DOUBLE_EQ(0.0, busy.add(Ended(1120, 1150)));
  EXPECT_DOUBLE_EQ(40e-9, busy.add(Ended(1150, 1200)));
  EXPECT_DOUBLE_EQ(10e-9, busy.add(Ended(2000, 2010)));
}

TEST(BusyTime, adds_nothing_where_a_device_tells_no_times) {
  BusyTime busy;
  EXPECT_DOUBLE_EQ(0.0, busy.add(Ended(0, 0)));
  EXPECT_DOUBLE_EQ(0.0, busy.add(Ended(0, 500)));
  EXPECT_DOUBLE_EQ(5e-9, busy.add(Ended(100, 105)));
}
