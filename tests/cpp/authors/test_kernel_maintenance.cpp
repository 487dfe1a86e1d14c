// test_kernel_maintenance -- what is written into the files of libraries and packages, and through which links.
#include "loader/loader_test.h"

using namespace loader_test;

TEST_F(LoaderTest, NothingIsWrittenIfAnyFileIsBad) {
  write("lib/a.cl", "int a;\n");
  write("lib/b.cl", "// @depends a\n");
  EXPECT_TRUE(
      starts_with(message_of([&] { attach_kernel_dependency_tags(at("lib")); }), at("lib/b.cl") + ":1: @depends: "));
  EXPECT_EQ(read("lib/a.cl"), "int a;\n");

  make_packages();
  const KernelIndex index = KernelIndex::read(at("home/nmath"));
  const std::string good = write("k1.cl", "// @depends_nmath: a\n");
  const std::string bad = write("k2.cl", "// @depends_nmath: z\n");
  EXPECT_NE(message_of([&] { attach_cross_library_tags({good, bad}, index); }), "no error");
  EXPECT_EQ(read("k1.cl"), "// @depends_nmath: a\n");
  fs::create_directory(at("dest"));
  EXPECT_NE(message_of([&] {
              extract_library_subset({good, bad}, at("home/nmath"), at("dest"), "depends_nmath", index);
            }),
            "no error");
  EXPECT_TRUE(fs::is_empty(at("dest")));
}

TEST_F(LoaderTest, ASubsetIsVerbatimAndSortsByItself) {
  make_packages();
  fs::create_directory(at("dest"));
  const auto files = extract_library_subset({at("home/src/k.cl"), at("mine/src/m.cl")}, at("home/nmath"), at("dest"),
                                            "depends_nmath", KernelIndex::read(at("home/nmath")));
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[1].stem, "b");
  EXPECT_TRUE(files[1].copied);
  EXPECT_EQ(read("dest/b.cl"), read("home/nmath/b.cl"));
  EXPECT_EQ(KernelIndex(read_kernel_library(at("dest"))).tsv(), "stem\tall_depends\na\t\nb\ta\n");
}

#ifndef _WIN32
TEST_F(LoaderTest, LinksThatLeadOutOfALibraryAreRefused) {
  write("lib/a.cl", "// @depends:\n");
  const std::string secret = write("elsewhere/b.cl", "// @depends:\nsecret\n");
  write_index("lib");
  fs::create_symlink("a.cl", at("lib/inside.cl"));
  EXPECT_EQ(2u, read_kernel_library(at("lib")).files.size());
  fs::create_symlink(secret, at("lib/b.cl"));
  const std::string refused = message_of([&] { read_kernel_library(at("lib")); });
  EXPECT_NE(std::string::npos, refused.find("lib/b.cl' is a link that leads out of its folder")) << refused;
  set_cl_root("mine", root_ + "/lib");
  EXPECT_NE("no error", message_of([] { load_kernel_source("b.cl", "mine"); }));
  EXPECT_EQ("// @depends:\n", load_kernel_source("inside.cl", "mine"));
  fs::remove(at("lib/b.cl"));
  fs::create_symlink(fs::path(root_) / "lib", at("named"));  // the folder itself may be a link
  EXPECT_EQ(2u, read_kernel_library(at("named")).files.size());
}

TEST_F(LoaderTest, NothingIsWrittenThroughALink) {
  write("lib/a.cl", "// @provides: a\n// @depends:\n\nint a;\n");
  write_index("lib");
  const std::string kernel = write("kernel.cl", "// @depends_lib: a\n"), victim = write("victim", "a user's");
  fs::create_directories(at("dest"));
  fs::create_symlink(victim, at("dest/a.cl"));
  const KernelIndex index = KernelIndex::read(at("lib"));
  extract_library_subset({kernel}, at("lib"), at("dest"), "depends_lib", index, false);
  EXPECT_EQ("a user's", read("victim"));
  extract_library_subset({kernel}, at("lib"), at("dest"), "depends_lib", index, true);
  EXPECT_EQ("a user's", read("victim"));
  EXPECT_FALSE(fs::is_symlink(at("dest/a.cl")));
  EXPECT_EQ(read("lib/a.cl"), read("dest/a.cl"));
  // A kernel that is named by a link is rewritten where it is, and keeps its permissions.
  fs::permissions(kernel, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(kernel, at("link.cl"));
  attach_cross_library_tags({at("link.cl")}, index, "depends_lib");
  EXPECT_TRUE(fs::is_symlink(at("link.cl")));
  EXPECT_NE(std::string::npos, read("kernel.cl").find("@all_depends_lib: a"));
  EXPECT_EQ(fs::perms::owner_read | fs::perms::owner_write, fs::status(kernel).permissions());
}
#endif

TEST_F(LoaderTest, FilesThatCannotBeWrittenAreNamed) {
  EXPECT_EQ(message_of([&] { write_text_file(at("no/such/folder"), "x"); }),
            "File cannot be written: " + at("no/such/folder"));
  EXPECT_EQ(message_of([&] { read_text_file(at("no")); }), "File not found: " + at("no"));
  EXPECT_EQ(read_text_file(write("empty", "")), "");
}
