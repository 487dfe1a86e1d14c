// test_specialization -- constants of a program text: their literals, their names, the options that set them.
#include "device/specialization.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/nmath_error.h"

using namespace openclPort;

TEST(Specialization, values_become_exact_literals) {
  EXPECT_EQ("1", specialization_literal(true));
  EXPECT_EQ("0", specialization_literal(false));
  EXPECT_EQ("-7", specialization_literal(std::int32_t{-7}));
  EXPECT_EQ("(-2147483647-1)", specialization_literal(std::numeric_limits<std::int32_t>::min()));
  EXPECT_EQ("4294967296L", specialization_literal(std::int64_t{1} << 32));
  EXPECT_EQ("(-9223372036854775807L-1)", specialization_literal(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ("0x3p0", specialization_literal(3.0));
  EXPECT_EQ("-0x0p0", specialization_literal(-0.0));
  EXPECT_EQ("NAN", specialization_literal(std::nan("")));
  EXPECT_EQ("-INFINITY", specialization_literal(-std::numeric_limits<double>::infinity()));
  for (const double value : {0.1, -1.0 / 3.0, 1e308, std::numeric_limits<double>::max(), 5e-324,
                             2.2250738585072014e-308, 1.7976931348623157e-300, 0x1.fffffffffffffp0}) {
    EXPECT_EQ(value, std::strtod(specialization_literal(value).c_str(), nullptr)) << value;
  }
}

TEST(Specialization, names_are_identifiers) {
  for (const char* good : {"L2", "_x", "n_Tile9"}) EXPECT_NO_THROW(check_specialization_name(good)) << good;
  for (const char* bad : {"", "2L", "a b", "a-b", "a=1", "x\n", "defined", "__OPENCL_VERSION__", "caf\xc3\xa9"})
    EXPECT_THROW(check_specialization_name(bad), NmathError) << bad;
  EXPECT_TRUE(mentions_identifier("a + L2;", "L2"));
  EXPECT_TRUE(mentions_identifier("L2", "L2"));
  EXPECT_FALSE(mentions_identifier("XL2 L22 L2_", "L2"));
  EXPECT_EQ("-w -DA=1 -DB=0x1p-1", with_specialization_options("-w", {{"B", 0.5}, {"A", true}}));
  EXPECT_EQ("-DA=2", with_specialization_options("", {{"A", std::int32_t{2}}}));
}

TEST(CompilerOptions, have_a_name_behind_D_U_and_I) {
  for (const char* const options : {"-D", " -D ", "-DA= -D", "-D -DA", "-I", "-U\t", "-cl-mad-enable -D\n"})
    EXPECT_THROW(openclPort::check_compiler_options(options), openclPort::NmathError) << options;
  for (const char* const options : {"", "-DA", "-D A", "-D A=1 -I /here -UB", "-cl-std=CL1.2 -w"})
    EXPECT_NO_THROW(openclPort::check_compiler_options(options)) << options;
}
