// pair_probe -- whether a device rounds sums and products of floats as pairs of floats need it.
#pragma once

#include "device/devices.h"

namespace openclPort {

// Runs a kernel of sums, products, quotients and roots the first time it is asked about a device. Thread-safe.
Fp64Probe pair_probe(const DeviceInfo& device);

// How many times as fast as doubles pairs of floats are in sums and products on a device with both: measured the first
// time it is asked, in milliseconds. 0: one of them does not work.
double pair_speed(const DeviceInfo& device);

}  // namespace openclPort
