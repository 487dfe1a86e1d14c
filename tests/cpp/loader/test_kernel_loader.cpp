// test_kernel_loader -- the loader's core without R: tags, sorting, indices, packages, programs, subsets.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>

#include "base/nmath_error.h"
#include "loader/kernel_index.h"
#include "loader/kernel_loader.h"
#include "loader/kernel_maintenance.h"
#include "loader/kernel_tags.h"

namespace {

using namespace openclPort;
namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const NmathError& error) {
    return error.what();
  }
  return "no error";
}

::testing::AssertionResult starts_with(const std::string& text, const std::string& start) {
  if (text.compare(0, start.size(), start) == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << text << "' does not start with '" << start << "'";
}

// A fresh folder that is removed with the test.
class LoaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "kernel_loader_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override {
    for (const std::string package : {"nmathopencl", "mine"}) set_cl_root(package, "");
    set_cl_root_resolver(nullptr);
    fs::remove_all(root_);
  }

  std::string write(const std::string& path, const std::string& text) const {
    const fs::path full = fs::path(root_) / path;
    fs::create_directories(full.parent_path());
    write_text_file(full.string(), text);
    return full.string();
  }
  std::string read(const std::string& path) const { return read_text_file(root_ + "/" + path); }
  std::string at(const std::string& path) const { return root_ + "/" + path; }
  void write_index(const std::string& dir) const {
    write(dir + "/" + kKernelIndexFile, KernelIndex(read_kernel_library(at(dir))).tsv());
  }

  // Library lib in two packages, a kernel in each; "mine" has a library of its own as well.
  void make_packages() const {
    write("home/program_preload_manifest.tsv", "rank\tkind\trel_path\n2\tlibrary\tshims\n1\tfile\tTOP.cl\n");
    write("home/TOP.cl", "top");
    write("home/shims/s2.cl", "// @depends: s1\ns2\n");
    write("home/shims/s1.cl", "s1\n");
    write("home/nmath/a.cl", "// @depends:\na\n");
    write("home/nmath/b.cl", "// @depends: a\nb");
    write("home/nmath/c.cl", "// @depends: b\nc\n");
    write("home/src/k.cl", "// @depends_nmath: b\nkernel\n");
    write_index("home/nmath");
    write("mine/own/f.cl", "f\n");
    write("mine/src/m.cl", "// @depends_nmath: a\n// @depends_own: f\nmine");
    write_index("mine/own");
    set_cl_root("nmathopencl", at("home"));
    set_cl_root("mine", at("mine"));
  }

  std::string root_;
};

// ---- tags ----

TEST(KernelTags, KnowsLinesKindsAndItems) {
  const KernelTags tags("\n// prose\n// @depends: a,\n//   b\n//@method:  x, y: z \n\nint x;\n", "x.cl");
  ASSERT_EQ(tags.all().size(), 2u);
  const Tag* depends = tags.find("depends");
  ASSERT_NE(depends, nullptr);
  EXPECT_EQ(depends->items, (Strings{"a", "b"}));
  EXPECT_EQ(depends->first_line, 3);
  EXPECT_EQ(depends->last_line, 4);
  EXPECT_EQ(depends->kind, TagKind::names);
  EXPECT_EQ(tags.where(*depends), "x.cl:3: @depends: ");
  EXPECT_EQ(tags.list("method"), Strings{"x, y: z"});
  EXPECT_EQ(tags.find("provides"), nullptr);
  EXPECT_TRUE(tags.list("provides").empty());
}

TEST(KernelTags, CountsAreIntegersAndFamiliesAreLists) {
  const KernelTags tags("// @all_depends_x_count: 3\n// @all_depends_x: a\n// @calls_x: f\n// @depends_x: (none)\n",
                        "k");
  EXPECT_EQ(tags.find("all_depends_x_count")->kind, TagKind::integer);
  EXPECT_EQ(tags.list("all_depends_x"), Strings{"a"});
  EXPECT_TRUE(tags.list("depends_x").empty());
}

TEST(KernelTags, ReadsWhateverEndsAFile) {
  EXPECT_TRUE(KernelTags("", "x").all().empty());
  EXPECT_EQ(KernelTags("// @depends: a", "x").list("depends"), Strings{"a"});
  EXPECT_EQ(KernelTags("// @depends: a\r\n\r\n", "x").list("depends"), Strings{"a"});
  EXPECT_EQ(message_of([] { KernelTags("// @depends: a,", "x"); }),
            "x:1: @depends: the list ends with a comma, but no // line goes on with it");
}

