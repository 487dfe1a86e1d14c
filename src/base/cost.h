// cost -- how much a function costs, coarsely.
#pragma once

namespace openclPort {

// What one element takes on one core of the host, whatever its arguments: up to 3 microseconds, 50 microseconds, a
// millisecond, more. tools/costs.R measures it; engine/work_chunks.h is what it is for.
enum class Cost { cheap, moderate, heavy, slow };

}  // namespace openclPort
