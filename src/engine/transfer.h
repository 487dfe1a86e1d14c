// transfer -- long vectors to a device and back at the bus's best: by several threads, through page-locked memory.
#ifndef NMATHOPENCL_TRANSFER_H
#define NMATHOPENCL_TRANSFER_H

#include <cstddef>

#include "base/report.h"
#include "device/device.h"

namespace openclPort {

// Bytes [offset, offset + bytes) of a buffer. `interrupted` is asked in between; what was asked to stop has moved some.
void send_bytes(const SharedDevice& device, const Buffer& to, std::size_t offset, const void* from, std::size_t bytes,
                const InterruptCheck& interrupted = nullptr);
void fetch_bytes(const SharedDevice& device, const Buffer& from, std::size_t offset, void* to, std::size_t bytes,
                 const InterruptCheck& interrupted = nullptr);

}  // namespace openclPort

#endif
