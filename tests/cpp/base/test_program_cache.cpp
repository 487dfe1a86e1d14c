// test_program_cache -- the folder of programs: whatever happens to a file there, a program comes back whole or not at
// all. Needs neither OpenCL nor a device.
#include <cstdio>
#include <thread>

#include "cache_test.h"

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace cache_test;

TEST(CacheKey, no_two_lists_of_parts_have_one_key) {
  EXPECT_NE(program_cache_key({"a", "b"}), program_cache_key({"ab"}));
  EXPECT_NE(program_cache_key({"a", "b"}), program_cache_key({"a", "b", ""}));
  EXPECT_NE(program_cache_key({"1:a\n"}), program_cache_key({"1", "a"}));
  EXPECT_EQ(program_cache_key({"a", "b"}), program_cache_key({"a", "b"}));
}

TEST(CacheFolder, nothing_is_kept_where_none_is_set) {
  set_program_cache_folder("");
  EXPECT_FALSE(store_cached_program("key", "program"));
  EXPECT_FALSE(load_cached_program("key"));
  EXPECT_EQ("", program_cache_info().folder);
  EXPECT_EQ(0u, clear_program_cache());
}

TEST_F(Cache, gives_back_what_was_stored) {
  EXPECT_FALSE(load_cached_program(kKey));
  EXPECT_TRUE(store_cached_program(kKey, kProgram));
  EXPECT_EQ(kProgram, load_cached_program(kKey).value_or(""));
  EXPECT_TRUE(store_cached_program(kKey, "another"));
  EXPECT_EQ("another", load_cached_program(kKey).value_or(""));
  EXPECT_FALSE(load_cached_program(kKey + "x"));
  EXPECT_FALSE(store_cached_program("empty", ""));
  EXPECT_EQ(1u, program_cache_info().entries);
  EXPECT_EQ(read_file(only_file()).size(), program_cache_info().bytes);
  EXPECT_EQ("", program_cache_info().problem);
}

TEST_F(Cache, the_folder_is_asked_for_at_each_use_on_its_own_thread_only) {
  int asked = 0;
  std::string answer = folder_;
  set_program_cache_resolver([&] {
    ++asked;
    return answer;
  });
  EXPECT_TRUE(store_cached_program(kKey, kProgram));
  EXPECT_GT(asked, 0);
  const int before = asked;
  std::thread([] { EXPECT_TRUE(load_cached_program(kKey)); }).join();
  EXPECT_EQ(before, asked);
  answer.clear();
  EXPECT_FALSE(load_cached_program(kKey));
}

TEST_F(Cache, an_entry_cut_at_any_length_is_missing) {
  ASSERT_TRUE(store_cached_program(kKey, kProgram));
  const std::string path = only_file(), whole = read_file(path);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_file(path, whole.substr(0, length));
    EXPECT_FALSE(load_cached_program(kKey)) << length;
  }
  write_file(path, whole + '\0');
  EXPECT_FALSE(load_cached_program(kKey));
  EXPECT_TRUE(store_cached_program(kKey, kProgram));
  EXPECT_EQ(kProgram, load_cached_program(kKey).value_or(""));
}

TEST_F(Cache, an_entry_with_any_bit_flipped_is_missing) {
  ASSERT_TRUE(store_cached_program(kKey, kProgram));
  const std::string path = only_file(), whole = read_file(path);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    write_file(path, flipped);
    EXPECT_FALSE(load_cached_program(kKey)) << at;
  }
  write_file(path, whole);
  EXPECT_EQ(kProgram, load_cached_program(kKey).value_or(""));
}

TEST_F(Cache, garbage_and_the_entry_of_another_key_are_missing) {
  ASSERT_TRUE(store_cached_program(kKey, kProgram));
  const std::string path = only_file();
  for (const std::string& garbage : {std::string(), std::string(100000, '\0'), std::string(24, '\xff'),
                                     "nmathcl1" + std::string(5000, '\xff'), std::string("#!/bin/sh\nexit 1\n")}) {
    write_file(path, garbage);
    EXPECT_FALSE(load_cached_program(kKey)) << garbage.size();
  }
  ASSERT_EQ(0, std::remove(path.c_str()));
  ASSERT_TRUE(store_cached_program("another", kProgram));
  const std::string foreign = read_file(only_file());
  write_file(path, foreign);
  EXPECT_FALSE(load_cached_program(kKey));
}

TEST_F(Cache, a_folder_in_the_place_of_an_entry_only_costs_that_entry) {
  ASSERT_TRUE(store_cached_program(kKey, kProgram));
  const std::string path = only_file();
  ASSERT_EQ(0, std::remove(path.c_str()));
  ASSERT_TRUE(std::filesystem::create_directory(path));
  write_file(path + "/file", "not ours");
  EXPECT_FALSE(load_cached_program(kKey));
  EXPECT_FALSE(store_cached_program(kKey, kProgram));
  EXPECT_NE("", program_cache_info().problem);
  EXPECT_EQ(1u, files_in(folder_).size());  // no draft is left
  EXPECT_TRUE(store_cached_program("another", kProgram));
  EXPECT_EQ("", program_cache_info().problem);
  EXPECT_EQ(1u, clear_program_cache());
  EXPECT_EQ("not ours", read_file(path + "/file"));
}

