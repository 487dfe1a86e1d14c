// host_compiler -- the C compiler by which the host device compiles programs from their text.
#include "device/host_compiler.h"
#include "base/process_mutex.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <thread>
#include <utility>

#include "base/child_process.h"
#include "base/nmath_error.h"
#include "base/program_cache.h"
#include "base/shared_object.h"
#include "loader/build_log.h"
#include "loader/nmath_library.h"

#if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))
#include <cpuid.h>
#define NMATH_HAS_CPUID 1
#endif

namespace openclPort {

namespace {

constexpr const char* kFormat = "host object 2";  // of what is kept
constexpr std::size_t kMaxLog = 16384;            // bytes of a log that an error carries
constexpr std::size_t kMaxRead = 4 << 20;         // bytes of one that are looked at
constexpr std::size_t kMaxLine = 500;             // bytes of the line that an error shows

struct State {
  ProcessMutex mutex;
  std::optional<HostCompiler> known;
  std::function<HostCompiler()> resolver;
  std::thread::id resolver_thread;
};

State& state() {  // never destroyed, like all that a process may need at its end
  static State* const instance = new State;
  return *instance;
}

std::atomic<unsigned> compilations{0};

HostCompiler with_program_found(HostCompiler compiler) {
  if (!compiler.missing.empty()) return compiler;
  const std::string name = compiler.command.empty() ? std::string() : compiler.command[0];
  const std::string path = name.empty() ? std::string() : find_program(name);
  if (path.empty())
    compiler.missing =
        "there is no C compiler '" + name + "' in the folders of PATH that are this user's or the system's";
  else
    compiler.command[0] = path;
  return compiler;
}

// Registers of cpuid: instructions compiled for one processor need not be there on another.
std::string this_processor() {
  std::ostringstream text;
  text << 8 * sizeof(void*);
#ifdef NMATH_HAS_CPUID
  for (const unsigned leaf : {0u, 1u, 7u, 0x80000001u}) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(leaf, 0, &a, &b, &c, &d) == 0) continue;
    if (leaf == 1) b = 0;             // has the number of the core that answers
    if (leaf == 1) c &= ~(1u << 27);  // the system's, not the processor's
    text << ' ' << std::hex << a << '.' << b << '.' << c << '.' << d;
  }
#endif
  return text.str();
}

// The length of the longest kernel of a text.
std::size_t longest_kernel(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t at = text.find("\n__kernel "); at != std::string::npos; at = text.find("\n__kernel ", at + 1))
    longest = std::max(longest, std::min(text.find("\n}", at), text.size()) - at);
  return longest;
}

// What gcc -O3 makes of kernels from some 40,000 bytes on, with hundreds of values, is as fast as what -O2 makes of
// them, and takes it four to seven times as long.
constexpr std::size_t kLongKernel = 40000;
// Time grows faster than the text: 458,000 bytes take -O2 10.0 s, -O1 5.0, and the compiled kernels take the same time.
constexpr std::size_t kHugeKernel = 200000;

const char* level_of(std::size_t kernel) { return kernel < kLongKernel ? "-O3" : kernel < kHugeKernel ? "-O2" : "-O1"; }

// Behind the flags that were given. A level of optimization among those stays.
std::vector<std::string> own_flags(const HostCompiler& compiler, const std::string& text) {
  std::vector<std::string> flags = {
      "-x",
      "c",
      "-std=gnu11",
      "-g0",
      "-ffp-contract=off",
      "-fno-math-errno",
      "-fno-trapping-math",
      "-fvisibility=hidden",
      "-fgnu89-inline",
      "-Wno-attributes",
      "-Werror=implicit-function-declaration",
      "-Werror=int-conversion",
      "-Werror=incompatible-pointer-types",
#ifdef NMATH_HAS_CPUID
      "-march=native",  // the processor is part of what an object is kept by
#endif
  };
  for (const std::string& flag : compiler.flags)
    if (flag.compare(0, 2, "-O") == 0) return flags;
#ifdef _WIN32
  flags.push_back("-O2");  // vectors of 32 bytes may lie unaligned on the stack there: gcc's bug 54412
#else
  // At 3 gcc computes several elements of a loop at a time, which it does not do below.
  flags.push_back(level_of(longest_kernel(text)));
#endif
  return flags;
}

// A compiler that was replaced is another one.
std::string file_identity(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0) return path;
  return path + " " + std::to_string(info.st_size) + " " + std::to_string(static_cast<long long>(info.st_mtime));
}

