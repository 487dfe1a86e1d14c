// test_host_program_builds -- how programs of the host device are built: without a compiler, from the disk cache, in
// folders with strange names.
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/child_process.h"
#include "base/shared_object.h"
#include "host/host_text.h"
#include "host_programs.h"
#include "scratch.h"

TEST_F(HostPrograms, WithoutACompilerTheReasonIsSaid) {
  set_host_compiler(usual_compiler("no-such-compiler"));
  EXPECT_FALSE(host_device().compiles);
  EXPECT_TRUE(says(message_of([] { call_of("__kernel void k(__global double* x) { }"); }), "no-such-compiler"));
  HostCompiler none;
  none.missing = "it is switched off";
  set_host_compiler(none);
  EXPECT_TRUE(says(message_of([] { call_of("__kernel void k(__global double* x) { }"); }), "it is switched off"));
  set_host_compiler(usual_compiler());
  EXPECT_TRUE(host_device().compiles);
}

TEST_F(HostPrograms, TheDiskCacheSparesTheCompiler) {
  const TemporaryFolder place("");
  set_program_cache_folder(place.file("kept"));
  const std::string text = "__kernel void k(__global double* out) { out[get_global_id(0)] = 4.25; }";
  const auto run = [&](const std::string& options, RunReport& report) {
    std::vector<double> out(1);
    KernelCall(open_device(host_device()), user_source(text, options), "k", &report)
        .output("out", out.data(), 1)
        .nd_range({1}, {1})
        .run();
    return out[0];
  };
  RunReport first, second, third;
  const unsigned before = host_compilations();
  EXPECT_EQ(run("-DA", first), 4.25);
  EXPECT_EQ(first.built, 1);
  EXPECT_EQ(host_compilations(), before + 1);
  EXPECT_EQ(program_cache_info().entries, 1u);
  EXPECT_EQ(run("-DB", second), 4.25);  // other options, another program
  EXPECT_EQ(host_compilations(), before + 2);
  EXPECT_EQ(program_cache_info().entries, 2u);
  const std::string entry =
      load_cached_program(host_object_key(host_compiler(), host_prelude() + '\0' + text, "-DA")).value();
  EXPECT_GT(entry.size(), 1000u);
  EXPECT_EQ(clear_program_cache(), 2u);
}

#ifndef _WIN32  // its PATH has other rules
TEST_F(HostPrograms, AHostilePathLeadsNowhere) {
  const std::string old = std::getenv("PATH");
  const TemporaryFolder place("");
  {
    std::ofstream script(place.file("cc"));
    script << "#!/bin/sh\ntouch '" << place.file("was-here") << "'\nexit 1\n";
  }
  chmod(place.file("cc").c_str(), 0755);
  chmod(place.file(".").c_str(), 0777);
  set_variable("PATH", place.file("") + ":.::" + old);
  EXPECT_EQ(find_program("cc").find(place.file("")), std::string::npos);
  set_host_compiler(usual_compiler());
  std::vector<double> out(1);
  call_of("__kernel void k(__global double* out) { out[0] = 8.0; }").output("out", out.data(), 1).items(1).run();
  EXPECT_EQ(out[0], 8.0);
  EXPECT_FALSE(std::ifstream(place.file("was-here")).good());
  chmod(place.file(".").c_str(), 0700);
  set_variable("PATH", old);
}
#endif

TEST_F(HostPrograms, FoldersWithSpacesAndOnesThatAreNotThere) {
  const TemporaryFolder place("");
  const std::string spaced = place.file("a folder of 'mine' $(x)");
  ASSERT_TRUE(std::filesystem::create_directory(spaced));
  HostCompiler compiler = usual_compiler();
  compiler.folder = spaced;
  set_host_compiler(compiler);
  std::vector<double> out(1);
  call_of("__kernel void k(__global double* out) { out[0] = 9.0; }").output("out", out.data(), 1).items(1).run();
  EXPECT_EQ(out[0], 9.0);
#ifndef _WIN32                                   // keeps the files of code that is loaded
  ASSERT_TRUE(std::filesystem::remove(spaced));  // nothing was left in it
#endif
  compiler.folder = place.file("not there");
  set_host_compiler(compiler);
  EXPECT_TRUE(says(message_of([] { call_of("__kernel void k(__global double* o) { o[0] = 10.0; }"); }),
                   "no temporary folder can be made"));
}