TEST_F(Cache, a_folder_that_cannot_be_made_or_written_keeps_nothing) {
  write_file(base_ + "/file", "a file");
  for (const std::string& folder : {base_ + "/file", base_ + "/file/below"}) {
    use(folder);
    EXPECT_FALSE(store_cached_program(kKey, kProgram)) << folder;
    EXPECT_FALSE(load_cached_program(kKey));
    EXPECT_NE("", program_cache_info().problem);
    EXPECT_EQ(0u, clear_program_cache());
  }
  EXPECT_EQ("a file", read_file(base_ + "/file"));
#ifndef _WIN32
  if (geteuid() != 0) {  // nothing is read-only to root
    ASSERT_EQ(0, mkdir((base_ + "/locked").c_str(), 0500));
    use(base_ + "/locked");
    EXPECT_FALSE(store_cached_program(kKey, kProgram));
    EXPECT_FALSE(load_cached_program(kKey));
  }
#endif
}

TEST_F(Cache, beyond_the_limit_the_entries_unused_for_longest_go) {
  const std::string program(10000, 'p');
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(store_cached_program("key " + std::to_string(i), program));
    for (const std::string& path : files_in(folder_)) set_age(path, age(path) + 100);
  }
  set_program_cache_limit(80000);
  ASSERT_TRUE(store_cached_program("newest", program));
  EXPECT_LE(program_cache_info().bytes, 60000u);
  EXPECT_GT(program_cache_info().entries, 3u);
  EXPECT_TRUE(load_cached_program("newest"));
  EXPECT_TRUE(load_cached_program("key 9"));
  EXPECT_FALSE(load_cached_program("key 0"));
  EXPECT_FALSE(store_cached_program("too large", std::string(80001, 'p')));
  EXPECT_TRUE(load_cached_program("newest"));
}

TEST_F(Cache, use_is_noted_and_drafts_of_dead_writers_go) {
  ASSERT_TRUE(store_cached_program(kKey, kProgram));
  const std::string path = only_file();
  set_age(path, 100000);
  EXPECT_TRUE(load_cached_program(kKey));
  EXPECT_LT(age(path), 1000);
  const std::string draft = folder_ + "/" + std::string(64, 'a');
  write_file(draft + "-1-1.draft", "half");
  write_file(draft + "-2-2.draft", "of a writer at work");
  set_age(draft + "-1-1.draft", 4000);
  ASSERT_TRUE(store_cached_program("another", kProgram));
  EXPECT_EQ("", read_file(draft + "-1-1.draft"));
  EXPECT_EQ("of a writer at work", read_file(draft + "-2-2.draft"));
  EXPECT_EQ(2u, program_cache_info().entries);
  EXPECT_EQ(2u, clear_program_cache());
  EXPECT_EQ(0u, program_cache_info().entries);
  EXPECT_EQ(std::vector<std::string>{}, files_in(folder_));
}

TEST_F(Cache, a_users_own_files_are_left_alone) {
  ASSERT_TRUE(store_cached_program(kKey, kProgram));
  const std::string digits(64, 'a');
  std::vector<std::string> own;
  for (const char* name : {"notes.txt", "my.draft", "my.program", "1-1-1.draft", "key"}) own.push_back(name);
  own.push_back(digits + "a.program");
  own.push_back(digits + ".program.bak");
  own.push_back(std::string(63, 'a') + "A.program");
  own.push_back(digits + ".draft");
  own.push_back(digits + "-1-1.draft.txt");
  own.push_back(digits + "-my.draft");
  for (const std::string& name : own) {
    write_file(folder_ + "/" + name, "a user's");
    set_age(folder_ + "/" + name, 400000);
  }
  set_program_cache_limit(4000);  // trims
  ASSERT_TRUE(store_cached_program("another", kProgram));
  EXPECT_LE(1u, clear_program_cache());
  EXPECT_EQ(own.size(), files_in(folder_).size());
  for (const std::string& name : own) EXPECT_EQ("a user's", read_file(folder_ + "/" + name)) << name;
}

namespace {

// What one writer of several does: every key is stored and read, and what is read is one writer's, whole.
bool store_and_load(unsigned writer) {
  for (int round = 0; round < 200; ++round) {
    const std::string key = "key " + std::to_string((round + static_cast<int>(writer)) % 5);
    const std::string program(20000 + writer * 1000, static_cast<char>('a' + writer));
    if (!store_cached_program(key, program)) return false;
    const std::optional<std::string> found = load_cached_program(key);
    if (!found || found->empty()) return false;
    const unsigned by = static_cast<unsigned>((*found)[0] - 'a');
    if (*found != std::string(20000 + by * 1000, static_cast<char>('a' + by))) return false;
  }
  return true;
}

}  // namespace

TEST_F(Cache, eight_threads_write_at_once) {
  bool good[8] = {};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 8; ++i) threads.emplace_back([&good, i] { good[i] = store_and_load(i); });
  for (std::thread& thread : threads) thread.join();
  for (const bool ok : good) EXPECT_TRUE(ok);
  EXPECT_EQ(5u, files_in(folder_).size());
}

#ifndef _WIN32
TEST_F(Cache, eight_processes_write_at_once) {
  std::vector<pid_t> children;
  for (unsigned i = 0; i < 8; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(store_and_load(i) ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(5u, files_in(folder_).size());
}
#endif
