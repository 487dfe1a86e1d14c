// test_kernel_signature -- the words of a C text, what it calls, and the parameters of its kernels. Needs no device.
#include "loader/kernel_signature.h"

#include <gtest/gtest.h>

#include "loader/c_tokens.h"

using namespace openclPort;
using Kind = KernelParameter::Kind;
using Names = std::set<std::string>;

TEST(Tokens, comments_strings_and_directives_are_told_apart) {
  const std::vector<CToken> tokens = c_tokens("a /* b\n c */ d // e\n\"f\\\"g\" 'h' #  define X \\\n 1\ni");
  std::vector<std::string> words;
  for (const CToken& token : tokens) words.push_back(token.text);
  EXPECT_EQ((std::vector<std::string>{"a", "d", "#define", "X", "1", "i"}), words);
  EXPECT_EQ(2u, tokens[1].line);
  EXPECT_EQ(tokens[2].line, tokens[4].line);  // a directive goes on in the next line
  EXPECT_EQ(5u, tokens[5].line);
  for (const char* text : {"", "/*", "\"", "'", "//", "#", "\\", "/* * /", "\"\\"}) EXPECT_NO_THROW(c_tokens(text));
}

TEST(Tokens, what_a_text_calls_and_does_not_define) {
  EXPECT_EQ((Names{"dnorm", "get_global_id"}),
            called_names("/* pnorm(1) */ double half(double x) { return 0.5 * x; }\n"
                         "#define TWICE(x) (2 * (x))\n"
                         "__kernel void k(__global double* out)\n"
                         "{ int i = get_global_id(0); if (i > 0) out[i] = half(TWICE(dnorm"
                         "(out[i], 0, 1, 0))); /* \"q\" */ char* s = \"qnorm(1)\"; }"));
  EXPECT_EQ(Names{}, called_names("static inline double* f(double* x) { while (*x) { } return f(x); }"));
}

TEST(Signature, is_read_from_the_text) {
  const std::string text =
      "typedef double real;\n#define INDEX uint\n// __kernel void k(int no)\nvoid k(int, int);\n"
      "__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void other(void) {}\n"
      "kernel void\nk(__global const real* restrict x, __constant int *t, global float* y, __local double* work,\n"
      "  const INDEX n, unsigned long m, __global double4* v, struct s z, __read_only image2d_t im, sampler_t s, "
      "MORE)\n{}";
  const std::optional<KernelSignature> signature = parse_kernel_signature(text, "k");
  ASSERT_TRUE(signature);
  const struct {
    Kind kind;
    const char* type;
    bool read_only;
  } expected[] = {
      {Kind::buffer, "double", true},      {Kind::buffer, "int", true},        {Kind::buffer, "float", false},
      {Kind::local, "double", false},      {Kind::value, "uint", false},       {Kind::value, "ulong", false},
      {Kind::unknown, "double4", false},   {Kind::unknown, "struct s", false}, {Kind::image, "image2d_t", false},
      {Kind::sampler, "sampler_t", false}, {Kind::unknown, "", false}};
  ASSERT_EQ(std::size(expected), signature->size());
  for (std::size_t k = 0; k < signature->size(); ++k) {
    EXPECT_EQ(expected[k].kind, (*signature)[k].kind) << k;
    EXPECT_EQ(expected[k].type, (*signature)[k].type) << k;
    EXPECT_EQ(expected[k].read_only, (*signature)[k].read_only) << k;
  }
  EXPECT_EQ("__global const double* x", parameter_text((*signature)[0]));
  EXPECT_EQ(0u, parse_kernel_signature(text, "other")->size());
  EXPECT_FALSE(parse_kernel_signature(text, "none"));
  EXPECT_FALSE(parse_kernel_signature("__kernel void k", "k"));
  EXPECT_NO_THROW(parse_kernel_signature("__kernel void k(((", "k"));
  EXPECT_NO_THROW(parse_kernel_signature("__kernel __attribute__((", "k"));
}

TEST(Signature, type_names_are_one_for_each_type) {
  EXPECT_EQ("uint", scalar_type_name("unsigned"));
  EXPECT_EQ("ulong", scalar_type_name("long unsigned int"));
  EXPECT_EQ("char", scalar_type_name("signed char"));
  EXPECT_EQ("struct s", scalar_type_name("struct s"));
  EXPECT_EQ(8u, scalar_bytes("unsigned long"));
  EXPECT_EQ(0u, scalar_bytes("half"));
  EXPECT_EQ(0u, scalar_bytes("size_t"));  // the device's own width
}

TEST(Signature, goes_through_text_and_back) {
  const KernelSignatures signatures = {
      {"a", {{Kind::buffer, "double", "x", true}, {Kind::unknown, "struct s", "", false}}}, {"b", {}}};
  const std::optional<KernelSignatures> again = read_signatures(write_signatures(signatures));
  ASSERT_TRUE(again);
  EXPECT_EQ(write_signatures(signatures), write_signatures(*again));
  EXPECT_EQ(2u, again->at("a").size());
  for (const char* bad : {"x", "0\t1\tint\tx", "kernel a\n9\t1\tint\tx\n", "kernel a\n\n", "kernel a\n0\n"})
    EXPECT_FALSE(read_signatures(bad)) << bad;
}
