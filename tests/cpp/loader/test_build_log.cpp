// test_build_log -- logs of program strings name the files that the #line directives name.
#include <gtest/gtest.h>

#include "loader/build_log.h"

using openclPort::first_error;
using openclPort::name_source_lines;

namespace {
const char* const kText =
    "#define FIRST 1\n"
    "#line 1 \"OPENCL.cl\"\n"
    "one\n"
    "two\n"
    "#line 7 \"nmath/a.cl\"\n"
    "seven\n"
    "eight\n";
}

TEST(BuildLog, AnonymousLinesGetTheirFiles) {
  EXPECT_EQ(name_source_lines("<kernel>:3:5: error: x", kText), "OPENCL.cl:1:5: error: x");
  EXPECT_EQ(name_source_lines("<kernel>:4: y\n<kernel>:6:1: z", kText), "OPENCL.cl:2: y\nnmath/a.cl:7:1: z");
  EXPECT_EQ(name_source_lines("input.cl:7:65: error", kText), "nmath/a.cl:8:65: error");
}

TEST(BuildLog, WhatCannotBeNamedStays) {
  EXPECT_EQ(name_source_lines("<kernel>:1:1: before any directive", kText), "<kernel>:1:1: before any directive");
  EXPECT_EQ(name_source_lines("<kernel>:x", kText), "<kernel>:x");
  EXPECT_EQ(name_source_lines("nmath/a.cl:9:1: named already", kText), "nmath/a.cl:9:1: named already");
  EXPECT_EQ(name_source_lines("<kernel>:2:1: no directives at all", "a\nb\n"), "<kernel>:2:1: no directives at all");
  EXPECT_EQ(name_source_lines("", kText), "");
}

TEST(BuildLog, FirstErrorSkipsWhatComesBefore) {
  EXPECT_EQ(first_error("warning: w\na.cl:1: error: e\nmore"), "a.cl:1: error: e");
  EXPECT_EQ(first_error("no such word\nsecond"), "no such word");
  EXPECT_EQ(first_error(""), "");
}
