// sha256 -- the hash function of FIPS 180-4.
#include "base/sha256.h"

#include <algorithm>
#include <cstring>

namespace openclPort {

namespace {

// The fractional parts of the cube roots of the first 64 primes.
constexpr std::uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t rotated(std::uint32_t x, int bits) { return (x >> bits) | (x << (32 - bits)); }

}  // namespace

void Sha256::compress(const unsigned char* block) {
  std::uint32_t w[64];
  for (int i = 0; i < 16; ++i)
    w[i] = static_cast<std::uint32_t>(block[4 * i]) << 24 | static_cast<std::uint32_t>(block[4 * i + 1]) << 16 |
           static_cast<std::uint32_t>(block[4 * i + 2]) << 8 | static_cast<std::uint32_t>(block[4 * i + 3]);
  for (int i = 16; i < 64; ++i) {
    const std::uint32_t low = rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t high = rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + low + w[i - 7] + high;
  }
  std::array<std::uint32_t, 8> s = state_;
  for (int i = 0; i < 64; ++i) {
    const std::uint32_t e = s[4], a = s[0];
    const std::uint32_t first =
        s[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & s[5]) ^ (~e & s[6])) + kRound[i] + w[i];
    const std::uint32_t second =
        (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    s = {first + second, a, s[1], s[2], s[3] + first, e, s[5], s[6]};
  }
  for (int i = 0; i < 8; ++i) state_[i] += s[i];
}

Sha256& Sha256::update(const void* data, std::size_t bytes) {
  const unsigned char* from = static_cast<const unsigned char*>(data);
  std::size_t held = static_cast<std::size_t>(bytes_ % 64);
  bytes_ += bytes;
  while (bytes > 0) {
    if (held == 0 && bytes >= 64) {
      compress(from);
      from += 64;
      bytes -= 64;
      continue;
    }
    const std::size_t piece = std::min(bytes, 64 - held);
    std::memcpy(pending_.data() + held, from, piece);
    held = (held + piece) % 64;
    from += piece;
    bytes -= piece;
    if (held == 0) compress(pending_.data());
  }
  return *this;
}

Sha256::Digest Sha256::finish() {
  const std::uint64_t bits = bytes_ * 8;
  unsigned char end[72] = {0x80};
  const std::size_t held = static_cast<std::size_t>(bytes_ % 64);
  const std::size_t padding = (held < 56 ? 56 : 120) - held;
  for (int i = 0; i < 8; ++i) end[padding + i] = static_cast<unsigned char>(bits >> (56 - 8 * i));
  update(end, padding + 8);
  Digest digest;
  for (int i = 0; i < 32; ++i) digest[i] = static_cast<unsigned char>(state_[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

std::string sha256_hex(const std::string& text) {
  static const char digits[] = "0123456789abcdef";
  std::string hex;
  for (const unsigned char byte : Sha256().update(text).finish()) {
    hex += digits[byte >> 4];
    hex += digits[byte & 15];
  }
  return hex;
}

}  // namespace openclPort
