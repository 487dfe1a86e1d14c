// program_cache -- programs kept on disk between processes: a folder of entries, each found by the text of its key.
//
// Layout of an entry file "<SHA-256 of the key>.program": magic (8 bytes), length of the key, length of the program (8
// bytes each, least significant first), key, program, SHA-256 of all before it.
#include "program_cache.h"

#include <dirent.h>
#include <sys/stat.h>
#include <utime.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <mutex>
#include <thread>

#include "sha256.h"

#ifdef _WIN32
#define NOMINMAX
#include <direct.h>
#include <process.h>
#include <windows.h>
#else
#include <unistd.h>
#endif

// <filesystem> is left out on purpose: it is missing from the C++ libraries of older macOS and Windows tool chains.

namespace openclPort {

namespace {

constexpr char kMagic[] = "nmathcl1";  // with the number of the format
constexpr std::size_t kMagicBytes = 8;
constexpr std::size_t kHeadBytes = kMagicBytes + 2 * 8;
constexpr std::size_t kDigestBytes = 32;
constexpr const char* kEntryEnd = ".program";
constexpr const char* kDraftEnd = ".draft";  // an entry that is being written
constexpr std::time_t kDraftAge = 3600;      // seconds after which a draft was left behind by a writer that died
constexpr std::time_t kTouchAge = 86400;     // seconds after which the use of an entry is noted in its time

struct CacheState {
  std::mutex mutex;
  bool set = false;
  std::string folder;
  CacheFolderResolver resolver;
  std::thread::id resolver_thread;
  std::uint64_t limit = kProgramCacheLimit;
  std::string problem;
};

CacheState& state() {  // never destroyed: programs may be built while static objects go
  static CacheState* const instance = new CacheState;
  return *instance;
}

std::uint64_t cache_limit() {
  const std::lock_guard<std::mutex> guard(state().mutex);
  return state().limit;
}

bool note_problem(const std::string& problem) {
  const std::lock_guard<std::mutex> guard(state().mutex);
  state().problem = problem;
  return problem.empty();
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// ---- files ----

struct FileFacts {
  std::string path;
  std::uint64_t bytes;
  std::time_t time;
};

std::optional<FileFacts> file_facts(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return FileFacts{path, static_cast<std::uint64_t>(info.st_size), info.st_mtime};
}

// The files of the folder whose name ends so. Others are never touched.
std::vector<FileFacts> files_ending(const std::string& folder, const char* end) {
  std::vector<FileFacts> files;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opendir(folder.c_str()), closedir);
  if (!listing) return files;
  while (const dirent* entry = readdir(listing.get())) {
    if (!ends_with(entry->d_name, end)) continue;
    const std::optional<FileFacts> facts = file_facts(folder + "/" + entry->d_name);
    if (facts) files.push_back(*facts);
  }
  return files;
}

bool make_one_folder(const std::string& path) {
#ifdef _WIN32
  return _mkdir(path.c_str()) == 0;
#else
  return mkdir(path.c_str(), 0700) == 0;
#endif
}

// Makes the folder and those above it.
bool make_folder(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0) return S_ISDIR(info.st_mode);
  const std::size_t slash = path.find_last_of("/\\");
  if (slash != std::string::npos && slash > 0 && !make_folder(path.substr(0, slash))) return false;
  return make_one_folder(path) || errno == EEXIST;
}

bool replace_file(const std::string& from, const std::string& to) {
#ifdef _WIN32
  return MoveFileExA(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING) != 0;
#else
  return std::rename(from.c_str(), to.c_str()) == 0;
#endif
}

std::string draft_path(const std::string& folder) {
  static std::atomic<unsigned> count{0};
#ifdef _WIN32
  const long process = _getpid();
#else
  const long process = getpid();
#endif
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();  // folders may be shared by hosts
  return folder + "/" + std::to_string(process) + "-" + std::to_string(now) + "-" + std::to_string(++count) + kDraftEnd;
}

// Drops what dead writers left and, where the limit is passed, the entries unused for longest down to 3/4 of it.
void trim(const std::string& folder, const std::string& newest, std::uint64_t limit) {
  const std::time_t now = std::time(nullptr);
  for (const FileFacts& draft : files_ending(folder, kDraftEnd))
    if (now - draft.time > kDraftAge) std::remove(draft.path.c_str());
  std::vector<FileFacts> entries = files_ending(folder, kEntryEnd);
  std::uint64_t total = 0;
  for (const FileFacts& entry : entries) total += entry.bytes;
  if (total <= limit) return;
  std::sort(entries.begin(), entries.end(), [](const FileFacts& a, const FileFacts& b) { return a.time < b.time; });
  for (const FileFacts& entry : entries) {
    if (total <= limit / 4 * 3) return;
    if (entry.path == newest) continue;
    std::remove(entry.path.c_str());
    total -= entry.bytes;
  }
}

// ---- entries ----

std::string entry_path(const std::string& folder, const std::string& key) {
  return folder + "/" + sha256_hex(key) + kEntryEnd;
}

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

std::string entry_head(const std::string& key, std::uint64_t program_bytes) {
  return std::string(kMagic, kMagicBytes) + number_bytes(key.size()) + number_bytes(program_bytes) + key;
}

// The program of a whole entry, or nothing if one bit of it is not as it was written.
std::optional<std::string> checked_program(std::string entry, const std::string& key) {
  if (entry.size() < kHeadBytes + key.size() + kDigestBytes) return std::nullopt;
  const std::uint64_t program_bytes = read_number(entry.data() + kMagicBytes + 8);
  const std::string head = entry_head(key, program_bytes);
  if (entry.size() - head.size() - kDigestBytes != program_bytes || entry.compare(0, head.size(), head) != 0)
    return std::nullopt;
  const std::size_t checked = entry.size() - kDigestBytes;
  const Sha256::Digest digest = Sha256().update(entry.data(), checked).finish();
  if (std::memcmp(digest.data(), entry.data() + checked, kDigestBytes) != 0) return std::nullopt;
  entry.resize(checked);
  return entry.erase(0, head.size());
}

// The size is that of the opened file: the name may come to mean a newer entry at any moment.
std::string read_bytes(const std::string& path, std::uint64_t limit) {
  std::ifstream in(path, std::ios::binary);
  in.seekg(0, std::ios::end);
  const std::streamoff size = in.tellg();
  if (!in || size <= 0 || static_cast<std::uint64_t>(size) > limit) return std::string();
  std::string bytes(static_cast<std::size_t>(size), '\0');
  in.seekg(0);
  in.read(&bytes[0], size);
  bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  return bytes;
}

bool write_entry(const std::string& path, const std::string& key, const std::string& program) {
  const std::string head = entry_head(key, program.size());
  const Sha256::Digest digest = Sha256().update(head).update(program).finish();
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << head << program;
  out.write(reinterpret_cast<const char*>(digest.data()), kDigestBytes);
  out.close();
  return static_cast<bool>(out);
}

}  // namespace

