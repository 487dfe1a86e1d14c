// memory_limit -- sysconf, getrlimit, and the files of control groups of both versions (Linux, cgroups(7)).
#include "base/memory_limit.h"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>

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

// The least limit of a group and those it is part of. A container sees its own group as the outermost, under whatever
// name it has outside.
std::size_t group_limit(const std::string& mount, std::string group, const char* file) {
  std::size_t least = number_in(mount + "/" + file);
  while (group.size() > 1) {
    least = std::min(least, number_in(mount + group + "/" + file));
    group.resize(group.rfind('/'));
  }
  return least;
}

// Lines of /proc/self/cgroup: number:controllers:group, with no controllers where there is one tree of groups for all.
std::size_t groups_limit(const std::string& root) {
  std::size_t least = kNone;
  std::ifstream lines(root + "/proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos || second + 1 >= line.size() || line[second + 1] != '/') continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1), mounts = root + "/sys/fs/cgroup";
    if (controllers == ",,") least = std::min(least, group_limit(mounts, group, "memory.max"));
    if (controllers.find(",memory,") != std::string::npos)
      least = std::min(least, group_limit(mounts + "/memory", group, "memory.limit_in_bytes"));
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
  return std::min(least, groups_limit(root));
}

#else

std::size_t memory_limit(const std::string&) { return 0; }

#endif

}  // namespace openclPort
