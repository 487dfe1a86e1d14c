// device_draws -- resident draws, on a device with memory of its own.
#ifndef NMATHOPENCL_DEVICE_DRAWS_H
#define NMATHOPENCL_DEVICE_DRAWS_H

#include <cstdint>
#include <vector>

#include "device/device.h"
#include "engine/elementwise.h"

namespace openclPort {

// What is kept. The device is no `immediate` one: there results are the caller's memory anyhow.
struct DeviceDraws {
  std::vector<const Buffer*>
      resident;                  // columns of doubles that are resident on the device already, else null; empty: none
  const Buffer* out = nullptr;   // room for them as doubles, or ints
  bool na = false;               // of doubles: a draw without a value is R's NA, else NaN; of ints it is R's
  std::size_t first = 0;         // of the call's elements: the first one that is kept
  std::size_t count = SIZE_MAX;  // and how many are
};
struct DrawsFound {
  bool missing = false;  // some have no value
  bool beyond = false;   // some are no int, where ints are kept
};
// The draws are those of run_elementwise().
DrawsFound run_device_draws(const SharedDevice& device, const KernelSpec& spec, const std::vector<Column>& columns,
                            const DeviceDraws& target, std::size_t n, RunReport& report, const CallHooks& hooks,
                            DrawStream stream, const ElementwiseOptions& options = {});

// Builds what that takes, so that any thread may run it.
void build_device_draws(const SharedDevice& device, const KernelSpec& spec, const std::vector<Column>& columns,
                        const DeviceDraws& target, std::size_t n, RunReport& report, DrawStream stream);

// Takes draws from the memory of a chunk to their place: missing ones are R's, whole numbers ints. Its kernels
// store_doubles and store_integers have the arguments from, to, first (long: where the chunk begins in `to`), missing
// (ulong: the bits of a missing double), found (int*: bit 0 is set where one is missing, bit 1 where one is no int),
// len.
SharedProgram resident_draws_program(const SharedDevice& device);

}  // namespace openclPort

#endif
