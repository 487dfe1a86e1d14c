// cache_entry -- see cache_entry.h
#include "base/cache_entry.h"

#include <algorithm>

#include "base/sha256.h"

namespace openclPort {

namespace {

constexpr char kMagic[] = "nmathcl3";  // with the number of the format
constexpr std::size_t kMagicBytes = 8;
constexpr std::size_t kHeadBytes = kMagicBytes + 2 * 8;
constexpr std::size_t kDigestBytes = 32;

std::string number_bytes(std::uint64_t number) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xff);
  return bytes;
}

std::uint64_t read_number(const char* bytes) {
  std::uint64_t number = 0;
  for (int i = 7; i >= 0; --i) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

}  // namespace

std::string entry_head(const std::string& key, std::uint64_t program_bytes) {
  return std::string(kMagic, kMagicBytes) + number_bytes(key.size()) + number_bytes(program_bytes) + key;
}

std::string entry_checksum(const std::string& head, const std::string& program) {
  const Sha256::Digest digest = Sha256().update(head).update(program).finish();
  return std::string(digest.begin(), digest.end());
}

std::uint64_t entry_bytes(const std::string& key, const std::string& program) {
  return kHeadBytes + key.size() + program.size() + kDigestBytes;
}

std::optional<std::string> checked_program(std::string entry, const std::string& key) {
  if (entry.size() < kHeadBytes + key.size() + kDigestBytes) return std::nullopt;
  const std::uint64_t program_bytes = read_number(entry.data() + kMagicBytes + 8);
  const std::string head = entry_head(key, program_bytes);
  if (entry.size() - head.size() - kDigestBytes != program_bytes || entry.compare(0, head.size(), head) != 0)
    return std::nullopt;
  const std::size_t checked = entry.size() - kDigestBytes;
  const Sha256::Digest digest = Sha256().update(entry.data(), checked).finish();
  const auto same = [](unsigned char a, char b) { return a == static_cast<unsigned char>(b); };
  if (!std::equal(digest.begin(), digest.end(), entry.data() + checked, same)) return std::nullopt;
  entry.resize(checked);
  return entry.erase(0, head.size());
}

}  // namespace openclPort
