// cache_entry -- what an entry of the program cache holds.
//
// Layout: magic (8 bytes), length of the key, length of the program (8 bytes each, least significant first), key,
// program, SHA-256 of all before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace openclPort {

std::string entry_head(const std::string& key, std::uint64_t program_bytes);
std::string entry_checksum(const std::string& head, const std::string& program);
std::uint64_t entry_bytes(const std::string& key, const std::string& program);  // of the whole file

// The program of a whole entry, or nothing if one bit of it is not as it was written.
std::optional<std::string> checked_program(std::string entry, const std::string& key);

}  // namespace openclPort
