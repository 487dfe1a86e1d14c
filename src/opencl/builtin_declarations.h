// builtin_declarations -- a short header for the package's programs where a driver's own takes most of the time of a
// build.
//
// PoCL 3 has its compiler read clang's opencl-c.h ahead of each program, twice: 18,000 lines, most of them of vectors
// and images, and most of the time that a small kernel takes. What the package's programs call is declared here in 30
// lines, with the types and attributes of OpenCL C 1.2, section 6.12, and the header left out: it asks for the macro
// that guards it. Types and constants come from another one, which is short.
#pragma once

#include <string>

#include "device/device_info.h"

namespace openclPort {

// Whether the driver is one that leaves its header out where it is asked to, and needs no more than is declared here.
bool takes_builtin_declarations(const DeviceInfo& device);

// `text` behind the declarations; its lines keep their numbers.
std::string with_builtin_declarations(const std::string& text);

// The option of the compiler that goes with them.
std::string without_drivers_header(const std::string& options);

}  // namespace openclPort
