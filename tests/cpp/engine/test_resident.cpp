// test_resident -- resident vectors: counts, limits, queue of the abandoned, transfers.
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/work_threads.h"
#include "device/device_selection.h"
#include "device/functions.h"
#include "device/resident.h"
#include "engine/elementwise.h"
#include "engine/multinomial.h"
#include "engine/transfer.h"
#include "host/host_kind.h"
#include "logging/logging_device.h"

using namespace openclPort;
using logging_device::counts;

namespace {

// What resident_draws_program() has in OpenCL C, for a device that computes on the host.
void keep(const nmath_host_argument* a, int begin, int end, bool whole) {
  const double* const from = static_cast<const double*>(a[0].memory);
  std::int64_t first, missing;
  std::memcpy(&first, &a[2], sizeof first);
  std::memcpy(&missing, &a[3], sizeof missing);
  int len;
  std::memcpy(&len, &a[5], sizeof len);
  for (int i = begin; i < std::min(end, len); ++i) {
    const double x = from[i];
    const bool fits = x > INT_MIN && x <= INT_MAX;
    if (whole)
      static_cast<int*>(a[1].memory)[first + i] = fits ? static_cast<int>(x) : INT_MIN;
    else if (std::isnan(x))
      std::memcpy(static_cast<double*>(a[1].memory) + first + i, &missing, sizeof missing);
    else
      static_cast<double*>(a[1].memory)[first + i] = x;
    if (std::isnan(x)) *static_cast<int*>(a[4].memory) |= 1;
    if (whole && !fits && !std::isnan(x)) *static_cast<int*>(a[4].memory) |= 2;
  }
}
void store_doubles(const nmath_host_argument* a, int begin, int end) { keep(a, begin, end, false); }
void store_integers(const nmath_host_argument* a, int begin, int end) { keep(a, begin, end, true); }

class Residents : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    static const nmath_host_row doubles = {"engine/resident_draws", "store_doubles", 6, store_doubles};
    static const nmath_host_row integers = {"engine/resident_draws", "store_integers", 6, store_integers};
    add_host_kernel(&doubles);
    add_host_kernel(&integers);
  }
  void SetUp() override {
    add_device_kind(logging_device::kind());
    counts().clear();
    device = open_device(select_device("a device that counts"));
  }
  void TearDown() override {
    set_resident_limit(0);
    set_host_threads(0);
    release_abandoned();
    remove_device_kind(logging_device::kind());
    EXPECT_EQ(0u, counts().alive);
  }
  static ResidentMemory there() {
    for (const ResidentMemory& entry : resident_memory())
      if (entry.device == logging_device::info().name) return entry;
    return {};
  }
  SharedDevice device;
};

}  // namespace

TEST_F(Residents, a_thousand_come_and_go) {
  for (int round = 0; round < 1000; ++round) abandon(Resident::make(device, ElementType::f64, 1000));
  EXPECT_EQ(1u, counts().alive);  // each took the place of the one before
  EXPECT_EQ(0u, there().vectors);
  EXPECT_EQ(0.0, there().bytes);
  EXPECT_EQ(0u, counts().alive);
}

TEST_F(Residents, a_limit_leaves_earlier_ones_as_they_are) {
  set_resident_limit(20000);
  std::vector<double> x(1000), back(1000);
  std::iota(x.begin(), x.end(), 0.0);
  const auto first = Resident::make(device, ElementType::f64, 1000);
  send_bytes(device, first->buffer(), 0, x.data(), 8000);
  auto second = Resident::make(device, ElementType::i32, 2500);
  try {
    Resident::make(device, ElementType::f64, 1000);
    FAIL() << "there was a limit";
  } catch (const DeviceMemoryFull& error) {
    EXPECT_NE(std::string::npos, error.hint().find("2 vectors of 18.0 kB on a device that counts, of 20.0 kB"));
  }
  fetch_bytes(device, first->buffer(), 0, back.data(), 8000);
  EXPECT_EQ(x, back);
  abandon(std::move(second));
  EXPECT_EQ(10u, Resident::make(device, ElementType::f64, 10)->elements());
}

TEST_F(Residents, memory_that_the_device_has_not_is_told_as_its_own_error) {
  counts().memory = 100;
  EXPECT_THROW(Resident::make(device, ElementType::f64, 1000), NmathError);
  EXPECT_EQ(0u, there().vectors);
}

