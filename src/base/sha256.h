// sha256 -- the hash function of FIPS 180-4, which names and checks entries of the program cache.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace openclPort {

class Sha256 {
 public:
  using Digest = std::array<unsigned char, 32>;

  Sha256& update(const void* data, std::size_t bytes);
  Sha256& update(const std::string& text) { return update(text.data(), text.size()); }
  Digest finish();  // once

 private:
  void compress(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};  // the last, incomplete block
  std::uint64_t bytes_ = 0;
};

std::string sha256_hex(const std::string& text);

}  // namespace openclPort
