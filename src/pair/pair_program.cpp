// pair_program -- a program for a device without doubles.
#include "pair/pair_program.h"

#include "loader/kernel_loader.h"
#include "pair/preprocess.h"
#include "pair/translator.h"

namespace openclPort {

std::string pair_program(const std::string& program, const PairDefinitions& definitions, const std::string& library) {
  pair::Memory memory;
  pair::Definitions known = definitions;
  known.emplace_back("NMATH_FLOAT_PAIRS", "1");
  pair::Dialect dialect;
  for (const auto& one : known) {
    dialect.single = dialect.single || one.first == "NMATH_SINGLE";
    dialect.in_c = dialect.in_c || one.first == "NMATH_HOST_TEXT";
  }
  pair::Translator translator(pair::preprocess(&program, known, &library, memory), dialect);
  return translator.run();
}

std::string pair_library() {
  return joined_parts(program_preload_parts(
      {{1, ProgramPreloadKind::library, "pair"}, {2, ProgramPreloadKind::library, "single"}}, "nmathopencl"));
}

PairDefinitions pair_definitions_of_opencl() {
  return {{"__OPENCL_C_VERSION__", "120"}, {"__OPENCL_VERSION__", "120"}};
}
PairDefinitions pair_definitions_of_host() {
  return {{"NMATH_HOST_TEXT", "1"}, {"__STDC_VERSION__", "199901L"}, {"__GNUC__", "4"}};
}

}  // namespace openclPort
