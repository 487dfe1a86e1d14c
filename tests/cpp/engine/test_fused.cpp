// test_fused -- fused kernels on the host device and on a device that counts what it is asked for; and groupings.
#include <numeric>

#include "base/work_threads.h"
#include "fused_cases.h"
#include "logging/logging_device.h"

using namespace fused_cases;
using logging_device::counts;

namespace {

class Fused : public ::testing::Test {
 protected:
  void SetUp() override {
    add_device_kind(logging_device::kind());
    counts().clear();
  }
  void TearDown() override {
    remove_device_kind(logging_device::kind());
    EXPECT_EQ(0u, counts().alive);
  }
  static std::size_t fused_blocks_of(std::size_t n) { return (n + 1023) / 1024; }
  static std::vector<DeviceInfo> devices() { return {host_device(), counting()}; }
  static DeviceInfo counting() {
    for (const DeviceInfo& device : list_devices())
      if (device.name == logging_device::info().name) return device;
    return {};
  }
};

}  // namespace

TEST_F(Fused, elements_come_out_right) {
  for (const DeviceInfo& device : devices()) elements_come_out_right(device);
}
TEST_F(Fused, matrices_travel_by_rows) {
  for (const DeviceInfo& device : devices()) matrices_travel_by_rows(device);
}
TEST_F(Fused, results_of_blocks_are_joined) {
  for (const DeviceInfo& device : devices()) results_of_blocks_are_joined(device);
}
TEST_F(Fused, sums_have_the_same_bits_whatever_the_chunks) {
  for (const DeviceInfo& device : devices()) sums_have_the_same_bits_whatever_the_chunks(device);
}
TEST_F(Fused, groups_are_summed) {
  for (const DeviceInfo& device : devices()) groups_are_summed(device);
}
TEST_F(Fused, ends_within_a_second) { ends_within_a_second(host_device()); }
TEST_F(Fused, says_what_does_not_fit) {
  for (const DeviceInfo& device : devices()) says_what_does_not_fit(device);
}

TEST_F(Fused, what_is_on_the_device_does_not_travel) {
  const SharedDevice device = open_device(counting());
  FusedKernel kernel(sum());
  const std::size_t n = 100000;
  const std::vector<double> x(n, 0.5);
  const std::vector<int> w(n, 1);
  const OnDevice there = resident(device, x), flags = resident(device, w);
  FusedCall call;
  call.n = n;
  call.columns = {there.column, flags.column};
  call.columns[0].resident = &there.buffer;
  call.columns[1].resident = &flags.buffer;
  std::vector<double> sums(98);
  std::vector<std::int64_t> totals(98);
  call.values = {sums.data(), totals.data()};
  counts().clear();
  RunReport report;
  run_fused(device, kernel, call, report);
  EXPECT_EQ(0u, counts().written);
  EXPECT_EQ(1u, counts().reads);  // of both outputs, each of 784 bytes
  EXPECT_EQ(2 * Device::kPartBytes, counts().read);
  EXPECT_EQ(1u, counts().launches);
  EXPECT_EQ("a device that counts", report.device);
  EXPECT_EQ(512.0, sums[0]);
}

TEST_F(Fused, a_reduction_in_one_chunk_is_sent_and_read_at_once) {
  const SharedDevice device = open_device(counting());
  FusedKernel kernel(wide_sums());
  for (const std::size_t n : {std::size_t{5000}, std::size_t{300}, std::size_t{5000}}) {
    const std::size_t columns = 3, blocks = fused_blocks_of(n);
    std::vector<double> x(n * columns);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 7);
    FusedCall call;
    call.n = n;
    call.columns = {column(x)};
    call.scalars = {static_cast<double>(columns)};
    std::vector<double> first;
    for (int turn = 0; turn < 3; ++turn) {
      std::vector<double> sums(2 * columns, -1.0);
      call.values = {sums.data()};
      RunReport report;
      counts().clear();
      EXPECT_EQ(kernel.spec().flags, run_fused(device, kernel, call, report).size());
      EXPECT_EQ(1u, counts().writes);
      EXPECT_EQ(x.size() * sizeof(double), counts().written);
      EXPECT_EQ(1u, counts().reads);
      EXPECT_EQ(blocks > 1 ? 2u : 1u, counts().launches);
      if (turn > 0) EXPECT_EQ(0u, counts().allocated);  // it has what the last call had
      sums.resize(columns);
      if (turn == 0) first = sums;
      EXPECT_EQ(first, sums);
      for (std::size_t c = 0; c < columns; ++c)
        EXPECT_EQ(std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(c * n),
                                  x.begin() + static_cast<std::ptrdiff_t>((c + 1) * n), 0.0),
                  sums[c]);
    }
  }
}

