// fuzz_cache_entry -- entries of the program cache: only what was written, whole, comes back.
#include "base/cache_entry.h"
#include "fuzz.h"

using namespace openclPort;

namespace {

const std::string kKey = "device, options and text of a program";

std::string entry_of(const std::string& key, const std::string& program) {
  const std::string head = entry_head(key, program.size());
  return head + program + entry_checksum(head, program);
}

// The bytes as an entry, as one with a right checksum, and as a program: kept, damaged, of another key.
void check(const std::string& bytes, std::size_t damaged) {
  const auto as_it_is = checked_program(bytes, kKey);
  fuzz::expect(!as_it_is || entry_of(kKey, *as_it_is) == bytes, "an entry that is taken is one that was written");

  const std::string checked = bytes + entry_checksum(bytes, "");
  const auto program = checked_program(checked, kKey);
  fuzz::expect(!program || entry_of(kKey, *program) == checked, "a checksum alone makes no entry");

  const std::string entry = entry_of(kKey, bytes);
  fuzz::expect(entry.size() == entry_bytes(kKey, bytes), "an entry has the length that it is said to have");
  fuzz::expect(checked_program(entry, kKey) == bytes, "what was written comes back");
  fuzz::expect(!checked_program(entry, kKey + " "), "of this key alone");
  fuzz::expect(!checked_program(entry.substr(0, damaged % entry.size()), kKey), "whole");
  fuzz::expect(!checked_program(entry + bytes + "x", kKey), "with nothing behind it");
  std::string bent = entry;
  bent[damaged % bent.size()] ^= static_cast<char>(1u << (damaged >> 16 & 7u));
  fuzz::expect(!checked_program(bent, kKey), "to the last bit");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::size_t damaged = 0;
  for (std::size_t i = 0; i < size && i < 4; ++i) damaged = damaged << 8 | data[i];
  check(fuzz::text_of(data, size), damaged);
  return 0;
}
