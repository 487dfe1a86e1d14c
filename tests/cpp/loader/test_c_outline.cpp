// test_c_outline -- what a text defines and uses, what no GPU has, and what tools change, are told as they are.
#include "loader/c_outline.h"

#include "authors/gpu_rules.h"
#include "authors/text_diff.h"
#include "loader/kernel_calls.h"
#include "loader_test.h"

using namespace loader_test;
using Kind = CDefinition::Kind;

namespace {

Strings names_of(const COutline& outline, Kind kind) {
  Strings names;
  for (const CDefinition& definition : outline.definitions)
    if (definition.kind == kind) names.push_back(definition.name);
  return names;
}

Strings limits_of(const std::string& text) {
  Strings lines;
  find_gpu_limits(opencl_side(c_tokens(text)), [&](std::size_t line, const std::string& what) {
    lines.push_back(std::to_string(line) + ": " + what);
  });
  return lines;
}

}  // namespace

TEST(COutline, KnowsWhatIsDefinedAndDeclared) {
  const COutline outline = c_outline(
      "#define ONE 1\n#define F(x) ((x) + g(ONE))\nNMATH_FN double f(double x, const double *y)\n{\n  double z = x;\n"
      "  return F(z);\n}\ndouble g(double);\nNMATH_TABLE double t[2] = {1.0, ONE};\ntypedef struct { double a; } "
      "pair;\n"
      "struct point { int b; };\nenum colour { red, green = 2 };\nint u, *v = &u;\ntypedef pair couple;\n#undef ONE\n"
      "__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void k(__global pair *p) { p->a = t[0]; }\n");
  EXPECT_EQ(names_of(outline, Kind::macro), Strings{"ONE"});
  EXPECT_EQ(names_of(outline, Kind::call_macro), Strings{"F"});
  EXPECT_EQ(names_of(outline, Kind::function), (Strings{"f", "k"}));
  EXPECT_EQ(names_of(outline, Kind::object), (Strings{"t", "red", "green", "u", "v"}));
  EXPECT_EQ(names_of(outline, Kind::type), (Strings{"pair", "point", "colour", "couple"}));
  EXPECT_EQ(outline.declared, std::set<std::string>{"g"});
  EXPECT_EQ(outline.undefined.at("ONE"), 15u);
  EXPECT_EQ(outline.find("f")->line, 3u);
  EXPECT_EQ(outline.calls.at("f"), std::set<std::string>{"F"});
  EXPECT_EQ(outline.uses.at("g").call, 2u);  // where the macro that is used has it
  EXPECT_EQ(outline.uses.at("t").line, 16u);
  EXPECT_EQ(outline.uses.count("a"), 0u);
}

TEST(COutline, BothSidesOfAConditionMayOpenABody) {
  const COutline outline =
      c_outline("void f(void)\n{\n#if A\n  if (1) {\n#else\n  if (2) {\n#endif\n  g();\n  }\n}\nvoid h(void) {}\n");
  EXPECT_EQ(names_of(outline, Kind::function), (Strings{"f", "h"}));
  EXPECT_EQ(outline.uses.at("g").call, 8u);
}

TEST(COutline, AMacroThatStandsAloneMayDefineWhatItIsGiven) {
  for (const std::string& behind : Strings{"", "double f(double);"}) {
    const COutline outline = c_outline("double g(double);\nMAKE(made)\n" + behind);
    EXPECT_TRUE(outline.expanded.count("made"));
    EXPECT_FALSE(outline.declared.count("MAKE"));
  }
}

TEST(COutline, AMacroThatIsNotUsedUsesNothing) {
  EXPECT_EQ(c_outline("#define F(x) g(x)\nvoid f(void) {}\n").uses.count("g"), 0u);
  EXPECT_EQ(c_outline("#define F(x) G(x)\n#define G(x) g(x)\nvoid f(void) { F(1); }\n").uses.at("g").call, 2u);
  EXPECT_EQ(c_outline("#define F(x) F(x)\nvoid f(void) { F(1); }\n").uses.count("F"), 1u);
}

TEST(CTokens, CommentsGoOnAndAreClosed) {
  EXPECT_EQ(unclosed_comment("/* a */ \"/*\" '/*' // /*\n"), 0u);
  EXPECT_EQ(unclosed_comment("int x;\n/* a\n*"), 2u);
  EXPECT_EQ(called_names("// a \\\nf(1)\ng(2)\n"), std::set<std::string>{"g"});
}

TEST(GpuRules, TellWhereAGpuEnds) {
  EXPECT_EQ(limits_of("#ifndef __OPENCL_VERSION__\n#include <math.h>\nint a;\n#else\nstatic int b;\n#endif\n").size(),
            1u);
  EXPECT_EQ(limits_of("#if defined(__OPENCL_C_VERSION__)\nconst int a = 1;\n#else\nint b;\n#endif\n"), Strings{});
  EXPECT_EQ(limits_of("void f(int n, ...);\n")[0], "1: a variable number of arguments");
  EXPECT_EQ(limits_of("void f(void)\n{\n  static int n;\n}\n")[0].substr(0, 9), "3: static");
  EXPECT_EQ(limits_of("__kernel void k(\n  double *x, __global int *y, bool z) {}\n").size(), 2u);
  EXPECT_TRUE(is_host_function("malloc"));
  EXPECT_FALSE(is_host_function("sqrt"));
}

TEST(TagLines, ATagKeepsItsPlace) {
  const std::string text = "// p\n// @depends_x: a,\n//   b\n// @method: m\n\nint y;";
  const std::string set = set_tags(text, "k", {{"calls_x", "f"}, {"depends_x", "c"}, {"method", ""}, {"used", "u"}});
  EXPECT_EQ(set, "// p\n// @depends_x: c\n// @calls_x: f\n// @used: u\n\nint y;\n");
  EXPECT_EQ(set_tags("int y;\n", "k", {{"used", "u"}}), "// @used: u\n\nint y;\n");
  EXPECT_EQ(set_tags("int y;\n", "k", {{"used", ""}}), "int y;\n");
}

TEST(TextDiff, ShowsWhatChangesAndNothingElse) {
  EXPECT_EQ(text_diff("a\n", "a\n", "x"), "");
  EXPECT_EQ(text_diff("a\nb\nc\n", "a\nB\nc\n", "x"), "--- x\n+++ x\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
  EXPECT_EQ(text_diff("", "a\n", "x"), "--- x\n+++ x\n@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(text_diff("a\r\n", "a", "x"), "--- x\n+++ x\n@@ -1 +1 @@\n-a\\r\n+a\n\\ No newline at end of file\n");
  std::string before, after;
  for (int i = 0; i < 40; ++i)
    before += std::to_string(i) + "\n", after += std::to_string(i == 5 || i == 30 ? -i : i) + "\n";
  const std::string diff = text_diff(before, after, "x");
  EXPECT_NE(diff.find("@@ -3,7 +3,7 @@"), std::string::npos);
  EXPECT_NE(diff.find("@@ -28,7 +28,7 @@"), std::string::npos);
}

TEST(KernelCalls, NamesOfOpenClAreKnown) {
  for (const char* name : {"get_global_id", "atomic_add", "vload4", "barrier", "as_ulong", "erf"})
    EXPECT_TRUE(is_opencl_builtin(name)) << name;
  for (const char* name : {"exp", "sqrt", "dnorm", "f"}) EXPECT_FALSE(is_opencl_builtin(name)) << name;
  EXPECT_TRUE(is_opencl_function("exp"));
}
