// test_kernel_tags -- tags are read as they are meant, refused where they are not, and replaced where they belong.
#include "loader_test.h"

using namespace loader_test;

TEST(KernelTags, KnowsLinesKindsAndItems) {
  const KernelTags tags("\n// prose\n// @depends: a,\n//   b\n//@method:  x, y: z \n\nint x;\n", "x.cl");
  ASSERT_EQ(tags.all().size(), 2u);
  const Tag* depends = tags.find("depends");
  ASSERT_NE(depends, nullptr);
  EXPECT_EQ(depends->items, (Strings{"a", "b"}));
  EXPECT_EQ(depends->first_line, 3);
  EXPECT_EQ(depends->last_line, 4);
  EXPECT_EQ(depends->kind, TagKind::names);
  EXPECT_EQ(tags.where(*depends), "x.cl:3: @depends: ");
  EXPECT_EQ(tags.list("method"), Strings{"x, y: z"});
  EXPECT_EQ(tags.find("provides"), nullptr);
  EXPECT_TRUE(tags.list("provides").empty());
}

TEST(KernelTags, CountsAreIntegersAndFamiliesAreLists) {
  const KernelTags tags("// @all_depends_x_count: 3\n// @all_depends_x: a\n// @calls_x: f\n// @depends_x: (none)\n",
                        "k");
  EXPECT_EQ(tags.find("all_depends_x_count")->kind, TagKind::integer);
  EXPECT_EQ(tags.list("all_depends_x"), Strings{"a"});
  EXPECT_TRUE(tags.list("depends_x").empty());
}

TEST(KernelTags, ReadsWhateverEndsAFile) {
  EXPECT_TRUE(KernelTags("", "x").all().empty());
  EXPECT_EQ(KernelTags("// @depends: a", "x").list("depends"), Strings{"a"});
  EXPECT_EQ(KernelTags("// @depends: a\r\n\r\n", "x").list("depends"), Strings{"a"});
  EXPECT_EQ(message_of([] { KernelTags("// @depends: a,", "x"); }),
            "x:1: @depends: the list ends with a comma, but no // line goes on with it");
}

TEST(KernelTags, ATagOnlyLooksLikeOneOutsideTheHead) {
  EXPECT_EQ(message_of([] { KernelTags("int x; // @depends: a\n// @param x\n// see @depends: a\n", "x"); }),
            "no error");
  EXPECT_TRUE(
      starts_with(message_of([] { KernelTags("int x;\n//@calls_y", "x"); }), "x:2: @calls_y: a tag must stand"));
}

TEST(KernelTags, NoInputIsReadPastItsEnd) {
  // Every prefix of a head with all kinds of tags, and every single byte of it replaced, parses or is refused.
  const std::string head =
      "// p\n// @depends: a,\n// b\n// @load_order: 12\n// @to_shim_kind: a=b\n// @method: m\n\n// @includes: "
      "a/b.h\nx\n";
  int refused = 0;
  for (std::size_t i = 0; i <= head.size(); ++i) {
    refused += message_of([&] { KernelTags(head.substr(0, i), "x"); }) != "no error";
    for (const char c : {'\0', '\n', ',', '@', ':', ' ', '\xFF'}) {
      std::string bent = head;
      if (i < bent.size()) bent[i] = c;
      refused += message_of([&] { KernelTags(bent, "x"); }) != "no error";
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(KernelTags, ReplacedTagsStandWhereTheyBelongAndStayThere) {
  const std::vector<DerivedTag> derived = {{"all_depends", "a, b"}, {"all_depends_count", "2"}, {"load_order", ""}};
  const std::string expected =
      "// @depends: a,\n//  b\n// @method: m\n// @all_depends: a, b\n// @all_depends_count: 2\n\n// prose\nint x;\n";
  const std::string once = replace_tags(
      "// @load_order: 3\r\n// @depends: a,\r\n//  b\r\n// @method: m\r\n\r\n// prose\r\nint x;", "x", derived);
  EXPECT_EQ(once, expected);
  EXPECT_EQ(replace_tags(once, "x", derived), expected);

  EXPECT_EQ(replace_tags("int x;\n", "x", derived), "// @all_depends: a, b\n// @all_depends_count: 2\n\nint x;\n");
  EXPECT_EQ(replace_tags("", "x", derived), "// @all_depends: a, b\n// @all_depends_count: 2\n");
  EXPECT_EQ(replace_tags("// prose\n// @provides: x\n", "x", derived, "depends"),
            "// prose\n// @provides: x\n// @all_depends: a, b\n// @all_depends_count: 2\n");
  EXPECT_EQ(replace_tags("// @depends: a\n// @provides: x\n", "x", derived, "depends"),
            "// @depends: a\n// @all_depends: a, b\n// @all_depends_count: 2\n// @provides: x\n");
}
