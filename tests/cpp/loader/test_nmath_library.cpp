// test_nmath_library -- nmath as a library to link with: what its program defines and what its header declares.
#include "loader/nmath_library.h"

#include "loader_test.h"

using namespace loader_test;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// The package's own inst/cl, whatever else is installed.
class NmathLibrary : public ::testing::Test {
 protected:
  void SetUp() override { set_cl_root("nmathopencl", NMATHOPENCL_CL_DIR); }
  void TearDown() override { set_cl_root("nmathopencl", ""); }
};

}  // namespace

TEST_F(NmathLibrary, the_header_declares_what_the_program_defines) {
  const std::string program = nmath_library_program({"dnorm", "sign"}),
                    header = nmath_library_header({"dnorm", "sign"});
  EXPECT_TRUE(has(program, "#define NMATH_OBJECT 1"));
  EXPECT_TRUE(has(program, "NMATH_FN double dnorm4("));
  EXPECT_FALSE(has(program, "pgamma"));
  EXPECT_TRUE(has(header, "\ndouble dnorm4(double x, double mu, double sigma, int log_p);\n"));
  EXPECT_TRUE(has(header, "#define dnorm dnorm4"));
  EXPECT_TRUE(has(header, "double nmath_sign(double x);\n#undef sign\n#define sign(x) nmath_sign(x)\n"));
  EXPECT_TRUE(has(header, "double R_pow(double x, double y);"));
  EXPECT_FALSE(has(header, "NMATH_FN double dnorm4"));
  EXPECT_FALSE(has(header, "dd_two_sum"));  // of types that only nmath knows
  EXPECT_TRUE(has(nmath_library_header(), "double qbeta("));
  EXPECT_TRUE(has(message_of([] { nmath_library_header({"no_such"}); }), "no function 'no_such'"));
}

TEST(Declarations, signatures_over_several_lines_and_private_functions) {
  const std::string text =
      "// @source_type: c\n// @provides: f, g, h\n\nNMATH_HEAVY double f(const double *x,\n    int n)\n{\n}\n"
      "NMATH_FN double f_private(double x) { return x; }\nNMATH_FN pair g(double x) { }\n"
      "#define h(x) f_private(x)\n#define h_private(x) f_private(x)\n";
  EXPECT_EQ("double f(const double *x,     int n);\n#undef h\n#define h(x) f_private(x)\n",
            kernel_file_declarations(text, "x.cl"));
}