TEST_F(Residents, the_hosts_are_lent) {
  std::vector<double> x{1.0, 2.0};
  const SharedDevice host = open_device(host_device());
  const auto vector = Resident::lend(host, ElementType::f64, x.data(), 2);
  EXPECT_EQ(x.data(), vector->buffer().host());
  EXPECT_EQ(0u, Resident::make(host, ElementType::f64, 0)->elements());
}

TEST_F(Residents, long_ones_travel_in_blocks) {
  const std::size_t n = 2000003;
  std::vector<int> x(n), back(n);
  std::iota(x.begin(), x.end(), 0);
  const auto vector = Resident::make(device, ElementType::i32, n);
  send_bytes(device, vector->buffer(), 0, x.data(), 4 * n);
  fetch_bytes(device, vector->buffer(), 0, back.data(), 4 * n);
  EXPECT_EQ(x, back);
  EXPECT_EQ(4 * n, counts().written);
  fetch_bytes(device, vector->buffer(), 40, back.data(), 8);
  EXPECT_EQ(10, back[0]);
  set_host_threads(1);  // else another thread may have moved all before this one asks
  EXPECT_THROW(send_bytes(device, vector->buffer(), 0, x.data(), 4 * n, [] { return true; }), Interrupted);
}

// Short ones together, ones that need another block of page-locked memory, more than there is of it, long ones.
TEST_F(Residents, what_travels_beside_launches_arrives) {
  std::vector<double> x(3000000), back(x.size(), -1.0);
  std::iota(x.begin(), x.end(), 0.5);
  const Buffer there = device->allocate(ElementType::f64, x.size());
  CallTransfers transfers(device, device->queue(false));
  const std::size_t lengths[] = {1, 7, 0, 4095, 131072, 393216, 393217, 500000, 500000, 500000, 523521, 1, 20};
  std::vector<std::size_t> begins{0};
  for (const std::size_t length : lengths) {
    transfers.send(there, begins.back() * sizeof(double), x.data() + begins.back(), length * sizeof(double));
    begins.push_back(begins.back() + length);
  }
  const std::size_t all = begins.back();
  for (std::size_t k = 0; k + 1 < begins.size(); ++k)
    transfers.fetch(there, begins[k] * sizeof(double), back.data() + begins[k], lengths[k] * sizeof(double));
  transfers.finish();
  EXPECT_TRUE(std::equal(x.begin(), x.begin() + all, back.begin()));
  EXPECT_EQ(back[all], -1.0);  // and nothing else was written
  EXPECT_GE(counts().written, all * sizeof(double));
  std::fill(back.begin(), back.end(), -1.0);
  transfers.send(there, 8, x.data(), 24000000 - 8);  // by threads
  transfers.fetch(there, 8, back.data(), 24000000 - 8);
  transfers.finish();
  EXPECT_TRUE(std::equal(x.begin(), x.end() - 1, back.begin()));
}

// Without waiting for what was asked for; nothing of it may be written later.
TEST_F(Residents, transfers_may_be_left) {
  std::vector<double> x(1000, 2.0);
  const Buffer there = device->allocate(ElementType::f64, x.size());
  CallTransfers transfers(device, device->queue(false));
  transfers.send(there, 0, x.data(), 8000);
  transfers.fetch(there, 0, x.data(), 8000);
}

TEST_F(Residents, draws_stay_where_they_are_made) {
  const double mean = 2, sds[] = {1, 3, -1};  // every third has no value
  const std::size_t n = 1000003;
  const std::vector<Column> columns = {{&mean, 1, Column::Type::f64}, {sds, 3, Column::Type::f64}};
  const KernelSpec& spec = find_kernel_spec("rnorm");
  RunReport report;
  std::vector<double> came(n), back(n);
  run_elementwise(device->info().name, spec, columns, n, came.data(), report, {}, 7);
  const auto there = Resident::make(device, ElementType::f64, n);
  for (const std::size_t chunk_size : {std::size_t{0}, std::size_t{1000}}) {
    ChunkOptions options;
    options.chunk_size = chunk_size;
    counts().read = 0;
    const DrawsFound found = run_resident_draws(
        {{device, {spec, columns, {}, {0, n, n}, nullptr, &there->buffer(), 7, options}}}, false, report);
    EXPECT_TRUE(found.missing);
    EXPECT_FALSE(found.beyond);
    EXPECT_EQ(sizeof(int), counts().read);  // none of them travels
    fetch_bytes(device, there->buffer(), 0, back.data(), n * sizeof(double));
    for (std::size_t i = 0; i < n; ++i)
      if (i % 3 == 2)
        ASSERT_TRUE(std::isnan(back[i]) && !is_na(back[i])) << i;
      else
        ASSERT_EQ(came[i], back[i]) << i;
  }
}

