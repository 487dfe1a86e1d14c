// Every program of the package with its doubles as pairs of floats: none is left, C takes the result, and it is made
// quickly.
#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "base/child_process.h"
#include "base/text_files.h"
#include "host/host_text.h"
#include "loader/c_tokens.h"
#include "loader/opencl_program.h"
#include "pair/pair_test.h"
#include "sanitizers.h"
#include "scratch.h"

using namespace pair_test;

namespace {

std::vector<std::string> kernels_of(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(NMATHOPENCL_CL_DIR) + "/" + folder))
    if (entry.path().extension() == ".cl") found.push_back(folder + "/" + entry.path().filename().string());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> kernels() {
  std::vector<std::string> all = kernels_of("src");
  for (const std::string& glm : kernels_of("ex_glmbayes_src")) all.push_back(glm);
  std::vector<std::string> some;
  for (std::size_t k = 0; k < all.size(); k += kSampled) some.push_back(all[k]);
  return some;
}

class PairLibrary : public PairPrograms {};

#ifdef __OPTIMIZE__
constexpr bool kTimed = !kSanitizer;
#else  // each program has one of the dialects, in turn
constexpr bool kTimed = false;
#endif

PairDefinitions in_single(PairDefinitions definitions) {
  definitions.push_back({"NMATH_SINGLE", "1"});
  return definitions;
}

// As the compilers of C and OpenCL C have it, that of NVIDIA, and launches that recycle short columns.
std::vector<PairDefinitions> dialects() {
  std::vector<PairDefinitions> all = {pair_definitions_of_host(), pair_definitions_of_opencl(),
                                      pair_definitions_of_opencl(), pair_definitions_of_opencl()};
  all[2].push_back({"__NV_CL_C_VERSION", "120"});
  all[2].push_back({"NMATH_RECYCLE", "1"});
  all[3].push_back({"NMATH_RECYCLE", "2"});
  for (std::size_t d = 0; d < 2; ++d) all.push_back(in_single(all[d]));
  return all;
}

TEST_F(PairLibrary, NoProgramKeepsADouble) {
  const std::string library = pair_library();
  const std::vector<PairDefinitions> all = dialects();
  std::size_t number = 0;
  double slowest = 0;
  std::string slowest_name;
  for (const std::string& kernel : kernels()) {
    const std::string program = opencl_program(kernel, "nmathopencl").text;
    ++number;
    for (std::size_t d = 0; d < all.size(); ++d) {
      if (!kTimed && d != number % all.size()) continue;
      const PairDefinitions& definitions = all[d];
      double seconds = 1;
      std::string text;
      for (int k = 0; k < (kTimed ? 3 : 1) && seconds > 0.04;
           ++k) {  // of the processor; the machine does other things too
        const std::clock_t begin = std::clock();
        text = pair_program(program, definitions, library);
        seconds = std::min(seconds, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
      }
      for (const CToken& token : c_tokens(text))
        ASSERT_TRUE(token.text != "double" && token.text.find("double") != 0) << kernel;
      if (seconds > slowest) {
        slowest = seconds;
        slowest_name = kernel;
      }
    }
  }
  std::printf("slowest translation: %s, %.1f ms\n", slowest_name.c_str(), 1e3 * slowest);
  if (kTimed) {
    EXPECT_LT(slowest, 0.05);
  }
}

// Files with all programs, behind `command`, and what it says of them.
std::string failure(std::vector<std::string> command, const std::string& ending,
                    const std::function<std::string(const std::string& program)>& text) {
  const std::string folder = make_scratch_folder("pair_library");
  ChildProcess child;
  child.environment = own_environment();
  child.output = folder + "/output.txt";
  child.command = std::move(command);
  for (const std::string& kernel : kernels()) {
    const std::string path = folder + "/" + std::filesystem::path(kernel).stem().string() + ending;
    std::ofstream(path) << text(opencl_program(kernel, "nmathopencl").text);
    child.command.push_back(path);
  }
  std::string problem;
  const int status = run_child(child, problem);
  const std::string said = problem + read_text_file(child.output).substr(0, 4000);
  std::filesystem::remove_all(folder);
  return status == 0 ? "" : "status " + std::to_string(status) + " " + said;
}

TEST_F(PairLibrary, CTakesAllPrograms) {
  const std::string prelude = host_prelude(), library = pair_library();
  for (const PairDefinitions& definitions : {pair_definitions_of_host(), in_single(pair_definitions_of_host())})
    EXPECT_EQ(failure({host_compiler().command[0], "-x", "c", "-std=gnu11", "-fsyntax-only", "-fgnu89-inline",
                       "-Wno-attributes", "-Werror=implicit-function-declaration", "-Werror=int-conversion",
                       "-Werror=incompatible-pointer-types"},
                      ".c",
                      [&](const std::string& program) {
                        const HostText text = host_text(prelude, pair_program(program, definitions, library));
                        EXPECT_FALSE(text.to_expand);
                        EXPECT_NE(text.text.find(" NMATH_ADD_KERNEL(0, \""), std::string::npos) << "no launcher";
                        return text.text;
                      }),
              "");
}

// As for a device without doubles: a text with one is an error.
TEST_F(PairLibrary, ClangTakesAllProgramsWithoutDoubles) {
  const std::string clang = find_program("clang"), library = pair_library();
  if (clang.empty()) GTEST_SKIP() << "there is no clang";
  for (const PairDefinitions& definitions : {pair_definitions_of_opencl(), in_single(pair_definitions_of_opencl())})
    EXPECT_EQ(
        failure({clang, "-x", "cl", "-cl-std=CL1.2", "-target", "spir64", "-Xclang", "-finclude-default-header",
                 "-Xclang", "-fdeclare-opencl-builtins", "-Xclang", "-cl-ext=-cl_khr_fp64", "-fsyntax-only", "-w"},
                ".cl", [&](const std::string& program) { return pair_program(program, definitions, library); }),
        "");
}

}  // namespace
