// cache_test -- what the tests of the folder of programs share: files, their ages, a folder for each test.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <utime.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/program_cache.h"
#include "scratch.h"

namespace cache_test {

using namespace openclPort;

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

inline std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(folder, absent)) {
    const std::string name = entry.path().filename().string();
    if (name[0] != '.') names.push_back(folder + "/" + name);
  }
  return names;
}

inline void set_age(const std::string& path, std::time_t seconds) {
  const std::time_t then = std::time(nullptr) - seconds;
  utimbuf times = {then, then};
  ASSERT_EQ(0, utime(path.c_str(), &times));
}

inline std::time_t age(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 ? std::time(nullptr) - info.st_mtime : -1;
}

// A folder of its own for each test.
class Cache : public ::testing::Test {
 protected:
  void SetUp() override {
    base_ = make_scratch_folder("nmathopencl-cache");
    folder_ = base_ + "/a/b";
    use(folder_);
  }
  void TearDown() override {
    set_program_cache_folder("");
    set_program_cache_limit(kProgramCacheLimit);
    std::filesystem::remove_all(base_);
  }
  void use(const std::string& folder) const { set_program_cache_folder(folder); }
  std::string only_file() const {
    const std::vector<std::string> files = files_in(folder_);
    EXPECT_EQ(1u, files.size());
    return files.empty() ? "" : files.front();
  }

  std::string base_, folder_;
};

inline const std::string kKey = program_cache_key({"device", "driver", "options", std::string("te\0xt", 5)});
inline const std::string kProgram = std::string(
                                        "\x7f"
                                        "ELF\0 a program\n",
                                        16) +
                                    std::string(1000, 'p');

}  // namespace cache_test
