// program_cache -- programs kept on disk between processes: a folder of entries, each found by the text of its key.
//
// An entry is a file "<SHA-256 of the key>.program"; what is in it, cache_entry.h says.
#include "base/program_cache.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <set>
#include <thread>

#include "base/cache_entry.h"
#include "base/private_folder.h"
#include "base/process_mutex.h"
#include "base/sha256.h"
#include "base/text.h"

// <filesystem> is left out on purpose: it is missing from the C++ libraries of older macOS and Windows tool chains.

namespace openclPort {

namespace {

constexpr std::size_t kDigestDigits = 64;
constexpr const char* kEntryEnd = ".program";
constexpr const char* kDraftEnd = ".draft";  // an entry that is being written
constexpr std::time_t kDraftAge = 3600;      // seconds after which a draft was left behind by a writer that died
constexpr std::time_t kTouchAge = 86400;     // seconds after which the use of an entry is noted in its time

struct CacheState {
  ProcessMutex mutex;
  bool set = false;
  std::string folder;
  CacheFolderResolver resolver;
  std::thread::id resolver_thread;
  std::uint64_t limit = kProgramCacheLimit;
  std::string problem, warning;
  std::set<std::string> warned;
};

CacheState& state() {  // never destroyed: programs may be built while static objects go
  static CacheState* const instance = new CacheState;
  return *instance;
}

std::uint64_t cache_limit() {
  const std::lock_guard<ProcessMutex> guard(state().mutex);
  return state().limit;
}

bool note_problem(const std::string& problem) {
  const std::lock_guard<ProcessMutex> guard(state().mutex);
  state().problem = problem;
  return problem.empty();
}

// True if entries may be read from the folder and written to it.
bool may_use(const PrivateFolder& folder) {
  if (folder.state() == FolderState::open) return true;
  if (folder.state() == FolderState::missing) return false;
  note_problem(folder.problem());
  if (folder.state() == FolderState::unsafe) {
    const std::lock_guard<ProcessMutex> guard(state().mutex);
    if (state().warned.insert(folder.path()).second)
      state().warning = "built programs are not kept in '" + folder.path() + "': " + folder.problem();
  }
  return false;
}

// ---- names ----

std::string entry_name(const std::string& key) { return sha256_hex(key) + kEntryEnd; }

bool starts_with_digest(const std::string& name) {
  return name.size() > kDigestDigits && name.find_first_not_of("0123456789abcdef") == kDigestDigits;
}

bool is_entry_name(const std::string& name) {
  return starts_with_digest(name) && name.compare(kDigestDigits, std::string::npos, kEntryEnd) == 0;
}

// "<64 digits>-<number>-<number>.draft"
bool is_draft_name(const std::string& name) {
  if (!starts_with_digest(name) || name.size() < kDigestDigits + 10) return false;
  const std::size_t end = name.size() - 6;
  return name.compare(end, std::string::npos, kDraftEnd) == 0 && name[kDigestDigits] == '-' &&
         name.find_first_not_of("0123456789-", kDigestDigits) == end;
}

std::string draft_name(const std::string& entry) {
  static std::atomic<unsigned> count{0};
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();  // folders may be shared by hosts
  return sha256_hex(entry + random_bytes(16)) + "-" + std::to_string(now) + "-" + std::to_string(++count) + kDraftEnd;
}

std::vector<PrivateFolder::File> entries_of(const PrivateFolder& folder) {
  std::vector<PrivateFolder::File> entries;
  for (const std::string& name : folder.names()) {
    if (!is_entry_name(name)) continue;
    const std::optional<PrivateFolder::File> file = folder.file(name);
    if (file) entries.push_back(*file);
  }
  return entries;
}

// Drafts are their writer's for an hour; `all` takes younger ones too.
void remove_drafts(const PrivateFolder& folder, bool all) {
  const std::time_t now = std::time(nullptr);
  for (const std::string& name : folder.names()) {
    if (!is_draft_name(name)) continue;
    const std::optional<PrivateFolder::File> draft = folder.file(name);
    if (draft && (all || now - draft->time > kDraftAge)) folder.remove(name);
  }
}

// Drops what dead writers left and, where the limit is passed, the entries unused for longest down to 3/4 of it.
void trim(const PrivateFolder& folder, const std::string& newest, std::uint64_t limit) {
  remove_drafts(folder, false);
  std::vector<PrivateFolder::File> entries = entries_of(folder);
  std::uint64_t total = 0;
  for (const PrivateFolder::File& entry : entries) total += entry.bytes;
  if (total <= limit) return;
  std::sort(entries.begin(), entries.end(),
            [](const PrivateFolder::File& a, const PrivateFolder::File& b) { return a.time < b.time; });
  for (const PrivateFolder::File& entry : entries) {
    if (total <= limit / 4 * 3) return;
    if (entry.name == newest) continue;
    folder.remove(entry.name);
    total -= entry.bytes;
  }
}

}  // namespace

void set_program_cache_folder(const std::string& folder) {
  const std::lock_guard<ProcessMutex> guard(state().mutex);
  state().set = true;
  state().folder = folder;
  state().resolver = nullptr;
  state().problem.clear();
}

void set_program_cache_resolver(CacheFolderResolver resolver) {
  const std::lock_guard<ProcessMutex> guard(state().mutex);
  state().set = true;
  state().resolver = std::move(resolver);
  state().resolver_thread = std::this_thread::get_id();
}

std::string program_cache_folder() {
  CacheFolderResolver resolver;
  {
    const std::lock_guard<ProcessMutex> guard(state().mutex);
    if (!state().set) {
      state().folder = environment("NMATHOPENCL_CACHE_DIR");
      state().set = true;
    }
    if (state().resolver && std::this_thread::get_id() == state().resolver_thread) resolver = state().resolver;
    if (!resolver) return state().folder;
  }
  const std::string folder = resolver();  // outside the lock: it is not ours
  const std::lock_guard<ProcessMutex> guard(state().mutex);
  return state().folder = folder;
}

void set_program_cache_limit(std::uint64_t bytes) {
  const std::lock_guard<ProcessMutex> guard(state().mutex);
  state().limit = bytes;
}

std::string program_cache_key(const std::vector<std::string>& parts) {
  std::string key;
  for (const std::string& part : parts) key += std::to_string(part.size()) + ":" + part + "\n";
  return key;
}

std::optional<std::string> load_cached_program(const std::string& key) {
  const std::string path = program_cache_folder();
  if (path.empty()) return std::nullopt;
  const PrivateFolder folder(path, false);
  if (!may_use(folder)) return std::nullopt;
  const std::string name = entry_name(key);
  const std::optional<PrivateFolder::File> file = folder.file(name);
  if (!file) return std::nullopt;
  const std::optional<std::string> entry = folder.read(name, cache_limit());
  if (!entry) return std::nullopt;
  std::optional<std::string> program = checked_program(*entry, key);
  if (program && std::time(nullptr) - file->time > kTouchAge) folder.touch(name);
  return program;
}

bool store_cached_program(const std::string& key, const std::string& program) {
  const std::string path = program_cache_folder();
  const std::uint64_t limit = cache_limit();
  if (path.empty() || program.empty() || entry_bytes(key, program) > limit) return false;
  const PrivateFolder folder(path, true);
  if (!may_use(folder)) return false;
  const std::string name = entry_name(key), draft = draft_name(name);
  const std::string head = entry_head(key, program.size()), checksum = entry_checksum(head, program);
  if (!folder.write_new(draft, {&head, &program, &checksum}))
    return note_problem("the folder cannot be written to, or the disk is full");
  if (!folder.replace(draft, name)) {
    folder.remove(draft);
    return note_problem("the entry '" + name + "' cannot be replaced");
  }
  trim(folder, name, limit);
  return note_problem("");
}

ProgramCacheInfo program_cache_info() {
  ProgramCacheInfo info;
  info.folder = program_cache_folder();
  if (info.folder.empty()) return info;
  const PrivateFolder folder(info.folder, false);
  if (may_use(folder)) {
    for (const PrivateFolder::File& entry : entries_of(folder)) {
      ++info.entries;
      info.bytes += entry.bytes;
    }
  }
  const std::lock_guard<ProcessMutex> guard(state().mutex);
  info.problem = state().problem;
  return info;
}

std::size_t clear_program_cache() {
  const std::string path = program_cache_folder();
  if (path.empty()) return 0;
  const PrivateFolder folder(path, false);
  if (!may_use(folder)) return 0;
  std::size_t removed = 0;
  for (const PrivateFolder::File& entry : entries_of(folder)) removed += folder.remove(entry.name);
  remove_drafts(folder, true);
  return removed;
}

std::string take_program_cache_warning() {
  const std::lock_guard<ProcessMutex> guard(state().mutex);
  std::string warning;
  warning.swap(state().warning);
  return warning;
}

}  // namespace openclPort