TEST_F(Fused, flags_say_something_by_their_rules) {
  FusedSpec spec = pair();  // of two words
  const auto words = [](std::vector<int> bits) {
    std::vector<int> made(2);
    for (const int bit : bits) made[static_cast<std::size_t>(bit / 31)] |= 1 << bit % 31;
    return made;
  };
  const auto tells = [&](std::vector<int> bits) { return spec.tells(words(std::move(bits)).data()); };
  EXPECT_FALSE(tells({}));
  EXPECT_TRUE(tells({0}));
  spec.flag_rules = {0, -1, 1, -1, 2, 2, 0, 33, 40, 1, 1};  // 2 with 0 and 33, 40 with 1
  for (const std::vector<int>& bits : std::vector<std::vector<int>>{{0}, {0, 1}, {2}, {0, 2}, {40}, {0, 40}})
    EXPECT_FALSE(tells(bits));
  for (const std::vector<int>& bits : std::vector<std::vector<int>>{{3}, {33}, {0, 2, 33}, {1, 40}, {0, 61}, {2, 30}})
    EXPECT_TRUE(tells(bits));
  EXPECT_EQ(spec.flag_rules, FusedKernel(spec).spec().flag_rules);
  for (const std::vector<int>& wrong :
       std::vector<std::vector<int>>{{0}, {0, -2}, {0, 2, 1}, {62, -1}, {0, 1, 62}, {-1, -1}}) {
    spec.flag_rules = wrong;
    EXPECT_THROW(FusedKernel{spec}, NmathError);
  }
}

TEST_F(Fused, memory_that_fails_leaves_nothing_behind) {
  const SharedDevice device = open_device(counting());
  FusedKernel kernel(pair());
  const std::size_t n = 1000000;
  const std::vector<double> x(n, 0.5), r{1.0};
  const std::vector<int> w(n, 1);
  std::vector<double> y(n);
  std::vector<int> above(n);
  FusedCall call;
  call.n = n;
  call.columns = {column(x), column(w), column(r)};
  call.scalars = {0.0, 1.0, 1.0};
  call.values = {y.data(), above.data()};
  for (std::size_t memory = 0; memory < 2000000; memory = 3 * memory / 2 + 3) {
    counts().memory = memory;
    RunReport report;
    const std::string error = error_of([&] { run_fused(device, kernel, call, report); });
    EXPECT_EQ(0u, error.find("no memory left"));
  }
  counts().clear();
  RunReport report;
  run_fused(device, kernel, call, report);
  EXPECT_EQ(1, above[n - 1]);
}

TEST(Blocks, follow_from_length_and_cost) {
  EXPECT_EQ(1024u, reduction_block(1, Cost::cheap));
  EXPECT_EQ(1024u, reduction_block(std::size_t{1} << 22, Cost::cheap));
  EXPECT_EQ(2048u, reduction_block((std::size_t{1} << 22) + 1, Cost::cheap));
  EXPECT_EQ(32768u, reduction_block(100000000, Cost::cheap));
  EXPECT_EQ(4096u, reduction_block(100000000, Cost::moderate));
  EXPECT_EQ(1024u, reduction_block(10, Cost::moderate));
  EXPECT_EQ(256u, reduction_block(100000000, Cost::heavy));
  EXPECT_EQ(32u, reduction_block(100, Cost::slow));
}

