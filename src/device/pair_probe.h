// pair_probe -- whether a device rounds sums and products of floats as pairs of floats need it.
#ifndef NMATHOPENCL_PAIR_PROBE_H
#define NMATHOPENCL_PAIR_PROBE_H

#include "device/devices.h"

namespace openclPort {

// Runs a kernel of sums, products, quotients and roots the first time it is asked about a device. Thread-safe.
Fp64Probe pair_probe(const DeviceInfo& device);

}  // namespace openclPort

#endif
