// test_near_names -- which names are near an unknown one.
#include <gtest/gtest.h>

#include "base/near_names.h"

using openclPort::did_you_mean;
using openclPort::letters_apart;

TEST(NearNames, letters_are_counted) {
  EXPECT_EQ(letters_apart("", ""), 0u);
  EXPECT_EQ(letters_apart("", "abc"), 3u);
  EXPECT_EQ(letters_apart("dnorm", "DNORM"), 0u);
  EXPECT_EQ(letters_apart("dnorm", "dnorms"), 1u);
  EXPECT_EQ(letters_apart("kitten", "sitting"), 3u);
  EXPECT_EQ(letters_apart("dnrom", "dnorm"), 1u);  // only the order
}

TEST(NearNames, the_nearest_are_named) {
  EXPECT_EQ(did_you_mean("depend_nmath", {"depends", "depends_nmath", "calls_nmath"}),
            "; did you mean 'depends_nmath'?");
  EXPECT_EQ(did_you_mean("q", {"m", "s"}), "");
  EXPECT_EQ(did_you_mean("ab", {"a", "b", "ac", "ab1"}), "; did you mean 'ac' or 'ab1'?");
  EXPECT_EQ(did_you_mean("x", {}), "");
  EXPECT_EQ(did_you_mean("", {"a"}), "");
  EXPECT_EQ(did_you_mean("aaaa", {"aaab", "aaac", "aaad", "aaae"}), "; did you mean 'aaab' or 'aaac' or 'aaad'?");
  EXPECT_EQ(did_you_mean("far_away", {"nothing", "like", "it"}), "");
}
