// The memory that a process may have: control groups of both versions, and what is written where nothing is limited.
#include "base/memory_limit.h"

#include <gtest/gtest.h>

#ifdef __linux__
#include <sys/stat.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

using openclPort::memory_available;
using openclPort::memory_limit;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// A folder in the place of the system's root.
class Root {
 public:
  Root() {
    char name[] = "/tmp/memory_limit_XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Root() { EXPECT_EQ(0, std::system(("rm -r " + path_).c_str())); }
  void file(const std::string& name, const std::string& text) {
    for (std::size_t at = name.find('/', 1); at != std::string::npos; at = name.find('/', at + 1))
      mkdir((path_ + name.substr(0, at)).c_str(), 0700);
    std::ofstream(path_ + name) << text << '\n';
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

TEST(MemoryLimit, is_the_machines_where_no_group_limits_it) {
  Root root;
  const std::size_t machine = memory_limit(root.path());
  EXPECT_GT(machine, 64 * kMiB);
  root.file("/proc/self/cgroup", "0::/user/job");
  root.file("/sys/fs/cgroup/user/job/memory.max", "max");
  EXPECT_EQ(machine, memory_limit(root.path()));
  root.file("/proc/self/cgroup", "nonsense\n1:memory\n:\n2:cpu:/a\n3:memory:\n0::relative");
  EXPECT_EQ(machine, memory_limit(root.path()));
  EXPECT_LE(memory_limit(), machine);
}

TEST(MemoryAvailable, is_what_system_and_groups_leave_with_the_pages_they_can_drop) {
  Root root;
  EXPECT_EQ(SIZE_MAX, memory_available(root.path()));
  root.file("/proc/meminfo", "MemTotal:       4096 kB\nMemFree:   1 kB\nMemAvailable:    2048 kB");
  EXPECT_EQ(2 * kMiB, memory_available(root.path()));
  root.file("/proc/self/cgroup", "0::/job");
  root.file("/sys/fs/cgroup/job/memory.max", "3145728");
  EXPECT_EQ(2 * kMiB, memory_available(root.path()));
  root.file("/sys/fs/cgroup/job/memory.current", "2621440");
  EXPECT_EQ(kMiB / 2, memory_available(root.path()));
  root.file("/sys/fs/cgroup/job/memory.stat", "anon 5\ninactive_file 524288\nactive_file 7");
  EXPECT_EQ(kMiB, memory_available(root.path()));
  root.file("/sys/fs/cgroup/job/memory.current", "9999999999");
  EXPECT_EQ(0u, memory_available(root.path()));
  root.file("/proc/self/cgroup", "3:memory:/old");
  root.file("/sys/fs/cgroup/memory/old/memory.limit_in_bytes", "1048576");
  root.file("/sys/fs/cgroup/memory/old/memory.usage_in_bytes", "524288");
  root.file("/sys/fs/cgroup/memory/old/memory.stat", "inactive_file 1\ntotal_inactive_file 262144");
  EXPECT_EQ(3 * kMiB / 4, memory_available(root.path()));
  EXPECT_GT(memory_available(), 0u);
  EXPECT_LE(memory_available(), memory_limit());
}

TEST(MemoryLimit, is_the_least_of_a_group_and_those_around_it) {
  Root root;
  root.file("/proc/self/cgroup", "0::/user/job/step");
  root.file("/sys/fs/cgroup/user/job/step/memory.max", "50331648");
  EXPECT_EQ(48 * kMiB, memory_limit(root.path()));
  root.file("/sys/fs/cgroup/user/memory.max", "33554432");
  EXPECT_EQ(32 * kMiB, memory_limit(root.path()));
  root.file("/sys/fs/cgroup/memory.max", "16777216");
  EXPECT_EQ(16 * kMiB, memory_limit(root.path()));
}

TEST(MemoryLimit, of_the_first_version_is_in_the_tree_of_memory) {
  Root root;
  root.file("/proc/self/cgroup", "5:cpu,cpuacct:/\n4:hugetlb,memory:/docker/1a2b\n0::/");
  root.file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  const std::size_t machine = memory_limit(root.path());
  root.file("/sys/fs/cgroup/memory/docker/1a2b/memory.limit_in_bytes", "41943040");
  EXPECT_EQ(40 * kMiB, memory_limit(root.path()));
  root.file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "20971520");
  EXPECT_EQ(20 * kMiB, memory_limit(root.path()));
  EXPECT_GT(machine, 64 * kMiB);
}

#else

TEST(MemoryLimit, is_not_known_elsewhere) { EXPECT_EQ(0u, openclPort::memory_limit()); }

#endif