// -D and -U words; what else compilers of devices take (-cl-...) has no meaning here.
std::vector<std::string> definitions_of(const std::string& options) {
  std::vector<std::string> words;
  std::istringstream in(options);
  for (std::string word; in >> word;) {
    if (word.compare(0, 2, "-D") != 0 && word.compare(0, 2, "-U") != 0) continue;
    if (word.size() == 2) {
      std::string name;
      in >> name;
      word += name;
    }
    words.push_back(word);
  }
  return words;
}

// Settings that would lead the compiler to other files than it names itself are left out.
std::map<std::string, std::string> compiler_environment(const std::string& program, const std::string& folder) {
  std::map<std::string, std::string> all = own_environment();
  for (const char* name :
       {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "OBJC_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH",
        "GCC_EXEC_PREFIX", "CCC_OVERRIDE_OPTIONS", "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES", "LD_PRELOAD",
        "DYLD_INSERT_LIBRARIES", "LD_RUN_PATH", "LANGUAGE", "GCC_COLORS", "CLICOLOR_FORCE", "CFLAGS", "LDFLAGS"})
    all.erase(name);
  const std::string own = program.substr(0, program.find_last_of("/\\"));
  const std::string path = safe_path();
  all["PATH"] = path.empty() ? own : path;
  all["LC_ALL"] = "C";
  all["TMPDIR"] = all["TEMP"] = all["TMP"] = folder;
  return all;
}

struct Compiled {
  int status;
  std::string log, problem;
};

// `flags`: own_flags(), or none.
Compiled run_compiler(const HostCompiler& compiler, const TemporaryFolder& folder,
                      const std::vector<std::string>& flags, const std::vector<std::string>& more,
                      const std::string& log_file) {
  ChildProcess child;
  child.command = compiler.command;
  const auto add = [&](const std::vector<std::string>& words) {
    child.command.insert(child.command.end(), words.begin(), words.end());
  };
  add(compiler.flags);
  add(flags);
  add(more);
  child.environment = compiler_environment(compiler.command[0], folder.file("."));
  child.output = log_file;
  child.seconds = compiler.seconds;
  Compiled result;
  result.status = run_child(child, result.problem);
  return result;
}

[[noreturn]] void fail(const Compiled& result, const TemporaryFolder& folder, const std::string& log,
                       const char* what = "compiling") {
  std::string first = log.empty() ? result.problem : first_error(log);
  if (first.empty() && result.status >= 0)
    first = "the compiler gave no reason, its status is " + std::to_string(result.status);
  if (first.size() > kMaxLine) first = first.substr(0, kMaxLine) + "...";
  const std::string room = folder.lack_of_room();
  if (!room.empty()) first += (first.empty() ? "" : "; ") + room;
  std::string kept = log;
  if (kept.size() > kMaxLog) kept = kept.substr(0, kMaxLog) + "\n... (more)";
  throw NmathError(std::string(what) + " the program failed" + (first.empty() ? "" : ": " + first),
                   what[0] == 'l' ? "link" : "compile", result.status > 0 ? "CL_BUILD_PROGRAM_FAILURE" : "",
                   missing_function_hint(log), kHostName, kept);
}

// What the compiler makes of a text, `more` among its words.
std::string compiled(const HostCompiler& compiler, const std::string& c_text, const std::string& options,
                     const std::vector<std::string>& more, const std::vector<std::string>& last,
                     std::string* reported = nullptr) {
  const TemporaryFolder folder(compiler.folder);
  const std::string source = folder.file("program.c"), made = folder.file("program.out"), log = folder.file("log");
  write_bytes(source, c_text);
  std::vector<std::string> words = definitions_of(options);
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), {"-o", made, source});
  words.insert(words.end(), last.begin(), last.end());
  const Compiled result = run_compiler(compiler, folder, own_flags(compiler, c_text), words, log);
  const std::string bytes = result.status == 0 ? read_bytes(made) : std::string();
  if (bytes.empty()) fail(result, folder, read_bytes(log, kMaxRead));
  if (reported != nullptr) *reported = read_bytes(log, kMaxRead);
  return bytes;
}

// Frames from here on the compiler tells of; what they have is taken for one chain of calls.
constexpr unsigned kLargeFrame = 16 << 10;
constexpr std::uint64_t kFewBytesOfFrames = 64 << 10;  // fits the usual stacks

// The sum of "the frame size of N bytes" (gcc), "stack frame size (N)" (clang).
std::uint64_t large_frames(const std::string& log) {
  const std::string mark = "frame size ";
  std::uint64_t sum = 0;
  for (std::size_t at = log.find(mark); at != std::string::npos; at = log.find(mark, at + 1)) {
    const std::size_t digits = log.find_first_of("0123456789", at);
    if (digits == std::string::npos || digits - at > mark.size() + 4) continue;
    const unsigned long long bytes = std::strtoull(log.c_str() + digits, nullptr, 10);
    sum += std::min<std::uint64_t>(bytes, std::uint64_t{1} << 40);
  }
  return sum;
}