TEST(KernelTags, ATagOnlyLooksLikeOneOutsideTheHead) {
  EXPECT_EQ(message_of([] { KernelTags("int x; // @depends: a\n// @param x\n// see @depends: a\n", "x"); }),
            "no error");
  EXPECT_TRUE(
      starts_with(message_of([] { KernelTags("int x;\n//@calls_y", "x"); }), "x:2: @calls_y: a tag must stand"));
}

TEST(KernelTags, NoInputIsReadPastItsEnd) {
  // Every prefix of a head with all kinds of tags, and every single byte of it replaced, parses or is refused.
  const std::string head =
      "// p\n// @depends: a,\n// b\n// @load_order: 12\n// @to_shim_kind: a=b\n// @method: m\n\n// @includes: "
      "a/b.h\nx\n";
  int refused = 0;
  for (std::size_t i = 0; i <= head.size(); ++i) {
    refused += message_of([&] { KernelTags(head.substr(0, i), "x"); }) != "no error";
    for (const char c : {'\0', '\n', ',', '@', ':', ' ', '\xFF'}) {
      std::string bent = head;
      if (i < bent.size()) bent[i] = c;
      refused += message_of([&] { KernelTags(bent, "x"); }) != "no error";
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(KernelTags, ReplacedTagsStandWhereTheyBelongAndStayThere) {
  const std::vector<DerivedTag> derived = {{"all_depends", "a, b"}, {"all_depends_count", "2"}, {"load_order", ""}};
  const std::string expected =
      "// @depends: a,\n//  b\n// @method: m\n// @all_depends: a, b\n// @all_depends_count: 2\n\n// prose\nint x;\n";
  const std::string once = replace_tags(
      "// @load_order: 3\r\n// @depends: a,\r\n//  b\r\n// @method: m\r\n\r\n// prose\r\nint x;", "x", derived);
  EXPECT_EQ(once, expected);
  EXPECT_EQ(replace_tags(once, "x", derived), expected);

  EXPECT_EQ(replace_tags("int x;\n", "x", derived), "// @all_depends: a, b\n// @all_depends_count: 2\n\nint x;\n");
  EXPECT_EQ(replace_tags("", "x", derived), "// @all_depends: a, b\n// @all_depends_count: 2\n");
  EXPECT_EQ(replace_tags("// prose\n// @provides: x\n", "x", derived, "depends"),
            "// prose\n// @provides: x\n// @all_depends: a, b\n// @all_depends_count: 2\n");
  EXPECT_EQ(replace_tags("// @depends: a\n// @provides: x\n", "x", derived, "depends"),
            "// @depends: a\n// @all_depends: a, b\n// @all_depends_count: 2\n// @provides: x\n");
}

// ---- libraries and indices ----

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

TEST_F(LoaderTest, EveryShippedKernelAssembles) {
  set_cl_root("nmathopencl", NMATHOPENCL_CL_DIR);
  int assembled = 0;
  for (const auto& entry : fs::directory_iterator(NMATHOPENCL_CL_DIR "/src")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".cl") continue;
    const std::string program = build_rmath_opencl_program("src/" + name);
    EXPECT_TRUE(starts_with(program, "#line 1 \"OPENCL.cl\"\n"));
    EXPECT_NE(program.find("\n#line 1 \"src/" + name + "\"\n"), std::string::npos);
    EXPECT_EQ(build_rmath_opencl_program("src/" + name, "nmathopencl", "depends_nmath"), program);
    ++assembled;
  }
  EXPECT_GT(assembled, 30);
}

// ---- packages ----

TEST_F(LoaderTest, APathComesBeforeTheResolver) {
  write("one/x.cl", "one");
  write("two/x.cl", "two");
  Strings asked;
  set_cl_root_resolver([&](const std::string& package) {
    asked.push_back(package);
    return package == "mine" ? at("two") : std::string();
  });
  EXPECT_EQ(load_kernel_source("x.cl", "mine"), "two");
  set_cl_root("mine", at("one"));
  EXPECT_EQ(load_kernel_source("x.cl", "mine"), "one");
  EXPECT_EQ(asked, Strings{"mine"});
  EXPECT_EQ(message_of([] { load_kernel_source("x.cl", "other"); }),
            "Package 'other' is not installed, or has no folder inst/cl");
  EXPECT_TRUE(
      starts_with(message_of([] { load_kernel_source("y.cl", "mine"); }), "File not found: inst/cl/y.cl (package"));
}

TEST_F(LoaderTest, OnlyPlainRelativePathsAreTaken) {
  make_packages();
  for (const std::string path : {"", "/etc/passwd", "..", "../x", "a/../../x", "a\\b", "c:x", "a\"b", "a\nb"})
    EXPECT_TRUE(starts_with(message_of([&] { load_kernel_source(path); }), "Bad path '" + path + "'")) << path;
  EXPECT_EQ(load_kernel_source("shims/s1.cl"), "s1\n");
  EXPECT_EQ(load_kernel_source("./shims/s1.cl"), "s1\n");
}

TEST_F(LoaderTest, TheTraceGoesToTheSink) {
  make_packages();
  Strings lines;
  set_trace_sink([&](const std::string& line) { lines.push_back(line); });
  EXPECT_EQ(load_kernel_library("shims", "nmathopencl", true), "s1\n// @depends: s1\ns2\n");
  EXPECT_EQ(lines, (Strings{"Pass 1: emitting s1.cl", "Pass 2: emitting s2.cl"}));
  load_kernel_library("shims");
  EXPECT_EQ(lines.size(), 2u);
  set_trace_sink(nullptr);
  load_kernel_library("shims", "nmathopencl", true);
}

// ---- loading and programs ----

TEST_F(LoaderTest, AKernelGetsItsPartOfALibraryOfAnyPackage) {
  make_packages();
  const std::string ab = "// @depends:\na\n// @depends: a\nb\n";
  EXPECT_EQ(load_library_for_kernel("src/k.cl", "nmath"), ab);
  EXPECT_EQ(load_library_for_kernel("src/k.cl", "nmath", "nmathopencl", "all_depends_nmath"), ab);
  EXPECT_EQ(load_library_for_kernel("src/k.cl", "nmath", "nmathopencl", "depends_other"), "");
  EXPECT_EQ(load_library_for_kernel_cross_package("src/m.cl", "mine", "nmath", "nmathopencl"), "// @depends:\na\n");
  EXPECT_TRUE(starts_with(message_of([] { load_library_for_kernel("src/m.cl", "nmath", "mine"); }),
                          "File not found: inst/cl/nmath (package 'mine'"));
}

TEST_F(LoaderTest, AProgramNamesEveryPart) {
  make_packages();
  const std::string layers =
      "#line 1 \"TOP.cl\"\ntop\n#line 1 \"shims/s1.cl\"\ns1\n#line 1 \"shims/s2.cl\"\n// @depends: s1\ns2\n";
  EXPECT_EQ(load_program_preload(), layers);
  EXPECT_EQ(build_rmath_opencl_program("src/k.cl"),
            layers + "#line 1 \"nmath/a.cl\"\n// @depends:\na\n#line 1 \"nmath/b.cl\"\n// @depends: a\nb\n" +
                "#line 1 \"src/k.cl\"\n// @depends_nmath: b\nkernel\n");
  EXPECT_EQ(build_opencl_program("src/m.cl", "mine", {{"nmath", "all_depends_nmath"}, {"own", "depends_own"}}),
            layers + "#line 1 \"nmath/a.cl\"\n// @depends:\na\n#line 1 \"own/f.cl\"\nf\n" +
                "#line 1 \"src/m.cl\"\n// @depends_nmath: a\n// @depends_own: f\nmine\n");
  EXPECT_EQ(build_opencl_program("src/k.cl", "nmathopencl", {}),
            layers + "#line 1 \"src/k.cl\"\n// @depends_nmath: b\nkernel\n");
}

TEST_F(LoaderTest, APackagesOwnCopyOfALibraryIsTaken) {
  make_packages();
  write("mine/nmath/a.cl", "own a\n");
  write_index("mine/nmath");
  const std::string program = build_rmath_opencl_program("src/m.cl", "mine");
  EXPECT_NE(program.find("own a"), std::string::npos);
  EXPECT_EQ(build_rmath_opencl_program("src/k.cl").find("own a"), std::string::npos);
}

TEST_F(LoaderTest, AStaleIndexIsFound) {
  make_packages();
  write("home/nmath/b.cl", "// @depends: c\nb\n");
  const std::string text = message_of([] { build_rmath_opencl_program("src/k.cl"); });
  EXPECT_TRUE(starts_with(text, at("home/nmath/b.cl") + ":1: @depends: 'c' is not what the index"));
  EXPECT_NE(text.find("write_kernel_dependency_index() renews it"), std::string::npos);
}

TEST_F(LoaderTest, TheManifestIsCheckedLineByLine) {
  make_packages();
  const auto entries = read_program_preload_manifest();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].rel_path, "TOP.cl");
  EXPECT_EQ(entries[0].kind, ProgramPreloadKind::file);
  EXPECT_EQ(entries[1].rank, 2);
  EXPECT_TRUE(starts_with(message_of([] { parse_program_preload_manifest("rank\tkind\trel_path\nx\tfile\ta\n", "m"); }),
                          "m:2: rank 'x' is not a positive whole number"));
  EXPECT_TRUE(starts_with(message_of([] { parse_program_preload_manifest("", "m"); }), "m: the manifest has no rows"));
}

// ---- maintenance ----

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

}  // namespace
