// Programs of expressions of every kind with their doubles as pairs of floats: none is left in any of them.
#include "../expression/expression_test.h"
#include "loader/c_tokens.h"
#include "pair/pair_test.h"

using namespace pair_test;

TEST(PairExpressions, NoProgramKeepsADouble) {
  set_cl_root("nmathopencl", NMATHOPENCL_CL_DIR);
  const std::string arithmetic = load_kernel_source("expression/arithmetic.cl"), library = pair_library();
  PairDefinitions nvidia = pair_definitions_of_opencl();
  nvidia.push_back({"__NV_CL_C_VERSION", "120"});
  PairDefinitions single = pair_definitions_of_opencl(), single_host = pair_definitions_of_host();
  for (PairDefinitions* const one : {&single, &single_host}) one->push_back({"NMATH_SINGLE", "1"});
  std::size_t programs = 0;
  for (const expression_test::Case& one : expression_test::all_cases()) {
    const std::string program = layered_program(expression_test::compiled(one, arithmetic).text.text);
    for (const PairDefinitions& definitions :
         {pair_definitions_of_host(), pair_definitions_of_opencl(), nvidia, single, single_host}) {
      const std::string pairs = pair_program(program, definitions, library);
      for (const CToken& token : c_tokens(pairs)) ASSERT_TRUE(token.text.find("double") != 0) << one.name;
      EXPECT_NE(pairs.find("nmath_pair"), std::string::npos) << one.name;
      ++programs;
    }
  }
  EXPECT_GT(programs, 200U);
}
