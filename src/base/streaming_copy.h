// streaming_copy -- copies past the processor's caches, for data that nobody reads soon.
#pragma once

#include <cstddef>

namespace openclPort {

// Bytes that are more than the caches of most processors hold.
constexpr std::size_t kBeyondCaches = std::size_t{32} << 20;

// As memcpy, but where the processor has stores that pass its caches by (x86-64), `to` is neither read from memory
// before it is written nor kept in a cache: a third less travels. Other threads see the bytes as they do memcpy's.
void streaming_copy(void* to, const void* from, std::size_t bytes) noexcept;

}  // namespace openclPort
