// test_program_files -- programs that know which files they consist of.
#include "loader/build_log.h"
#include "loader/opencl_program.h"
#include "loader_test.h"

using namespace loader_test;

namespace {

Strings names_of(const OpenclProgram& program) {
  Strings names;
  for (const ProgramFile& file : program.files) names.push_back(file.layer + ":" + file.name);
  return names;
}

}  // namespace

TEST_F(LoaderTest, AProgramHasTheLibrariesThatTheKernelsTagsName) {
  make_packages();
  write("mine/src/both.cl",
        "// @all_depends_nmath: a\n// @depends_nmath: b\n// @depends_own: f\n__kernel void k(int n) {}\n"
        "__kernel void declared(int n);");
  const OpenclProgram program = opencl_program("src/both.cl", "mine");
  EXPECT_EQ(program.text,
            build_opencl_program("src/both.cl", "mine", {{"nmath", "all_depends_nmath"}, {"own", "all_depends_own"}}));
  EXPECT_EQ(names_of(program),
            (Strings{"preload:TOP.cl", "preload:shims/s1.cl", "preload:shims/s2.cl", "library:nmath/a.cl",
                     "library:nmath/b.cl", "library:own/f.cl", "kernel:src/both.cl"}));
  EXPECT_EQ(program.kernels, Strings{"k"});
  for (const ProgramFile& file : program.files) {
    EXPECT_EQ(source_line(program.text, file.first), file.name + ":1");
    EXPECT_EQ(source_line(program.text, file.first + file.lines - 1), file.name + ":" + std::to_string(file.lines));
  }
  EXPECT_EQ(program.files.back().lines, 5u);  // the last one, whose end is missing, too
}

TEST_F(LoaderTest, AFileAnywhereHasTheHomePackagesLibraries) {
  make_packages();
  const std::string path = write("anywhere/k.cl", "// @depends_nmath: b\n__kernel void k(int n) {}\n");
  EXPECT_EQ(names_of(opencl_program_of_file(path)),
            (Strings{"preload:TOP.cl", "preload:shims/s1.cl", "preload:shims/s2.cl", "library:nmath/a.cl",
                     "library:nmath/b.cl", "kernel:k.cl"}));
#ifndef _WIN32  // has no such names
  const std::string quoted = write("anywhere/a\"b.cl", "int k;\n");
  EXPECT_TRUE(starts_with(message_of([&] { opencl_program_of_file(quoted); }), "The name of " + quoted));
#endif
  write("anywhere/other.cl", "// @depends_own: f\n");
  EXPECT_TRUE(starts_with(message_of([&] { opencl_program_of_file(at("anywhere/other.cl")); }),
                          "File not found: inst/cl/own (package 'nmathopencl'"));
}

TEST_F(LoaderTest, ADirectTagThatAKernelLacksBringsNothing) {
  make_packages();
  write("home/src/closed.cl", "// @all_depends_nmath: a, b\nkernel\n");
  EXPECT_EQ(load_library_for_kernel("src/closed.cl", "nmath", "nmathopencl", "depends_nmath"), "");
  EXPECT_EQ(load_library_for_kernel("src/closed.cl", "nmath", "nmathopencl", "all_depends_nmath"),
            load_library_for_kernel("src/k.cl", "nmath", "nmathopencl", "depends_nmath"));
  // A program is whole by either tag.
  EXPECT_EQ(build_rmath_opencl_program("src/closed.cl", "nmathopencl", "depends_nmath"),
            build_rmath_opencl_program("src/closed.cl"));
}
