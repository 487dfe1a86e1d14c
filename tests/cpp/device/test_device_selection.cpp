// test_device_selection -- what a specification means is remembered as long as there are the same devices.
#include "device/device_selection.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/nmath_error.h"
#include "device/devices.h"

using namespace openclPort;

namespace {

// Its devices, "one", "two" and so on, are GPUs, each better than those before it; how often it was asked for them.
class CountingKind : public DeviceKind {
 public:
  void enter(const char*) override {}
  bool installed() noexcept override { return true; }
  std::vector<DeviceInfo> list() override {
    ++lists;
    std::vector<DeviceInfo> devices;
    for (const char* name : {"one", "two"}) {
      if (static_cast<int>(devices.size()) == present) break;
      DeviceInfo device;
      device.name = name;
      device.type = "gpu";
      device.platform_index = 77;
      device.device_index = static_cast<int>(devices.size());
      device.compute_units = 1000000u * static_cast<unsigned>(devices.size() + 1);
      device.global_mem = std::uint64_t{1} << 40;
      devices.push_back(device);
    }
    return devices;
  }
  Fp64Probe probe(const DeviceInfo& device, bool) override {
    return {device.name != failing, device.name == failing ? "it fails" : "", ""};
  }
  SharedDevice open(const DeviceInfo&) override { return nullptr; }

  int lists = 0, present = 2;
  std::string failing;
};

class Selections : public ::testing::Test {
 protected:
  void SetUp() override { add_device_kind(&kind_); }
  void TearDown() override { remove_device_kind(&kind_); }
  std::string name_of(const std::string& spec) { return select_device(spec).name; }

  CountingKind kind_;
};

std::string error_of(const std::string& spec) {
  try {
    select_device(spec);
  } catch (const NmathError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_F(Selections, are_looked_for_once) {
  for (const char* spec : {"auto", "opencl", "gpu", "two", " Two ", "TWO"}) EXPECT_EQ("two", name_of(spec)) << spec;
  const int lists = kind_.lists;
  for (const char* spec : {"auto", "opencl", "gpu", "two", " Two ", "TWO"}) EXPECT_EQ("two", name_of(spec)) << spec;
  EXPECT_EQ("one", name_of("one"));
  EXPECT_EQ(lists + 1, kind_.lists);
}

TEST_F(Selections, are_looked_for_again_where_devices_may_have_changed) {
  EXPECT_EQ("two", name_of("gpu"));
  kind_.present = 1;
  EXPECT_EQ("two", name_of("gpu"));  // nobody has said that it is gone
  reset_devices();
  EXPECT_EQ("one", name_of("gpu"));
  EXPECT_NE(std::string::npos, error_of("two").find("named 'two'"));
  kind_.present = 2;
  EXPECT_EQ("two", name_of("two"));  // what was not found was not remembered
  remove_device_kind(&kind_);
  EXPECT_NE("one", name_of("auto"));
  EXPECT_NE("no error", error_of("one"));
  add_device_kind(&kind_);
  EXPECT_EQ("two", name_of("auto"));
}

TEST_F(Selections, a_device_that_failed_may_be_the_best_one_later) {
  kind_.failing = "two";
  EXPECT_EQ("one", name_of("gpu"));
  kind_.failing.clear();
  EXPECT_EQ("two", name_of("gpu"));
  EXPECT_EQ("two", name_of("two"));
  kind_.failing = "two";
  note_device_change();  // as a kind does that gives a device up
  EXPECT_EQ("one", name_of("gpu"));
  EXPECT_NE(std::string::npos, error_of("two").find("it fails"));
}

#ifndef _WIN32
TEST_F(Selections, are_those_of_the_environment) {
  EXPECT_EQ("two", name_of("gpu"));
  setenv("NMATHOPENCL_PLATFORM_INDEX", "77", 1);
  setenv("NMATHOPENCL_DEVICE_INDEX", "0", 1);
  EXPECT_EQ("one", name_of("gpu"));
  EXPECT_NE(std::string::npos, error_of("two").find("named 'two'"));
  setenv("NMATHOPENCL_DEVICE_INDEX", "x", 1);
  EXPECT_NE(std::string::npos, error_of("gpu").find("NMATHOPENCL_DEVICE_INDEX"));
  unsetenv("NMATHOPENCL_DEVICE_INDEX");
  unsetenv("NMATHOPENCL_PLATFORM_INDEX");
  EXPECT_EQ("two", name_of("gpu"));
}
#endif
