// lines -- puts texts together from templates and lists of lines.
#include "expression/lines.h"

#include <cstring>
#include <map>

#include "base/text.h"

namespace openclPort::expression {

std::string filled(const std::string& pattern, std::initializer_list<Filling> fillings) {
  std::string text;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const bool place = pattern[at] == '%' && at + 1 < pattern.size() && is_digit(pattern[at + 1]);
    if (!place) {
      text += pattern[at];
      continue;
    }
    ++at;
    text += fillings.begin()[pattern[at] - '1'].text;
  }
  return text;
}

void add_lines(std::vector<std::string>& to, const std::vector<std::string>& lines, const std::string& indent) {
  for (const std::string& line : lines) to.push_back(indent + line);
}

std::string with_word_replaced(const std::string& text, const std::string& word, const std::string& by) {
  std::string made;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
    const std::size_t end = at + word.size();
    if ((at > 0 && is_word(text[at - 1])) || (end < text.size() && is_word(text[end]))) {
      ++at;
      continue;
    }
    made.append(text, from, at - from);
    made += by;
    from = at = end;
  }
  return made.append(text, from, std::string::npos);
}

namespace {

// Of the name of a node that begins at `at`, where its number begins; at itself where it is none.
std::size_t number_of_node(const std::string& text, std::size_t at) {
  for (const char* const stem : {"v", "na", "k", "at_v", "over_v", "rest_v", "na_of_v", "sum_v", "rows_v", "parts_v",
                                 "part_v", "from_v", "row_v", "per_"}) {
    const std::size_t from = at + std::strlen(stem);
    std::size_t end = from;
    if (text.compare(at, from - at, stem) != 0) continue;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end > from && (end == text.size() || text[end] == '_' || !is_word(text[end]))) return from;
  }
  return at;
}

}  // namespace

std::string with_nodes_in_order(const std::string& text) {
  std::map<std::string, std::string> numbers;
  std::string made;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end == at) {
      made += text[at++];
      continue;
    }
    const std::size_t from = number_of_node(text, at);
    std::size_t behind = from;
    if (from > at) {
      while (behind < end && is_digit(text[behind])) ++behind;
      const std::string number = text.substr(from, behind - from);
      made.append(text, at, from - at);
      made += numbers.emplace(number, std::to_string(numbers.size() + 1)).first->second;
    }
    made.append(text, behind, end - behind);
    at = end;
  }
  return made;
}

std::string with_part_replaced(const std::string& text, const std::string& part, const std::string& by) {
  std::string made;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = text.find(part, from)) != std::string::npos; from = at + part.size()) {
    made.append(text, from, at - from);
    made += by;
  }
  return made.append(text, from, std::string::npos);
}

const std::vector<std::string>& span_lines() {
  static const std::vector<std::string> lines = {
      "#if defined(NMATH_SPANS) || defined(NMATH_HOST_TEXT)", "#define EXPR_ALONE", "#define EXPR_TILE 64",
      "#define EXPR_LANES 8",
      // On Windows they may lie unaligned on the stack; pairs of floats have no vectors.
      "#if defined(NMATH_HOST_TEXT) && !defined(_WIN32) && !defined(NMATH_FLOAT_PAIRS)",
      "typedef double expr_vector __attribute__((vector_size(64)));", "#define EXPR_VECTOR expr_vector", "#endif",
      "#define EXPR_SPAN const int span = (len - 1) / (int)get_global_size(0) + 1, from = "
      "(int)get_global_id(0) * span; \\",
      "    const int until = span < len - from ? from + span : len;",
      "#define EXPR_EACH(i) for (int i = from; i < until; ++i)",
      "#define EXPR_WEIGHTED(counted, with, without) without", "#else", "#ifdef NMATH_PREFERS_STRAIGHT",
      "#define EXPR_FOURS _Pragma(\"unroll 4\")", "#else", "#define EXPR_FOURS", "#endif",
      "#define EXPR_ETA(term) expr_parts(part + (term) * items, item, height, lanes)",
      "#ifdef NMATH_SINGLE",  // whose density is as quick
      "#define EXPR_COUNTS 1", "#define EXPR_WEIGHTED(counted, with, without) without", "#else",
      "#define EXPR_COUNTS 256", "#define EXPR_WEIGHTED(counted, with, without) (counted ? with : without)", "#endif",
      "#define EXPR_SPAN", "#define EXPR_EACH(i) for (int i = get_global_id(0); i < len; i += get_global_size(0))",
      "#endif"};
  return lines;
}

}  // namespace openclPort::expression
