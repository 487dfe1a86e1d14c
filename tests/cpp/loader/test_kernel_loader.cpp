// test_kernel_loader -- the loader's core without R: packages, parts of libraries, programs.
#include "loader_test.h"
#include "sanitizers.h"

using namespace loader_test;

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
  EXPECT_TRUE(
      starts_with(message_of([] { parse_program_preload_manifest("", "m"); }), "m:1: the manifest has no rows"));
}

TEST_F(LoaderTest, EveryShippedKernelAssembles) {
  set_cl_root("nmathopencl", NMATHOPENCL_CL_DIR);
  int found = 0, assembled = 0;
  for (const auto& entry : fs::directory_iterator(NMATHOPENCL_CL_DIR "/src")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".cl" || found++ % kSampled != 0) continue;
    const std::string program = build_rmath_opencl_program("src/" + name);
    EXPECT_TRUE(starts_with(program, "#line 1 \"OPENCL.cl\"\n"));
    EXPECT_NE(program.find("\n#line 1 \"src/" + name + "\"\n"), std::string::npos);
    EXPECT_EQ(build_rmath_opencl_program("src/" + name, "nmathopencl", "depends_nmath"), program);
    ++assembled;
  }
  EXPECT_GT(assembled, kSanitizer ? 5 : 30);
}
