// memory_limit -- sysconf, getrlimit, and the files of control groups of both versions (Linux, cgroups(7)).
#include "base/memory_limit.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace openclPort {

#ifdef __linux__

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// What a file with one number says; none if it says "max" or is not there.
std::size_t number_in(const std::string& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  return in >> number ? static_cast<std::size_t>(std::min<std::uint64_t>(number, kNone)) : kNone;
}

// The number behind a name at the beginning of a line; none if there is no such line.
std::size_t number_named(const std::string& file, const std::string& name) {
  std::ifstream in(file);
  std::string first;
  std::uint64_t number = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    if (words >> first >> number && first == name)
      return static_cast<std::size_t>(std::min<std::uint64_t>(number, kNone));
  }
  return kNone;
}

// Files of a group's limit, use, and statistics with the name of the pages that can be dropped.
struct GroupFiles {
  const char *limit, *use, *droppable;
};
constexpr GroupFiles kVersion2 = {"memory.max", "memory.current", "inactive_file"},
                     kVersion1 = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};

std::size_t limit_of(const std::string& folder, const GroupFiles& files) {
  return number_in(folder + "/" + files.limit);
}

std::size_t available_of(const std::string& folder, const GroupFiles& files) {
  const std::size_t limit = limit_of(folder, files), use = number_in(folder + "/" + files.use);
  if (limit == kNone || use == kNone) return kNone;
  const std::size_t drop = number_named(folder + "/memory.stat", files.droppable);
  const std::size_t held = drop == kNone ? use : use - std::min(use, drop);
  return limit - std::min(limit, held);
}

using GroupNumber = std::size_t (*)(const std::string& folder, const GroupFiles& files);

// The least number of a group and those it is part of. A container sees its own group as the outermost, under whatever
// name it has outside.
std::size_t least_of_group_and_parents(const std::string& mount, std::string group, const GroupFiles& files,
                                       GroupNumber number) {
  std::size_t least = number(mount, files);
  while (group.size() > 1) {
    least = std::min(least, number(mount + group, files));
    group.resize(group.rfind('/'));
  }
  return least;
}

// Lines of /proc/self/cgroup: number:controllers:group, with no controllers where there is one tree of groups for all.
std::size_t least_of_groups(const std::string& root, GroupNumber number) {
  std::size_t least = kNone;
  std::ifstream lines(root + "/proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos || second + 1 >= line.size() || line[second + 1] != '/') continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1), mounts = root + "/sys/fs/cgroup";
    if (controllers == ",,") least = std::min(least, least_of_group_and_parents(mounts, group, kVersion2, number));
    if (controllers.find(",memory,") != std::string::npos)
      least = std::min(least, least_of_group_and_parents(mounts + "/memory", group, kVersion1, number));
  }
  return least;
}

}  // namespace

std::size_t memory_limit(const std::string& root) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return 0;
  std::size_t least = static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
  rlimit space;
  if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
    least = std::min(least, static_cast<std::size_t>(std::min<rlim_t>(space.rlim_cur, kNone)));
  return std::min(least, least_of_groups(root, limit_of));
}

std::size_t memory_available(const std::string& root) {
  const std::size_t kilobytes = number_named(root + "/proc/meminfo", "MemAvailable:");
  const std::size_t machine = kilobytes > kNone / 1024 ? kNone : kilobytes * 1024;
  return std::min(machine, least_of_groups(root, available_of));
}

#else

std::size_t memory_limit(const std::string&) { return 0; }
std::size_t memory_available(const std::string&) { return std::numeric_limits<std::size_t>::max(); }

#endif

}  // namespace openclPort
