// test_resident -- vectors that stay on a device: counts, limits, queue of the abandoned, transfers.
#include <gtest/gtest.h>

#include <numeric>

#include "base/work_threads.h"
#include "device/device_selection.h"
#include "device/resident.h"
#include "engine/transfer.h"
#include "logging/logging_device.h"

using namespace openclPort;
using logging_device::counts;

namespace {

class Residents : public ::testing::Test {
 protected:
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
