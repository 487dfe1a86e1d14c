// Copies past the caches: every byte, none beside them, from and to any place.
#include "base/streaming_copy.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace openclPort {
namespace {

TEST(StreamingCopy, moves_all_bytes_and_no_other) {
  std::vector<unsigned char> from(1500);
  std::iota(from.begin(), from.end(), static_cast<unsigned char>(7));
  for (const std::size_t bytes : {0u, 1u, 15u, 63u, 64u, 65u, 128u, 1000u})
    for (std::size_t to_offset = 0; to_offset < 70; to_offset += 3)
      for (std::size_t from_offset = 0; from_offset < 70; from_offset += 7) {
        std::vector<unsigned char> to(1500, 1), want = to;
        std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(from_offset), bytes,
                    want.begin() + static_cast<std::ptrdiff_t>(to_offset));
        streaming_copy(to.data() + to_offset, from.data() + from_offset, bytes);
        ASSERT_EQ(want, to) << bytes << ' ' << to_offset << ' ' << from_offset;
      }
  streaming_copy(nullptr, nullptr, 0);
}

}  // namespace
}  // namespace openclPort
