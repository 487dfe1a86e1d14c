// test_kernel_index -- libraries sorted by what their files need, and the indices that are kept of them.
#include "loader_test.h"

using namespace loader_test;

TEST_F(LoaderTest, PassesEmitInByteOrderWhatEarlierPassesAllow) {
  write("lib/dpq.cl", "// @depends: nmath, Rmath\n");
  write("lib/nmath.cl", "");
  write("lib/Rmath.cl", "");
  write("lib/a.cl", "// @depends: dpq\n");
  write("lib/ignored.txt", "// @depends: nothing\n");
  fs::create_directory(at("lib/folder.cl"));
  Strings trace;
  const KernelLibrary library = read_kernel_library(at("lib"), [&](const std::string& line) { trace.push_back(line); });
  EXPECT_EQ(trace,
            (Strings{"Pass 1: emitting Rmath.cl, nmath.cl", "Pass 2: emitting dpq.cl", "Pass 3: emitting a.cl"}));
  EXPECT_EQ(library.name, "lib");
  EXPECT_EQ(KernelIndex(library).tsv(),
            "stem\tall_depends\nRmath\t\nnmath\t\ndpq\tRmath, nmath\na\tRmath, nmath, dpq\n");
}

TEST_F(LoaderTest, TheShortestCycleIsNamedBesideWhatIsMissing) {
  write("lib/a.cl", "// @depends: b\n");
  write("lib/b.cl", "// @depends: c, d\n");
  write("lib/c.cl", "// @depends: a\n");
  write("lib/d.cl", "// @depends: b\n");
  write("lib/e.cl", "// @depends: gone\n");
  const std::string text = message_of([&] { read_kernel_library(at("lib")); });
  EXPECT_TRUE(starts_with(text,
                          "Dependency sort failed: unresolved dependencies remain.\n"
                          "Stuck files: a.cl, b.cl, c.cl, d.cl, e.cl\nCycle: b -> d -> b\n"));
  EXPECT_NE(text.find("Missing: " + at("lib/e.cl") + ":1: @depends: gone is not a file of library 'lib'"),
            std::string::npos);
}

TEST(KernelIndexTest, SurvivesItsOwnText) {
  const KernelIndex index({"a", "b", "c"}, {{}, {"a"}, {"b"}}, "test");
  EXPECT_EQ(KernelIndex::parse(index.tsv(), "again").tsv(), index.tsv());
  // A closure is complete even if the index lists less than it should.
  EXPECT_EQ(index.closure({"c"}), (Strings{"a", "b", "c"}));
  EXPECT_EQ(index.closure({}), Strings{});
  EXPECT_FALSE(index.contains("d"));
  EXPECT_TRUE(starts_with(message_of([] { KernelIndex({"a"}, {}, "i"); }), "i: 1 stems, but 0 lists"));
  EXPECT_TRUE(starts_with(message_of([] { KernelIndex({"a"}, {{"a"}}, "i"); }), "i: 'a' needs 'a'"));
}

TEST(KernelIndexTest, TheShippedLibrariesAreSoundAndFresh) {
  const std::string root = NMATHOPENCL_CL_DIR;
  int checked = 0;
  for (const auto& entry : fs::directory_iterator(root)) {
    const std::string dir = entry.path().string();
    if (!entry.is_directory() || !is_file(dir + "/" + kKernelIndexFile)) continue;
    EXPECT_EQ(KernelIndex(read_kernel_library(dir)).tsv(), read_text_file(dir + "/" + kKernelIndexFile)) << dir;
    ++checked;
  }
  EXPECT_GE(checked, 8);
}
