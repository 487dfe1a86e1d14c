// point_slice_parts -- see point_slice_parts.h
#include "expression/point_slice_parts.h"

#include <algorithm>

#include "base/text.h"
#include "expression/lines.h"
#include "expression/points.h"
#include "expression/products.h"
#include "expression/tables.h"

namespace openclPort::expression {

namespace {

constexpr std::size_t kMostRowValues = 16;

double columns_of(const Writer& w, const ProductAt& product) {
  return w.graph.input(w.columns[static_cast<std::size_t>(product.matrix) - 1].input).columns;
}

// Whether a row's own lines read a product that has a term: such rows have no values in common to all points.
bool has_row_products(const Writer& w) {
  return std::any_of(w.row_lines.begin(), w.row_lines.end(),
                     [](const std::string& line) { return line.find("EXPR_ETA") != std::string::npos; });
}

}  // namespace

int fours_of(const Writer& w, std::size_t t) {
  return static_cast<int>((columns_of(w, w.terms[t].product) + 3.0) / 4.0);
}

int all_fours(const Writer& w) {
  int fours = 0;
  for (std::size_t t = 0; t < w.terms.size(); ++t) fours += fours_of(w, t);
  return fours;
}
// The first term with the same matrix, and with the same product.
std::size_t matrix_of(const Writer& w, std::size_t t) {
  std::size_t first = 0;
  while (w.terms[first].product.matrix != w.terms[t].product.matrix) ++first;
  return first;
}
std::size_t product_of(const Writer& w, std::size_t t) {
  std::size_t first = 0;
  while (w.terms[first].term.product != w.terms[t].term.product) ++first;
  return first;
}

std::string point_width(const Writer& w, std::size_t t) { return filled("(int)len_%1", {w.terms[t].product.columns}); }

std::vector<Declared> row_values(const Writer& w) {
  if (has_row_products(w)) return {};
  const std::vector<Declared> found = handed_on(w.row_lines, w.loop_lines);
  const auto is_number = [](const Declared& one) {
    return one.type == "double" || one.type == "nmath_value" || one.type == "int" || one.type == "nmath_i64" ||
           one.type == "expr_index";
  };
  if (found.size() > kMostRowValues || !std::all_of(found.begin(), found.end(), is_number)) return {};
  return found;
}

// Else its lines are repeated at each point.
bool rows_come_first(const Writer& w) {
  return !has_row_products(w) && (!row_values(w).empty() || handed_on(w.row_lines, w.loop_lines).empty());
}

bool all_are_cheap(const Writer& w) {
  return std::all_of(w.functions.begin(), w.functions.end(), [](const std::string& name) {
    const FunctionRow* const row = function_row(name);
    return row != nullptr && row->cost == "cheap";
  });
}

Lines flag_lines(const char* pattern, std::size_t words) {
  Lines lines = {filled(pattern, {"needs_general"})};
  for (std::size_t k = 0; k < words; ++k) lines.push_back(filled(pattern, {filled("w%1", {k})}));
  return lines;
}

std::string column_element(const Writer& w, const std::string& value) {
  std::string found;
  for (const std::string& line : w.row_lines) {
    if (with_word_replaced(line, value, "") == line) continue;
    if (!found.empty()) return "";
    for (std::size_t k = 1; k <= w.columns.size(); ++k)
      if (w.graph.input(w.columns[k - 1].input).type == Type::real &&
          trimmed(line, " ") == filled("const nmath_value %1 = c%2[AT(%2)];", {value, k}))
        found = filled("c%1[AT(%1)]", {k});
    if (found.empty()) return "";
  }
  return found;
}

Lines row_value_lines(const Writer& w, const std::vector<Declared>& values, bool uses_index, std::size_t words,
                      bool fetches) {
  Lines lines = {row_place(w)};
  if (uses_index) lines.push_back(element_line(w));
  add_lines(lines, flag_lines("int %1 = 0;", words));
  add_lines(lines, w.row_lines);
  for (const Declared& one : values) {
    const std::string element = fetches ? column_element(w, one.name) : "";
    lines.push_back(element.empty() ? filled("q_%1[r] = %1;", {one.name})
                                    : filled("EXPR_FETCH(q_%1 + r, &%2)", {one.name, element}));
  }
  add_lines(lines, flag_lines("%1_of_rows |= %1;", words));
  return lines;
}

Lines raised_flags(std::size_t words, const std::string& needs_general) {
  Lines lines;
  if (!needs_general.empty()) lines.push_back("if (needs_general) " + needs_general);
  for (std::size_t k = 0; k < words; ++k)
    lines.push_back(filled("if (w%1) atomic_or(all_flags + (nmath_i64)point * %2 + %1, w%1);", {k, words}));
  return lines;
}

Lines raised_flags_of_rows(const Writer& w, std::size_t words, const std::string& needs_general) {
  if (w.row_lines.empty()) return {};
  Lines lines = {"for (int point = first_here; point < first_here + here; ++point) {",
                 "    int needs_general = needs_general_of_rows;"};
  for (std::size_t k = 0; k < words; ++k) lines.push_back(filled("    int w%1 = w%1_of_rows;", {k}));
  add_lines(lines, raised_flags(words, needs_general), "    ");
  lines.push_back("}");
  return lines;
}

Lines blocks_in_turn(Lines setup, const Lines& block, const Lines& ends) {
  setup.push_back(
      "for (int group = get_group_id(0) / tiles; (nmath_i64)group * block < len; group += get_num_groups(0) / tiles) "
      "{");
  add_lines(setup, block, "    ");
  setup.push_back("}");
  add_lines(setup, ends);
  return setup;
}

}  // namespace openclPort::expression
