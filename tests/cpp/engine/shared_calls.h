// shared_calls -- the host and a device that counts, which share calls.
#pragma once

#include "device/device_selection.h"
#include "engine/device_speed.h"
#include "engine/device_split.h"
#include "fused_cases.h"
#include "logging/logging_device.h"

namespace fused_cases {

class Shares : public ::testing::Test {
 protected:
  void SetUp() override {
    add_device_kind(logging_device::kind());
    logging_device::counts().clear();
    forget_rates();
    devices_ = open_devices({"a device that counts", "host"});
  }
  void TearDown() override {
    devices_.clear();
    remove_device_kind(logging_device::kind());
    EXPECT_EQ(0u, logging_device::counts().alive);
  }

  // Both had a part, and all parts together are the call.
  static void expect_shared(const RunReport& report, std::size_t n) {
    ASSERT_EQ(2u, report.device_ranges.size());
    EXPECT_EQ("host + a device that counts", report.device);
    EXPECT_EQ("host + accelerator", report.device_type);
    EXPECT_GT(report.device_ranges[0].elements, 0u);
    EXPECT_GT(report.device_ranges[1].elements, 0u);
    EXPECT_EQ(n, report.device_ranges[0].elements + report.device_ranges[1].elements);
    EXPECT_EQ(n, report.elements);
  }

  std::vector<SharedDevice> devices_;  // the host is the first
};

inline Column plain(const std::vector<double>& data) { return {data.data(), data.size(), Column::Type::f64}; }
inline Column plain(const std::vector<int>& data) { return {data.data(), data.size(), Column::Type::i32}; }

}  // namespace fused_cases
