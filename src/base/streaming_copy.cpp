// streaming_copy -- stores of 16 bytes, four at a time: a cache line.
#include "base/streaming_copy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__) || defined(_M_X64)
#include <emmintrin.h>
#define NMATHOPENCL_STREAMING_STORES
#endif

namespace openclPort {

void streaming_copy(void* to, const void* from, std::size_t bytes) noexcept {
#ifdef NMATHOPENCL_STREAMING_STORES
  constexpr std::size_t line = 64, item = sizeof(__m128i);
  unsigned char* out = static_cast<unsigned char*>(to);
  const unsigned char* in = static_cast<const unsigned char*>(from);
  const std::size_t before = std::min(bytes, (line - reinterpret_cast<std::uintptr_t>(out) % line) % line);
  if (before > 0) std::memcpy(out, in, before);
  std::size_t done = before;
  for (; done + line <= bytes; done += line)
    for (std::size_t k = 0; k < line; k += item)
      _mm_stream_si128(reinterpret_cast<__m128i*>(out + done + k),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(in + done + k)));
  if (done < bytes) std::memcpy(out + done, in + done, bytes - done);
  _mm_sfence();  // what a thread says afterwards comes after these stores
#else
  if (bytes > 0) std::memcpy(to, from, bytes);
#endif
}

}  // namespace openclPort