void set_program_cache_folder(const std::string& folder) {
  const std::lock_guard<std::mutex> guard(state().mutex);
  state().set = true;
  state().folder = folder;
  state().resolver = nullptr;
  state().problem.clear();
}

void set_program_cache_resolver(CacheFolderResolver resolver) {
  const std::lock_guard<std::mutex> guard(state().mutex);
  state().set = true;
  state().resolver = std::move(resolver);
  state().resolver_thread = std::this_thread::get_id();
}

std::string program_cache_folder() {
  CacheFolderResolver resolver;
  {
    const std::lock_guard<std::mutex> guard(state().mutex);
    if (!state().set) {
      const char* folder = std::getenv("NMATHOPENCL_CACHE_DIR");
      state().folder = folder == nullptr ? "" : folder;
      state().set = true;
    }
    if (state().resolver && std::this_thread::get_id() == state().resolver_thread) resolver = state().resolver;
    if (!resolver) return state().folder;
  }
  const std::string folder = resolver();  // outside the lock: it is not ours
  const std::lock_guard<std::mutex> guard(state().mutex);
  return state().folder = folder;
}

void set_program_cache_limit(std::uint64_t bytes) {
  const std::lock_guard<std::mutex> guard(state().mutex);
  state().limit = bytes;
}

std::string program_cache_key(const std::vector<std::string>& parts) {
  std::string key;
  for (const std::string& part : parts) key += std::to_string(part.size()) + ":" + part + "\n";
  return key;
}

std::optional<std::string> load_cached_program(const std::string& key) {
  const std::string folder = program_cache_folder();
  if (folder.empty()) return std::nullopt;
  const std::optional<FileFacts> file = file_facts(entry_path(folder, key));
  if (!file) return std::nullopt;
  std::optional<std::string> program = checked_program(read_bytes(file->path, cache_limit()), key);
  if (program && std::time(nullptr) - file->time > kTouchAge) utime(file->path.c_str(), nullptr);
  return program;
}

bool store_cached_program(const std::string& key, const std::string& program) {
  const std::string folder = program_cache_folder();
  const std::uint64_t limit = cache_limit();
  if (folder.empty() || program.empty() || program.size() + key.size() + kHeadBytes + kDigestBytes > limit)
    return false;
  if (!make_folder(folder)) return note_problem("the folder cannot be made");
  const std::string draft = draft_path(folder), path = entry_path(folder, key);
  if (!write_entry(draft, key, program)) {
    std::remove(draft.c_str());
    return note_problem("the folder cannot be written to, or the disk is full");
  }
  if (!replace_file(draft, path)) {
    std::remove(draft.c_str());
    return note_problem("the entry '" + path + "' cannot be replaced");
  }
  trim(folder, path, limit);
  return note_problem("");
}

ProgramCacheInfo program_cache_info() {
  ProgramCacheInfo info;
  info.folder = program_cache_folder();
  if (info.folder.empty()) return info;
  for (const FileFacts& entry : files_ending(info.folder, kEntryEnd)) {
    ++info.entries;
    info.bytes += entry.bytes;
  }
  const std::lock_guard<std::mutex> guard(state().mutex);
  info.problem = state().problem;
  return info;
}

std::size_t clear_program_cache() {
  const std::string folder = program_cache_folder();
  if (folder.empty()) return 0;
  std::size_t removed = 0;
  for (const FileFacts& entry : files_ending(folder, kEntryEnd)) removed += std::remove(entry.path.c_str()) == 0;
  for (const FileFacts& draft : files_ending(folder, kDraftEnd)) std::remove(draft.path.c_str());
  return removed;
}

}  // namespace openclPort
