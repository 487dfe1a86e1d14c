// program_cache -- programs kept on disk between processes: a folder of entries, each found by the text of its key.
//
// A program that is read here runs. So the folder and its files have to be this user's, and nobody else may write to
// them (private_folder.h); and an entry carries its whole key and a checksum: what is damaged, truncated, of another
// program or unreadable counts as missing. An entry is written to a draft that is then renamed: readers and other
// writers see an old entry or a new one, never a part. Files whose names are not those of entries are never touched.
// Whatever fails here fails in silence: the program is then built from its source. Thread-safe, and safe between
// processes. What the bytes mean is the caller's affair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace openclPort {

// Where entries are kept; "": nothing is. Without a call of either function the environment variable
// NMATHOPENCL_CACHE_DIR says where. A resolver is asked at each use, on the thread that set it only; elsewhere its last
// answer holds.
using CacheFolderResolver = std::function<std::string()>;
void set_program_cache_folder(const std::string& folder);
void set_program_cache_resolver(CacheFolderResolver resolver);
std::string program_cache_folder();

constexpr std::uint64_t kProgramCacheLimit = std::uint64_t{256} << 20;
void set_program_cache_limit(std::uint64_t bytes);  // of all entries; the ones unused for longest go first

// Unambiguous text of a key's parts, whatever bytes they hold.
std::string program_cache_key(const std::vector<std::string>& parts);

std::optional<std::string> load_cached_program(const std::string& key);
bool store_cached_program(const std::string& key, const std::string& program);  // false: not kept

struct ProgramCacheInfo {
  std::string folder;  // "": no cache
  std::size_t entries = 0;
  std::uint64_t bytes = 0;
  std::string problem;  // why the folder is not used, or the last entry could not be written; "" where all is well
};
ProgramCacheInfo program_cache_info();
std::size_t clear_program_cache();  // removes every entry; how many went

// A folder that was not used because others can write to it: what to tell the user, once for each folder; else "".
std::string take_program_cache_warning();

}  // namespace openclPort
