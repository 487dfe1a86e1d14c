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

struct Program {
  std::string kernel, text;
};

std::vector<Program> programs() {
  std::vector<std::string> all = kernels_of("src");
  for (const std::string& glm : kernels_of("ex_glmbayes_src")) all.push_back(glm);
  std::vector<Program> some;
  for (std::size_t k = 0; k < all.size(); k += kSampled)
    some.push_back({all[k], opencl_program(all[k], "nmathopencl").text});
  return some;
}

class PairLibrary : public PairPrograms {};

#ifdef __OPTIMIZE__
constexpr bool kTimed = !kSanitizer;
#else
constexpr bool kTimed = false;
#endif

// The shortest of some translations, in seconds of the processor: the machine does other things too.
double translated(const Program& program, const PairDefinitions& definitions, const std::string& library,
                  std::string* text) {
  double seconds = 1;
  for (int k = 0; k < (kTimed ? 3 : 1) && seconds > 0.04; ++k) {
    const std::clock_t begin = std::clock();
    *text = pair_program(program.text, definitions, library);
    seconds = std::min(seconds, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return seconds;
}

// What is said by a command, behind which files are named; "" if it succeeds and `kept` is false.
std::string said_by(std::vector<std::string> command, const std::string& folder, bool kept = false) {
  ChildProcess child;
  child.environment = own_environment();
  child.output = folder + "/output.txt";
  child.command = std::move(command);
  std::string problem;
  const int status = run_child(child, problem);
  const std::string said = problem + read_text_file(child.output).substr(0, 4000);
  return status == 0 ? (kept ? said : "") : "status " + std::to_string(status) + " " + said;
}

// A compiler without its files; with no command, none is asked.
struct Compiler {
  std::vector<std::string> command;
  std::string ending;
};

Compiler c_compiler() {
  return {{host_compiler().command[0], "-x", "c", "-std=gnu11", "-fsyntax-only", "-fgnu89-inline", "-Wno-attributes",
           "-Werror=implicit-function-declaration", "-Werror=int-conversion", "-Werror=incompatible-pointer-types"},
          ".c"};
}

// As for a device without doubles: a text with one is an error. One process reads all files, as clang's driver would
// not have it: its start takes longer than most of them.
Compiler clang_without_doubles(const std::string& folder) {
  const std::string clang = find_program("clang");
  if (clang.empty()) return {};
  std::string resources = said_by({clang, "-print-resource-dir"}, folder, true);
  resources.erase(resources.find_last_not_of("\r\n") + 1);
  return {{clang, "-cc1", "-triple", "spir64", "-x", "cl", "-cl-std=CL1.2", "-internal-isystem", resources + "/include",
           "-finclude-default-header", "-fdeclare-opencl-builtins", "-cl-ext=-cl_khr_fp64", "-fsyntax-only", "-w"},
          ".cl"};
}

// C as the host device has it, with its launcher.
std::string text_of_host(const std::string& prelude, const std::string& program) {
  const HostText text = host_text(prelude, program);
  EXPECT_FALSE(text.to_expand);
  EXPECT_NE(text.text.find(" NMATH_ADD_KERNEL(0, \""), std::string::npos) << "no launcher";
  return text.text;
}

constexpr double kMostSeconds = 0.05;  // of a translation

struct Dialect {
  PairDefinitions definitions;
  Compiler compiler;
};

// As the compilers of C and OpenCL C have it, each also with NMATH_SINGLE; that of NVIDIA, and launches that
// recycle short columns.
std::vector<Dialect> dialects(const std::string& folder) {
  std::vector<Dialect> all;
  for (const bool single : {false, true})
    for (const bool host : {true, false}) {
      Dialect made{host ? pair_definitions_of_host() : pair_definitions_of_opencl(),
                   host ? c_compiler() : clang_without_doubles(folder)};
      if (single) made.definitions.push_back({"NMATH_SINGLE", "1"});
      all.push_back(made);
    }
  for (const char* columns : {"1", "2"}) {
    Dialect made{pair_definitions_of_opencl(), {}};
    if (columns[0] == '1') made.definitions.push_back({"__NV_CL_C_VERSION", "120"});
    made.definitions.push_back({"NMATH_RECYCLE", columns});
    all.push_back(made);
  }
  return all;
}

// Each dialect's texts are made once, for all that is to be seen of them.
TEST_F(PairLibrary, NoProgramKeepsADoubleAndCompilersTakeAll) {
  const std::string folder = make_scratch_folder("pair_library"), library = pair_library(), prelude = host_prelude();
  const std::vector<Program> all = programs();
  double slowest = 0;
  std::string slowest_name, text;
  for (const Dialect& dialect : dialects(folder)) {
    std::vector<std::string> command = dialect.compiler.command;
    for (const Program& program : all) {
      double seconds = translated(program, dialect.definitions, library, &text);
      // What other work on the machine adds is none of the translation's time.
      for (int again = 0; again < 3 && seconds > kMostSeconds; ++again)
        seconds = std::min(seconds, translated(program, dialect.definitions, library, &text));
      for (const CToken& token : c_tokens(text))
        ASSERT_TRUE(token.text != "double" && token.text.find("double") != 0) << program.kernel;
      if (seconds > slowest) slowest = seconds, slowest_name = program.kernel;
      if (dialect.compiler.command.empty()) continue;
      const std::string stem = std::filesystem::path(program.kernel).stem().string();
      command.push_back(folder + "/" + stem + dialect.compiler.ending);
      std::ofstream(command.back()) << (dialect.compiler.ending == ".c" ? text_of_host(prelude, text) : text);
    }
    if (!command.empty()) {
      EXPECT_EQ("", said_by(command, folder));
    }
  }
  std::filesystem::remove_all(folder);
  std::printf("slowest translation: %s, %.1f ms\n", slowest_name.c_str(), 1e3 * slowest);
  if (kTimed) {
    EXPECT_LT(slowest, kMostSeconds);
  }
}

TEST_F(PairLibrary, ClangIsThere) {
  if (find_program("clang").empty())
    GTEST_SKIP() << "there is no clang: no text was read as for a device without doubles";
}

}  // namespace
