// cache_entry -- what an entry of the program cache holds, and the secret that binds it to its owner.
#include "base/cache_entry.h"

#include <utility>

#include "base/private_folder.h"
#include "base/sha256.h"

namespace openclPort {

namespace {

constexpr char kMagic[] = "nmathcl2";  // with the number of the format
constexpr std::size_t kMagicBytes = 8;
constexpr std::size_t kHeadBytes = kMagicBytes + 2 * 8;
constexpr std::size_t kDigestBytes = 32;
constexpr std::size_t kSecretBytes = 32;

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

// Takes as long wherever the first difference is.
bool same_digest(const Sha256::Digest& digest, const char* bytes) {
  unsigned char difference = 0;
  for (std::size_t i = 0; i < kDigestBytes; ++i) difference |= digest[i] ^ static_cast<unsigned char>(bytes[i]);
  return difference == 0;
}

}  // namespace

std::string entry_head(const std::string& key, std::uint64_t program_bytes) {
  return std::string(kMagic, kMagicBytes) + number_bytes(key.size()) + number_bytes(program_bytes) + key;
}

std::string entry_seal(const std::string& head, const std::string& program, const std::string& secret) {
  const Sha256::Digest digest = HmacSha256(secret).update(head).update(program).finish();
  return std::string(digest.begin(), digest.end());
}

std::uint64_t entry_bytes(const std::string& key, const std::string& program) {
  return kHeadBytes + key.size() + program.size() + kDigestBytes;
}

std::optional<std::string> checked_program(std::string entry, const std::string& key, const std::string& secret) {
  if (entry.size() < kHeadBytes + key.size() + kDigestBytes) return std::nullopt;
  const std::uint64_t program_bytes = read_number(entry.data() + kMagicBytes + 8);
  const std::string head = entry_head(key, program_bytes);
  if (entry.size() - head.size() - kDigestBytes != program_bytes || entry.compare(0, head.size(), head) != 0)
    return std::nullopt;
  const std::size_t checked = entry.size() - kDigestBytes;
  const Sha256::Digest digest = HmacSha256(secret).update(entry.data(), checked).finish();
  if (!same_digest(digest, entry.data() + checked)) return std::nullopt;
  entry.resize(checked);
  return entry.erase(0, head.size());
}

std::string cache_secret(const std::string& key_file, std::string& problem) {
  const std::pair<std::string, std::string> parts = split_path(key_file);
  const PrivateFolder folder(parts.first, !key_file.empty());
  if (key_file.empty() || folder.state() != FolderState::open) {
    problem = "no place for the key file '" + key_file + "': " + folder.problem();
    return std::string();
  }
  for (int attempt = 0; attempt < 2; ++attempt) {
    const std::optional<std::string> secret = folder.read(parts.second, kSecretBytes, true);
    if (secret && secret->size() == kSecretBytes) return *secret;
    const std::optional<PrivateFolder::File> broken = folder.file(parts.second);
    if (broken && broken->bytes != kSecretBytes) folder.remove(parts.second);
    const std::string fresh = random_bytes(kSecretBytes), draft = sha256_hex(random_bytes(kSecretBytes)) + "-0-0.draft";
    if (fresh.size() == kSecretBytes && folder.write_new(draft, {&fresh})) folder.name_if_free(draft, parts.second);
  }
  problem = "the key file '" + key_file + "' cannot be made, or is not this user's alone";
  return std::string();
}

}  // namespace openclPort