// The same with what HOST.cl is to tell of the stack that the kernels need: a text with large frames is compiled twice.
std::string compiled_for_stack(const HostCompiler& compiler, const std::string& c_text, const std::string& options,
                               const std::vector<std::string>& more, const std::vector<std::string>& last,
                               std::string* reported = nullptr) {
  std::string log;
  std::vector<std::string> words = more;
  words.push_back("-Wframe-larger-than=" + std::to_string(kLargeFrame));
  const std::string bytes = compiled(compiler, c_text, options, words, last, &log);
  const std::uint64_t frames = large_frames(log);
  if (reported != nullptr) *reported = log;
  if (frames == 0 || (frames <= kFewBytesOfFrames && reported == nullptr)) return bytes;
  const std::string define = "#define NMATH_STACK_BYTES " + std::to_string(frames) + "\n";
  return compiled(compiler, (frames > kFewBytesOfFrames ? define : "") + c_text, options, more, last, reported);
}

}  // namespace

void set_host_compiler(const HostCompiler& compiler) {
  const std::lock_guard<ProcessMutex> guard(state().mutex);
  state().resolver = nullptr;
  state().known = with_program_found(compiler);
}

void set_host_compiler_resolver(std::function<HostCompiler()> resolver) {
  const std::lock_guard<ProcessMutex> guard(state().mutex);
  state().known.reset();
  state().resolver = std::move(resolver);
  state().resolver_thread = std::this_thread::get_id();
}

HostCompiler host_compiler() {
  std::function<HostCompiler()> resolver;
  {
    const std::lock_guard<ProcessMutex> guard(state().mutex);
    if (state().resolver && std::this_thread::get_id() == state().resolver_thread) resolver = state().resolver;
    if (!resolver) {
      if (state().known) return *state().known;
      HostCompiler none;
      none.missing = state().resolver ? "nobody looked for one yet" : "none was named";
      return none;
    }
  }
  const HostCompiler found = with_program_found(resolver());  // outside the lock: it is not ours
  const std::lock_guard<ProcessMutex> guard(state().mutex);
  state().known = found;
  return found;
}

bool host_compiler_expected() {
  const std::lock_guard<ProcessMutex> guard(state().mutex);
  return state().known ? state().known->missing.empty() : static_cast<bool>(state().resolver);
}

std::string host_object_key(const HostCompiler& compiler, const std::string& text, const std::string& options) {
  std::vector<std::string> parts = {kFormat, this_processor(), file_identity(compiler.command.at(0)), options, text};
  for (const std::vector<std::string>& words :
       {compiler.command, compiler.flags, own_flags(compiler, text), compiler.link_flags}) {
    parts.push_back(std::to_string(words.size()));
    parts.insert(parts.end(), words.begin(), words.end());
  }
  return program_cache_key(parts);
}

std::string compile_host_object(const HostCompiler& compiler, const std::string& c_text, const std::string& options) {
  const std::string object = compiled_for_stack(compiler, c_text, options, {}, compiler.link_flags);
  ++compilations;
  return object;
}

std::string compile_host_part(const HostCompiler& compiler, const std::string& c_text, const std::string& options,
                              std::string* log) {
  const std::string part = compiled_for_stack(compiler, c_text, options, {"-c"}, {}, log);
  ++compilations;
  return part;
}

std::string link_host_parts(const HostCompiler& compiler, const std::vector<const std::string*>& parts) {
  const TemporaryFolder folder(compiler.folder);
  const std::string made = folder.file("program.out"), log = folder.file("log");
  std::vector<std::string> words = {"-o", made};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    words.push_back(folder.file("part" + std::to_string(k) + ".o"));
    write_bytes(words.back(), *parts[k]);
  }
  words.insert(words.end(), compiler.link_flags.begin(), compiler.link_flags.end());
  const Compiled result = run_compiler(compiler, folder, {}, words, log);
  const std::string bytes = result.status == 0 ? read_bytes(made) : std::string();
  if (bytes.empty()) fail(result, folder, read_bytes(log, kMaxRead), "linking");
  return bytes;
}

std::string expand_host_text(const HostCompiler& compiler, const std::string& c_text, const std::string& options) {
  return compiled(compiler, c_text, options, {"-E"}, {});
}

unsigned host_compilations() { return compilations.load(); }

}  // namespace openclPort