TEST_F(Residents, draws_of_a_share_are_those_of_its_elements) {
  const std::size_t n = 100000, cut = 33333;
  const std::vector<double> rate{0.5, 2.0, 1.0};
  const std::vector<Column> columns = {{rate.data(), rate.size(), Column::Type::f64}};
  const KernelSpec& spec = find_kernel_spec("rexp");
  std::vector<double> whole(n), back(n - cut);
  RunReport report;
  run_elementwise("host", spec, columns, n, whole.data(), report, {}, {9, 5});
  const auto there = Resident::make(device, ElementType::f64, n - cut);
  const ElementwiseCall call = {spec, columns, {}, {cut, n - cut, n}, nullptr, &there->buffer(), {9, 5}};
  run_resident_draws({{device, call}}, false, report);
  fetch_bytes(device, there->buffer(), 0, back.data(), (n - cut) * sizeof(double));
  EXPECT_EQ(std::vector<double>(whole.begin() + cut, whole.end()), back);
}

TEST_F(Residents, counts_stay_as_ints) {
  const std::vector<double> lambda = {0.5, 4, 1e11};
  const std::size_t n = 3000;
  const auto parameter = Resident::make(device, ElementType::f64, 3),
             ints = Resident::make(device, ElementType::i32, n);
  const KernelSpec& spec = find_kernel_spec("rpois");
  const std::vector<Column> columns = {{lambda.data(), 3, Column::Type::f64}};
  RunReport report;
  std::vector<double> came(n);
  std::vector<int> back(n);
  run_elementwise(device->info().name, spec, columns, n, came.data(), report, {}, 9);
  ElementwiseCall call = {spec, columns, {}, {0, n, n}, nullptr, &ints->buffer(), 9};
  EXPECT_TRUE(run_resident_draws({{device, call}}, false, report).beyond);
  fetch_bytes(device, ints->buffer(), 0, back.data(), n * sizeof(int));
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(i % 3 == 2 ? INT_MIN : came[i], back[i]) << i;
  // Columns that stay are for devices that recycle.
  call.resident = {&parameter->buffer()};
  for (const Column::Type type : {Column::Type::f64, Column::Type::i32}) {
    call.columns = {{nullptr, 3, type}};
    EXPECT_THROW(run_resident_draws({{device, call}}, false, report), NmathError);
  }
}

TEST_F(Residents, cells_stay_as_ints) {
  const std::vector<double> prob = {1, 2, 4};
  const std::size_t n = 70000;
  std::vector<int> came(3 * n), back(3 * n);
  RunReport report;
  run_multinomial("host", find_kernel_spec("rmultinom"), {50, prob.data(), 3}, n, came.data(), report, {}, 3);
  const auto there = Resident::make(device, ElementType::i32, 3 * n);
  run_multinomial(device, find_kernel_spec("rmultinom"), {50, prob.data(), 3}, n, {nullptr, &there->buffer()}, report,
                  {}, 3);
  fetch_bytes(device, there->buffer(), 0, back.data(), 3 * n * sizeof(int));
  EXPECT_EQ(came, back);
}

TEST_F(Residents, draws_without_room_leave_what_is_there) {
  const double mean = 0, sd = 1;
  const std::vector<Column> columns = {{&mean, 1, Column::Type::f64}, {&sd, 1, Column::Type::f64}};
  std::vector<double> x(1000), back(1000);
  std::iota(x.begin(), x.end(), 0.0);
  const auto first = Resident::make(device, ElementType::f64, 1000),
             second = Resident::make(device, ElementType::f64, 1000);
  send_bytes(device, first->buffer(), 0, x.data(), 8000);
  counts().memory = 16100;  // no room for the chunks
  RunReport report;
  const ElementwiseCall call = {find_kernel_spec("rnorm"), columns, {}, {0, 1000, 1000}, nullptr, &second->buffer(), 1};
  EXPECT_THROW(run_resident_draws({{device, call}}, false, report), NmathError);
  EXPECT_EQ(16000u, counts().alive_bytes);
  fetch_bytes(device, first->buffer(), 0, back.data(), 8000);
  EXPECT_EQ(x, back);
}
