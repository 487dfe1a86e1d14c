// child_process -- runs another program to its end (POSIX).
#ifndef _WIN32

#include "base/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/interrupted.h"
#include "base/stopwatch.h"
#include "base/text.h"

#ifdef __APPLE__
#include <crt_externs.h>
#else
extern char** environ;
#endif

namespace openclPort {

namespace {

char** environment_block() {
#ifdef __APPLE__
  return *_NSGetEnviron();
#else
  return environ;
#endif
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(&text[0]);
  pointers.push_back(nullptr);
  return pointers;
}

// Of the system, of this user, or of whoever installed the R that runs.
bool is_trusted(uid_t owner) {
  struct stat info;
  const char* const home = std::getenv("R_HOME");
  return owner == 0 || owner == geteuid() || (home != nullptr && stat(home, &info) == 0 && owner == info.st_uid);
}

bool is_safe_folder(const std::string& path) {
  struct stat info;
  if (path.empty() || path[0] != '/' || stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return false;
  return is_trusted(info.st_uid) && (info.st_mode & S_IWOTH) == 0;
}

bool is_program(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::vector<std::string> safe_folders_of_path() {
  const char* const path = std::getenv("PATH");
  const std::string all = path == nullptr ? "/usr/bin:/bin" : path;
  std::vector<std::string> folders;
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find(':', begin), all.size());
    const std::string folder = all.substr(begin, end - begin);
    if (is_safe_folder(folder)) folders.push_back(folder);
    begin = end + 1;
  }
  return folders;
}

// Runs "$@" and gives its status. Its other half waits for the end of descriptor 3, whose other end this process holds:
// when that is closed, by us or with this process, whatever the child's group still has is killed.
constexpr const char* kShell = "/bin/sh";
constexpr const char* kWatched =
    "\"$@\" 3<&- & job=$!\n"
    "{ read gone <&3; kill -9 0; } >/dev/null 2>&1 &\n"
    "exec 3<&-\n"
    "wait $job\n";

// What a shell would take from the environment beyond its variables.
bool changes_shells(const std::string& name) {
  return name == "ENV" || name == "BASH_ENV" || name == "SHELLOPTS" || name == "BASHOPTS" || name == "IFS" ||
         name.compare(0, 9, "BASH_FUNC") == 0;
}

// A pipe that only this process has, and the child from it what it is given.
class Pipe {
 public:
  Pipe() {
    int fresh[2];
    if (pipe(fresh) != 0) return;
    for (int k = 0; k < 2; ++k) {
      ends_[k] = fcntl(fresh[k], F_DUPFD_CLOEXEC, 10);  // not the number that the child has it under
      close(fresh[k]);
    }
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  bool open() const { return ends_[0] >= 0 && ends_[1] >= 0; }
  int end(int which) const { return ends_[which]; }
  void close_end(int which) {
    if (ends_[which] >= 0) close(ends_[which]);
    ends_[which] = -1;
  }

 private:
  int ends_[2] = {-1, -1};
};

// A child in a group of its own, which Ctrl-C does not reach, with the usual treatment of signals. `lifeline`: what it
// ends with; where that is not open it is not watched.
int start(const ChildProcess& child, const Pipe& lifeline, pid_t& id) {
  std::vector<std::string> words, settings;
  if (lifeline.open()) words = {kShell, "-c", kWatched, "sh"};
  words.insert(words.end(), child.command.begin(), child.command.end());
  for (const auto& entry : child.environment)
    if (!changes_shells(entry.first)) settings.push_back(entry.first + "=" + entry.second);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  if (lifeline.open()) posix_spawn_file_actions_adddup2(&files, lifeline.end(0), 3);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, child.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, S_IRUSR | S_IWUSR);
  posix_spawn_file_actions_adddup2(&files, 1, 2);
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGCHLD}) sigaddset(&usual, signal);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int failure =
      posix_spawn(&id, words[0].c_str(), &files, &attributes, pointers_to(words).data(), pointers_to(settings).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return failure;
}

int refuse_start(const std::string& program, int failure, std::string& problem) {
  problem = "'" + program + "' cannot be started: " + std::strerror(failure);
  return -1;
}

int ended_by(const std::string& program, int signal, std::string& problem) {
  problem = "'" + program + "' was ended by signal " + std::to_string(signal);
  return -1;
}

}  // namespace

int run_child(const ChildProcess& child, std::string& problem) {
  const std::string& program = child.command[0];
  if (access(program.c_str(), X_OK) != 0) return refuse_start(program, errno, problem);
  Pipe lifeline;
  if (access(kShell, X_OK) != 0) lifeline.close_end(1);
  const bool watched = lifeline.open();
  pid_t id = 0;
  const int failure = start(child, lifeline, id);
  if (failure != 0) return refuse_start(program, failure, problem);
  lifeline.close_end(0);
  const auto end_all = [&] {
    int status = 0;
    kill(-id, SIGKILL);
    while (waitpid(id, &status, 0) < 0 && errno == EINTR) continue;
  };
  Stopwatch watch;
  double waited = 0, asked = 0;
  for (int status = 0;;) {
    const pid_t ended = waitpid(id, &status, WNOHANG);
    if (ended == id) {
      if (!WIFEXITED(status)) return ended_by(program, WTERMSIG(status), problem);
      const int reported = WEXITSTATUS(status);
      if (watched && reported == 126) return refuse_start(program, EACCES, problem);  // the shell's own words
      if (watched && reported > 128) return ended_by(program, reported - 128, problem);
      return reported;
    }
    if (ended < 0 && errno != EINTR) return 0;  // somebody else took its status: what it made tells
    waited += watch.lap();
    if (waited > child.seconds) {
      end_all();
      problem = "'" + program + "' did not end in " + std::to_string(static_cast<int>(child.seconds)) + " s";
      return -1;
    }
    if (waited - asked > kInterruptSeconds) {
      asked = waited;
      if (user_interrupts()) {
        end_all();
        throw Interrupted();
      }
    }
    usleep(waited < 0.02 ? 500 : 2000);
  }
}

std::map<std::string, std::string> own_environment() {
  std::map<std::string, std::string> all;
  for (char** entry = environment_block(); entry != nullptr && *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos && equals > 0) all[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return all;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name[0] == '/' && is_program(name) ? name : std::string();
  for (const std::string& folder : safe_folders_of_path())
    if (is_program(folder + "/" + name)) return folder + "/" + name;
  return std::string();
}

std::string safe_path() { return joined(safe_folders_of_path(), ":"); }

}  // namespace openclPort

#endif  // !_WIN32
