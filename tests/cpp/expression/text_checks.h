// text_checks -- questions to a kernel's text.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "expression_test.h"

namespace expression_test {

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

inline int count_in(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

inline Case call(const std::string& text, const std::vector<Input>& inputs, const std::string& reduce = "") {
  Case one;
  one.text = text;
  one.inputs = inputs;
  one.reduce = reduce;
  return one;
}

inline std::vector<std::string> kinds(const KernelText& text) {
  std::vector<std::string> made;
  for (const TextItem& item : text.items) made.push_back(item.kind);
  return made;
}

inline bool takes(const KernelText& text, const std::string& kind) {
  const std::vector<std::string> all = kinds(text);
  return std::find(all.begin(), all.end(), kind) != all.end();
}

// Brackets that close, and no place that was left open.
inline void expect_whole(const std::string& text, const std::string& name) {
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '{' || c == '[' ? 1 : c == ')' || c == '}' || c == ']' ? -1 : 0;
    ASSERT_GE(depth, 0) << name;
  }
  EXPECT_EQ(depth, 0) << name << '\n' << text;
  EXPECT_FALSE(has(text, "@rows")) << name;
  EXPECT_FALSE(has(text, "[@")) << name;
  for (const char digit : {'1', '2', '3', '4', '5', '6'})
    EXPECT_FALSE(has(text, std::string("%") + digit)) << name << '\n' << text;
}

}  // namespace expression_test
