// loader_test -- what the tests of the loader share: messages, a folder for each test, packages in it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>

#include "authors/kernel_maintenance.h"
#include "base/nmath_error.h"
#include "loader/kernel_index.h"
#include "loader/kernel_loader.h"
#include "loader/kernel_tags.h"
#include "loader/tag_lines.h"
#include "scratch.h"

namespace loader_test {

using namespace openclPort;
namespace fs = std::filesystem;
using Strings = std::vector<std::string>;

inline std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const NmathError& error) {
    return error.what();
  }
  return "no error";
}

inline ::testing::AssertionResult starts_with(const std::string& text, const std::string& start) {
  if (text.compare(0, start.size(), start) == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "'" << text << "' does not start with '" << start << "'";
}

// A fresh folder that is removed with the test.
class LoaderTest : public ::testing::Test {
 protected:
  void SetUp() override { root_ = make_scratch_folder("kernel_loader"); }
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

}  // namespace loader_test
