// cache_entry -- what an entry of the program cache holds, and the secret that binds it to its owner.
//
// Layout: magic (8 bytes), length of the key, length of the program (8 bytes each, least significant first), key,
// program, HMAC-SHA-256 of all before it with the owner's secret.
#ifndef NMATHOPENCL_CACHE_ENTRY_H
#define NMATHOPENCL_CACHE_ENTRY_H

#include <cstdint>
#include <optional>
#include <string>

namespace openclPort {

std::string entry_head(const std::string& key, std::uint64_t program_bytes);
std::string entry_seal(const std::string& head, const std::string& program, const std::string& secret);
std::uint64_t entry_bytes(const std::string& key, const std::string& program);  // of the whole file

// The program of a whole entry, or nothing if one bit of it is not as its owner wrote it.
std::optional<std::string> checked_program(std::string entry, const std::string& key, const std::string& secret);

// The secret of this user, made in `key_file` where there is none yet. Empty, with the reason, where it cannot be had.
std::string cache_secret(const std::string& key_file, std::string& problem);

}  // namespace openclPort

#endif
