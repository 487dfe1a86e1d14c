// child_process_windows -- runs another program to its end (Windows).
#ifdef _WIN32

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <algorithm>
#include <cstdlib>

#include "base/child_process.h"
#include "base/interrupted.h"
#include "base/stopwatch.h"
#include "base/text.h"

namespace openclPort {

namespace {

// As the C run time of the child takes a command line apart.
std::string quoted(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\"") == std::string::npos) return word;
  std::string text = "\"";
  std::size_t slashes = 0;
  for (const char c : word) {
    if (c == '\\') {
      ++slashes;
      continue;
    }
    text.append(c == '"' ? 2 * slashes + 1 : slashes, '\\');
    slashes = 0;
    text += c;
  }
  text.append(2 * slashes, '\\');
  return text + "\"";
}

class Handle {
 public:
  explicit Handle(HANDLE handle) : handle_(handle) {}
  ~Handle() {
    if (handle_ != nullptr && handle_ != INVALID_HANDLE_VALUE) CloseHandle(handle_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  HANDLE get() const { return handle_; }

 private:
  HANDLE handle_;
};

bool is_program(const std::string& path) {
  const DWORD found = GetFileAttributesA(path.c_str());
  return found != INVALID_FILE_ATTRIBUTES && (found & FILE_ATTRIBUTE_DIRECTORY) == 0;
}

bool is_full(const std::string& path) { return path.size() > 2 && path[1] == ':'; }

std::vector<std::string> full_folders() {
  const char* const path = std::getenv("PATH");
  const std::string all = path == nullptr ? "" : path;
  std::vector<std::string> folders;
  for (std::size_t begin = 0; begin <= all.size();) {
    const std::size_t end = std::min(all.find(';', begin), all.size());
    if (is_full(all.substr(begin, end - begin))) folders.push_back(all.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

}  // namespace

int run_child(const ChildProcess& child, std::string& problem) {
  SECURITY_ATTRIBUTES inherited = {sizeof inherited, nullptr, TRUE};
  const Handle output(CreateFileA(child.output.c_str(), GENERIC_WRITE, FILE_SHARE_READ, &inherited, CREATE_ALWAYS,
                                  FILE_ATTRIBUTE_NORMAL, nullptr));
  const Handle input(CreateFileA("NUL", GENERIC_READ, FILE_SHARE_READ, &inherited, OPEN_EXISTING, 0, nullptr));
  STARTUPINFOA start = {};
  start.cb = sizeof start;
  start.dwFlags = STARTF_USESTDHANDLES;
  start.hStdInput = input.get();
  start.hStdOutput = start.hStdError = output.get();
  std::string line, block;
  for (const std::string& word : child.command) line += (line.empty() ? "" : " ") + quoted(word);
  for (const auto& entry : child.environment) block += entry.first + "=" + entry.second + '\0';
  block += '\0';
  // What the child starts belongs to its job, and ends with the job's last handle: ours, with this process at the
  // latest.
  const Handle job(CreateJobObjectA(nullptr, nullptr));
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  if (job.get() != nullptr)
    SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits);
  PROCESS_INFORMATION process = {};
  if (!CreateProcessA(child.command[0].c_str(), &line[0], nullptr, nullptr, TRUE,
                      CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP | CREATE_SUSPENDED, &block[0], nullptr, &start,
                      &process)) {
    problem = "'" + child.command[0] + "' cannot be started: error " + std::to_string(GetLastError());
    return -1;
  }
  const Handle thread(process.hThread), running(process.hProcess);
  // Where a job cannot hold it (one within a job of old systems), it is ended alone.
  const bool held = job.get() != nullptr && AssignProcessToJobObject(job.get(), running.get());
  ResumeThread(thread.get());
  const auto end_all = [&] {
    if (held)
      TerminateJobObject(job.get(), 1);
    else
      TerminateProcess(running.get(), 1);
  };
  Stopwatch watch;
  double waited = 0;
  while (WaitForSingleObject(running.get(), static_cast<DWORD>(kInterruptSeconds * 1000)) != WAIT_OBJECT_0) {
    waited += watch.lap();
    if (waited > child.seconds) {
      end_all();
      problem = "'" + child.command[0] + "' did not end in " + std::to_string(static_cast<int>(child.seconds)) + " s";
      return -1;
    }
    if (user_interrupts()) {
      end_all();
      throw Interrupted();
    }
  }
  DWORD status = 1;
  GetExitCodeProcess(running.get(), &status);
  return static_cast<int>(status);
}

std::map<std::string, std::string> own_environment() {
  std::map<std::string, std::string> all;
  char* const block = GetEnvironmentStringsA();
  for (const char* entry = block; entry != nullptr && *entry != '\0';) {
    const std::string text = entry;
    const std::size_t equals = text.find('=', 1);
    if (equals != std::string::npos) all[text.substr(0, equals)] = text.substr(equals + 1);
    entry += text.size() + 1;
  }
  if (block != nullptr) FreeEnvironmentStringsA(block);
  return all;
}

std::string find_program(const std::string& name) {
  if (name.find_first_of("/\\") != std::string::npos) {
    if (!is_full(name)) return std::string();
    return is_program(name) ? name : is_program(name + ".exe") ? name + ".exe" : std::string();
  }
  for (const std::string& folder : full_folders())
    if (is_program(folder + "\\" + name + ".exe")) return folder + "\\" + name + ".exe";
  return std::string();
}

std::string safe_path() { return joined(full_folders(), ";"); }

}  // namespace openclPort

#endif  // _WIN32
