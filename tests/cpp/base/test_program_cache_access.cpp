// test_program_cache_access -- what others could have written, or could read, is not taken: owners, permissions, links.
#ifndef _WIN32

#include <unistd.h>

#include <cstdio>

#include "cache_test.h"

using namespace cache_test;

TEST_F(Cache, the_files_are_this_users_alone) {
  ASSERT_TRUE(store_cached_program(kKey, kProgram));
  const auto mode = [](const std::string& path) {
    struct stat info;
    return stat(path.c_str(), &info) == 0 ? info.st_mode & 0777u : 0u;
  };
  EXPECT_EQ(0600u, mode(only_file()));
  EXPECT_EQ(0700u, mode(folder_));
}

TEST_F(Cache, an_entry_that_others_could_have_written_is_missing) {
  ASSERT_TRUE(store_cached_program(kKey, kProgram));
  const std::string path = only_file();
  for (const mode_t bit : {S_IWGRP, S_IWOTH}) {
    ASSERT_EQ(0, chmod(path.c_str(), 0600 | bit));
    EXPECT_FALSE(load_cached_program(kKey));
  }
  ASSERT_EQ(0, chmod(path.c_str(), 0600));
  EXPECT_TRUE(load_cached_program(kKey));
  if (geteuid() == 0) {
    ASSERT_EQ(0, chown(path.c_str(), 12345, 12345));
    EXPECT_FALSE(load_cached_program(kKey));
    EXPECT_EQ(0u, clear_program_cache());
    EXPECT_TRUE(store_cached_program(kKey, kProgram));  // takes its place
    EXPECT_EQ(kProgram, load_cached_program(kKey).value_or(""));
  }
}

TEST_F(Cache, links_and_pipes_in_the_place_of_an_entry_are_not_followed) {
  ASSERT_TRUE(store_cached_program(kKey, kProgram));
  const std::string path = only_file(), elsewhere = base_ + "/elsewhere";
  ASSERT_EQ(0, std::rename(path.c_str(), elsewhere.c_str()));
  ASSERT_EQ(0, symlink(elsewhere.c_str(), path.c_str()));
  EXPECT_FALSE(load_cached_program(kKey));
  EXPECT_EQ(0u, program_cache_info().entries);
  EXPECT_TRUE(store_cached_program(kKey, "new"));
  EXPECT_EQ("new", load_cached_program(kKey).value_or(""));
  EXPECT_NE(std::string::npos, read_file(elsewhere).find(kProgram));  // not written through the link
  ASSERT_EQ(0, std::remove(path.c_str()));
  ASSERT_EQ(0, mkfifo(path.c_str(), 0600));
  EXPECT_FALSE(load_cached_program(kKey));
  EXPECT_TRUE(store_cached_program(kKey, "new"));
  EXPECT_EQ("new", load_cached_program(kKey).value_or(""));
}

TEST_F(Cache, a_folder_that_others_can_write_to_is_not_used_and_told_of_once) {
  ASSERT_TRUE(store_cached_program(kKey, kProgram));
  EXPECT_EQ("", take_program_cache_warning());
  ASSERT_EQ(0, chmod(folder_.c_str(), 0777));
  EXPECT_FALSE(load_cached_program(kKey));
  EXPECT_FALSE(store_cached_program(kKey, kProgram));
  EXPECT_EQ(0u, clear_program_cache());
  EXPECT_NE(std::string::npos, program_cache_info().problem.find("others can write"));
  EXPECT_NE(std::string::npos, take_program_cache_warning().find(folder_));
  EXPECT_FALSE(load_cached_program(kKey));
  EXPECT_EQ("", take_program_cache_warning());
  ASSERT_EQ(0, chmod(folder_.c_str(), 0700));
  EXPECT_TRUE(load_cached_program(kKey));
  if (geteuid() == 0) {
    ASSERT_EQ(0, chown(folder_.c_str(), 12345, 12345));
    EXPECT_FALSE(load_cached_program(kKey));
    EXPECT_FALSE(store_cached_program(kKey, kProgram));
  }
}

#endif
