// host_image -- programs of the host device as parts of kernel bundles: what its C compiler makes of a text.
#pragma once

#include "device/program_image.h"

namespace openclPort {

// Throws where there is no compiler. `device` is the host.
SharedImage host_source_image(const DeviceInfo& device, ImageSource source);

}  // namespace openclPort