TEST(TooShort, is_what_does_not_repay_a_gpu_what_its_work_items_compute_first) {
  DeviceInfo gpu, cpu, host;
  cpu.wide_cores = true;
  host.immediate = true;
  FusedSpec spec;
  spec.least = std::size_t{1} << 20;
  FusedCall few, many;
  few.n = spec.least - 1;
  many.n = spec.least;
  EXPECT_TRUE(fused_too_short(gpu, spec, few));
  EXPECT_FALSE(fused_too_short(gpu, spec, many));
  EXPECT_FALSE(fused_too_short(cpu, spec, few));
  EXPECT_FALSE(fused_too_short(host, spec, few));
  spec.reduces = true;  // 1024 elements a block are 4 of a work-item, and 2^20 are 32 of each of 2^15
  EXPECT_TRUE(fused_too_short(gpu, spec, many));
  many.n = std::size_t{1} << 25;
  EXPECT_FALSE(fused_too_short(gpu, spec, many));
  spec.least = 1;
  EXPECT_FALSE(fused_too_short(gpu, spec, few));
}

// Where each group has a block: those without elements come in the groups' order as well.
TEST(Grouping, may_have_blocks_of_no_element) {
  const std::vector<int> codes = {3, 1, INT_MIN, 3, 7, 3, 0};
  const Grouping all(codes.data(), codes.size(), 5, 2, true);
  EXPECT_EQ((std::vector<int>{1, 2, 3, 4, 5, 3}), all.group());
  EXPECT_EQ((std::vector<std::int64_t>{0, 1, 1, 3, 3, 3, 4}), all.starts());
  EXPECT_EQ((std::vector<int>{1, 0, 3, 5}), all.order());
  EXPECT_TRUE(all.all());
  const Grouping wider(all, 8);
  EXPECT_EQ((std::vector<int>{1, 2, 3, 4, 5}), wider.group());
  EXPECT_EQ((std::vector<std::int64_t>{0, 1, 1, 4, 4, 4}), wider.starts());
}

TEST(Grouping, is_a_stable_sort_by_code) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20}) {
    std::vector<int> codes(n);
    for (std::size_t i = 0; i < n; ++i) codes[i] = i % 7 == 3 ? INT_MIN : static_cast<int>((i * 37) % 11);  // 0: none
    const Grouping grouping(codes.data(), n, 12, 64);
    std::vector<std::vector<int>> want(12), found(12);
    for (std::size_t i = 0; i < n; ++i)
      if (codes[i] >= 1) want[static_cast<std::size_t>(codes[i]) - 1].push_back(static_cast<int>(i));
    std::size_t positions = 0;
    for (const std::vector<int>& own : want) positions += own.size();
    ASSERT_EQ(grouping.blocks() + 1, grouping.starts().size());
    EXPECT_EQ(static_cast<std::int64_t>(positions), grouping.starts().back());
    EXPECT_EQ(positions, grouping.positions());
    EXPECT_EQ(0.0, grouping.counts()[11]);
    for (std::size_t b = 0; b < grouping.blocks(); ++b) {
      const std::int64_t first = grouping.starts()[b], last = grouping.starts()[b + 1];
      ASSERT_TRUE(last > first && last - first <= 64);
      std::vector<int>& own = found[static_cast<std::size_t>(grouping.group()[b]) - 1];
      ASSERT_EQ(0u, own.size() % 64);  // only the last block of a group is shorter
      own.insert(own.end(), grouping.order().begin() + first, grouping.order().begin() + last);
    }
    EXPECT_EQ(want, found);
    // The first blocks of all groups come before any second one.
    std::vector<int> blocks(12);
    for (std::size_t b = 1; b < grouping.blocks(); ++b) {
      const std::size_t before = static_cast<std::size_t>(grouping.group()[b - 1]) - 1;
      const std::size_t now = static_cast<std::size_t>(grouping.group()[b]) - 1;
      ++blocks[before];
      ASSERT_GE(blocks[now] + 1, blocks[before]);
    }
    // Cut into other blocks, they are the same.
    const Grouping other(grouping, 100), anew(codes.data(), n, 12, 100);
    EXPECT_EQ(anew.order(), other.order());
    EXPECT_EQ(anew.starts(), other.starts());
    EXPECT_EQ(anew.group(), other.group());
  }
}
