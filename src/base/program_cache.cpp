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
  CachePlace place;
  CachePlaceResolver resolver;
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

// This user's secret. Empty, with a problem noted, where it cannot be had.
std::string own_secret(const std::string& key_file) {
  std::string problem;
  const std::string secret = cache_secret(key_file, problem);
  if (secret.empty()) note_problem(problem);
  return secret;
}

CachePlace place_of_environment() {
  const std::string key_file = environment("NMATHOPENCL_CACHE_KEY_FILE");
  return {environment("NMATHOPENCL_CACHE_DIR"), key_file.empty() ? default_cache_key_file() : key_file};
}

}  // namespace

std::string default_cache_key_file() {
#ifdef _WIN32
  const std::string base = environment("LOCALAPPDATA");
#else
  std::string base = environment("XDG_CACHE_HOME");
  if (base.empty() && !environment("HOME").empty()) base = environment("HOME") + "/.cache";
#endif
  return base.empty() ? base : base + "/nmathopencl/key";
}

void set_program_cache_place(const CachePlace& place) {
  const std::lock_guard<ProcessMutex> guard(state().mutex);
  state().set = true;
  state().place = place;
  state().resolver = nullptr;
  state().problem.clear();
}

void set_program_cache_resolver(CachePlaceResolver resolver) {
  const std::lock_guard<ProcessMutex> guard(state().mutex);
  state().set = true;
  state().resolver = std::move(resolver);
  state().resolver_thread = std::this_thread::get_id();
}

CachePlace program_cache_place() {
  CachePlaceResolver resolver;
  {
    const std::lock_guard<ProcessMutex> guard(state().mutex);
    if (!state().set) {
      state().place = place_of_environment();
      state().set = true;
    }
    if (state().resolver && std::this_thread::get_id() == state().resolver_thread) resolver = state().resolver;
    if (!resolver) return state().place;
  }
  const CachePlace place = resolver();  // outside the lock: it is not ours
  const std::lock_guard<ProcessMutex> guard(state().mutex);
  return state().place = place;
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
  const CachePlace place = program_cache_place();
  if (place.folder.empty()) return std::nullopt;
  const PrivateFolder folder(place.folder, false);
  if (!may_use(folder)) return std::nullopt;
  const std::string name = entry_name(key);
  const std::optional<PrivateFolder::File> file = folder.file(name);
  if (!file) return std::nullopt;
  const std::optional<std::string> entry = folder.read(name, cache_limit());
  const std::string secret = entry ? own_secret(place.key_file) : std::string();
  if (secret.empty()) return std::nullopt;
  std::optional<std::string> program = checked_program(*entry, key, secret);
  if (program && std::time(nullptr) - file->time > kTouchAge) folder.touch(name);
  return program;
}

bool store_cached_program(const std::string& key, const std::string& program) {
  const CachePlace place = program_cache_place();
  const std::uint64_t limit = cache_limit();
  if (place.folder.empty() || program.empty() || entry_bytes(key, program) > limit) return false;
  const PrivateFolder folder(place.folder, true);
  if (!may_use(folder)) return false;
  const std::string secret = own_secret(place.key_file);
  if (secret.empty()) return false;
  const std::string name = entry_name(key), draft = draft_name(name);
  const std::string head = entry_head(key, program.size()), seal = entry_seal(head, program, secret);
  if (!folder.write_new(draft, {&head, &program, &seal}))
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
  info.folder = program_cache_place().folder;
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
  const std::string path = program_cache_place().folder;
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
