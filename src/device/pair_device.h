// pair_device -- a device whose programs compute with pairs of floats in the place of doubles: see pair/.
//
// Its memory is the other device's; doubles are split on their way in and joined on their way out. Thread-safe, as
// devices are.
#pragma once

#include "device/device.h"

namespace openclPort {

// What the device is like when it computes with pairs; `single`: with floats, and pairs where these do not do.
DeviceInfo as_pair_device(const DeviceInfo& device, bool single = false);

SharedDevice pair_device(SharedDevice device, bool single = false);

// While there is one, what this thread sends to such a device may be any number: tables of the package's own, whose
// numbers next to 0 count for nothing.
class OwnNumbers {
 public:
  OwnNumbers();
  ~OwnNumbers();
  OwnNumbers(const OwnNumbers&) = delete;
  OwnNumbers& operator=(const OwnNumbers&) = delete;
};

// Throws PairRangeError where a number is one that such a device cannot take.
void check_pair_number(const DeviceInfo& device, double x);

}  // namespace openclPort
