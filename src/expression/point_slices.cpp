// point_slices -- see point_slices.h
//
// A tile of rows lies in local memory, with what a row has that is the same at all points. Work-items of one slice are
// neighbours: they read the same row, once for its product and for its part of the sums: a row's numbers stay in
// registers until its score is known.
#include "expression/point_slices.h"

#include <algorithm>

#include "base/text.h"
#include "expression/lines.h"
#include "expression/point_slice_parts.h"
#include "expression/points.h"
#include "expression/products.h"
#include "expression/term_slices.h"

namespace openclPort::expression {

namespace {

constexpr int kJoinedAtOnce = 6;  // sums of a work-item, of which the slices are joined together

int row_slices(const Writer& w) { return slices_of(all_fours(w)); }

// How far one row's numbers of a matrix are from the next one's: work-items that write one column of some rows meet in
// pairs in a bank of local memory, and those that read two rows do not.
int stride_of(const Writer& w, std::size_t t) { return 4 * fours_of(w, t) + 2; }

// Where the last four columns begin, all before are there.
std::string if_column(const Writer& w, std::size_t t, int j) {
  return j < 4 * fours_of(w, t) - 3 ? "" : filled("if (%1 > %2) ", {point_width(w, t), j});
}

struct Sums {
  std::string s, c;      // names of the parts
  bool of_term = false;  // else of values
  std::size_t number = 0;
  int column = 0;
};

std::vector<Sums> sums_of_item(const Writer& w) {
  std::vector<Sums> made;
  for (std::size_t k = 0; k < w.types.size(); ++k)
    made.push_back({filled("a%1_s", {k + 1}), filled("a%1_c", {k + 1}), false, k, 0});
  for (std::size_t t = 0; t < w.terms.size(); ++t)
    for (int j = 0; j < 4 * fours_of(w, t); ++j)
      made.push_back({filled("sum_%1_%2", {t, j}), filled("lost_%1_%2", {t, j}), true, t, j});
  return made;
}

struct Slices {
  const Writer& w;
  const bool uses_index;
  const std::size_t words;
  const std::string& needs_general;
  const std::vector<Declared> of_row;
  const bool rows_first;

  Slices(const Writer& w_, bool uses_index_, std::size_t words_, const std::string& needs_general_)
      : w(w_),
        uses_index(uses_index_),
        words(words_),
        needs_general(needs_general_),
        of_row(row_values(w_)),
        rows_first(rows_come_first(w_)) {}

  Lines setup() const {
    Lines lines = {
        "const int many = last_point - first_point;",
        "const int item = get_local_id(0), items = get_local_size(0);",
        filled("const int together = items / %1, own = item % together, slice = item / together, tiles = "
               "(many + together - 1) / together;",
               {row_slices(w)}),
        "const int first_here = first_point + (int)get_group_id(0) % tiles * together;",
        "const int here = last_point - first_here < together ? last_point - first_here : together;",
        "const int point = first_here + (own < here ? own : here - 1);",
        "__global const double* row = points + (nmath_i64)point * numbers;",
        "int shift = 8;",
        filled("while ((1 << shift) > %1 && 1 + (%2 << shift) > room) --shift;", {kChainedRows, point_row_numbers(w)}),
        "const int height = 1 << shift;",
        "__local double* const rows = area + ((size_t)area & 15) / 8;",
    };
    int before = 0;
    for (std::size_t t = 0; t < w.terms.size(); ++t) {
      if (matrix_of(w, t) != t) continue;
      lines.push_back(filled("__local double* const x_%1 = rows + height * %2;", {t, before}));
      before += stride_of(w, t);
    }
    for (const Declared& one : of_row)
      lines.push_back(filled("__local %1* const q_%2 = (__local %1*)(__local void*)(rows + height * %3);",
                             {one.type, one.name, before++}));
    add_lines(lines, flag_lines("int %1_of_rows = 0;", words));
    add_lines(lines, point_offsets(w));
    add_lines(lines, w.scalar_lines);
    add_lines(lines, point_inputs(w));
    add_lines(lines, w.point_lines);
    for (std::size_t t = 0; t < w.terms.size(); ++t)
      for (int j = 0; product_of(w, t) == t && j < 4 * fours_of(w, t); ++j)
        lines.push_back(filled("const double coef_%1_%2 = %2 < %3 ? %4 : 0.0;",
                               {t, j, point_width(w, t), product_coefficient(w.terms[t].product, filled("%1", {j}))}));
    return lines;
  }

  // Neighbours read what lies together. Where rows end, columns go on with 0.
  Lines load() const {
    Lines lines;
    for (std::size_t t = 0; t < w.terms.size(); ++t) {
      if (matrix_of(w, t) != t) continue;
      const ProductAt& product = w.terms[t].product;
      add_lines(
          lines,
          {"EXPR_FOURS", filled("for (int k = item; k < height * %1; k += items) {", {point_width(w, t)}),
           "    const int r = k & (height - 1), j = k >> shift;", "    " + joined(row_lines(w, product), " "),
           filled("    x_%1[r * %2 + j] = r < count ? %3 : 0.0;", {t, stride_of(w, t), product_element(product, "j")}),
           "}"});
    }
    if (!rows_first || w.row_lines.empty()) return lines;
    lines.push_back("for (int r = item; r < count; r += items) {");
    add_lines(lines, row_value_lines(w, of_row, uses_index, words), "    ");
    lines.push_back("}");
    return lines;
  }

  // Row r at the point.
  Lines row_at_point() const {
    Lines lines = {row_place(w)};
    if (uses_index) lines.push_back(element_line(w));
    for (std::size_t t = 0; t < w.terms.size(); ++t) {
      if (matrix_of(w, t) != t) continue;
      lines.push_back(filled("__local const double2* const pairs_%1 = (__local const double2*)(x_%1 + r * %2);",
                             {t, stride_of(w, t)}));
      for (int j = 0; j < 4 * fours_of(w, t); j += 2) {
        const bool there = if_column(w, t, j).empty();
        lines.push_back(filled("const double2 pair_%1_%2 = ", {t, j}) +
                        (there ? std::string() : filled("%1 <= %2 ? (double2)(0.0) : ", {point_width(w, t), j})) +
                        filled("pairs_%1[%2];", {t, j / 2}));
      }
    }
    for (std::size_t t = 0; t < w.terms.size(); ++t) {
      if (product_of(w, t) != t) continue;
      lines.push_back(filled("double eta_%1 = 0.0;", {t}));
      for (int j = 0; j < 4 * fours_of(w, t); ++j)
        lines.push_back(if_column(w, t, j) + filled("eta_%1 = fma(pair_%2_%3.%4, coef_%1_%5, eta_%1);",
                                                    {t, matrix_of(w, t), j & ~1, j % 2 == 0 ? "x" : "y", j}));
    }
    if (!rows_first) add_lines(lines, w.row_lines);
    for (const Declared& one : of_row) lines.push_back(filled("const %1 %2 = q_%2[r];", {one.type, one.name}));
    add_lines(lines, w.loop_lines);
    for (std::size_t k = 0; k < w.results.size(); ++k)
      lines.push_back(filled("y_%1 = y_%1 + %2;", {k + 1, w.results[k]}));
    for (std::size_t t = 0; t < w.terms.size(); ++t) {
      lines.push_back(filled("const double score_%1 = g%2;", {t, t + 1}));
      for (int j = 0; j < 4 * fours_of(w, t); j += 2)
        lines.push_back(
            filled("chain_%1_%2 = fma(pair_%3_%2, (double2)(score_%1), chain_%1_%2);", {t, j, matrix_of(w, t)}));
    }
    return lines;
  }

  // A chain of rows for each sum.
  Lines tile() const {
    Lines lines = {filled("for (int from = slice; from < count; from += %1) {", {kChainedRows})};
    for (std::size_t k = 1; k <= w.results.size(); ++k) lines.push_back(filled("    double y_%1 = 0.0;", {k}));
    for (std::size_t t = 0; t < w.terms.size(); ++t)
      for (int j = 0; j < 4 * fours_of(w, t); j += 2)
        lines.push_back(filled("    double2 chain_%1_%2 = (double2)(0.0);", {t, j}));
    lines.push_back("    NMATH_LOOP");
    lines.push_back(
        filled("    for (int r = from; r < from + %1 && r < count; r += %2) {", {kChainedRows, row_slices(w)}));
    add_lines(lines, row_at_point(), "        ");
    lines.push_back("    }");
    for (std::size_t k = 1; k <= w.results.size(); ++k)
      lines.push_back("    " + added_to_parts(filled("a%1_s", {k}), filled("a%1_c", {k}), filled("y_%1", {k})));
    for (std::size_t t = 0; t < w.terms.size(); ++t)
      for (int j = 0; j < 4 * fours_of(w, t); ++j)
        lines.push_back("    " + if_column(w, t, j) +
                        added_to_parts(filled("sum_%1_%2", {t, j}), filled("lost_%1_%2", {t, j}),
                                       filled("chain_%1_%2.%3", {t, j & ~1, j % 2 == 0 ? "x" : "y"})));
    lines.push_back("}");
    return lines;
  }

  // The slices of some sums: a work-item for each sum of each point.
  Lines join(const std::vector<Sums>& sums) const {
    Lines lines = {"barrier(CLK_LOCAL_MEM_FENCE);"};
    for (std::size_t k = 0; k < sums.size(); ++k)
      lines.push_back(filled("area[%1 * items + item] = %3; area[%2 * items + item] = %4;",
                             {2 * k, 2 * k + 1, sums[k].s, sums[k].c}));
    add_lines(lines, {"barrier(CLK_LOCAL_MEM_FENCE);", filled("if (slice < %1 && own < here) {", {sums.size()}),
                      "    __local const double* const part = area + 2 * slice * items + own;",
                      "    expr_sum a = expr_sum_of(part[0], part[items]);",
                      filled("    for (int m = 1; m < %1; ++m) { a = expr_sum_add(a, part[m * together]); a.c += "
                             "part[m * together + items]; }",
                             {row_slices(w)}),
                      "    const double x = expr_sum_value(a);",
                      "    const nmath_i64 place = (nmath_i64)point * all_blocks + first + group;"});
    for (std::size_t k = 0; k < sums.size(); ++k) {
      const Sums& sum = sums[k];
      if (!sum.of_term) {
        lines.push_back(
            filled("    if (slice == %1) { all_%2[place] = x; needs_general |= isnan(x) != 0; }", {k, sum.number + 1}));
        continue;
      }
      lines.push_back(
          filled("    if (slice == %1 && %2 < %3) { all_%4[place * (2 * len_%5) + %2] = x; needs_general |= isnan(x) "
                 "!= 0; }",
                 {k, sum.column, point_width(w, sum.number), w.first_term + static_cast<int>(sum.number) + 1,
                  w.terms[sum.number].product.columns}));
    }
    lines.push_back("}");
    return lines;
  }

  Lines block() const {
    Lines lines = {"const int begin = group * block, end = begin + block < len ? begin + block : len;"};
    const std::vector<Sums> sums = sums_of_item(w);
    for (const Sums& sum : sums) lines.push_back(filled("double %1 = 0.0, %2 = 0.0;", {sum.s, sum.c}));
    add_lines(lines,
              {"for (int at = begin; at < end; at += height) {",
               "    const int count = end - at < height ? end - at : height;", "    barrier(CLK_LOCAL_MEM_FENCE);"});
    add_lines(lines, load(), "    ");
    lines.push_back("    barrier(CLK_LOCAL_MEM_FENCE);");
    add_lines(lines, tile(), "    ");
    lines.push_back("}");
    for (std::size_t first = 0; first < sums.size(); first += kJoinedAtOnce) {
      const std::size_t last = std::min(sums.size(), first + kJoinedAtOnce);
      add_lines(lines, join(std::vector<Sums>(sums.begin() + static_cast<std::ptrdiff_t>(first),
                                              sums.begin() + static_cast<std::ptrdiff_t>(last))));
    }
    return lines;
  }

  Lines raised(const char* general_now) const {
    Lines lines;
    if (!needs_general.empty()) lines.push_back(filled("    if (%1) ", {general_now}) + needs_general);
    for (std::size_t k = 0; k < words; ++k)
      lines.push_back(filled("    if (w%1) atomic_or(all_flags + (nmath_i64)point * %2 + %1, w%1);", {k, words}));
    return lines;
  }

  // Flags raised while row values were computed hold at every point of the group.
  Lines ends() const {
    Lines lines = {"if (own < here) {"};
    add_lines(lines, raised("needs_general"));
    lines.push_back("}");
    if (!rows_first || w.row_lines.empty()) return lines;
    lines.push_back("for (int point = first_here; point < first_here + here; ++point) {");
    for (std::size_t k = 0; k < words; ++k) lines.push_back(filled("    int w%1 = w%1_of_rows;", {k}));
    add_lines(lines, raised("needs_general_of_rows"));
    lines.push_back("}");
    return lines;
  }
};

}  // namespace

bool slices_at_points(const Writer& w) {
  if (!w.tiling || !may_have_slices(w)) return false;
  return all_fours(w) <= kFours;
}

std::vector<int> point_fours(const Writer& w) {
  std::vector<int> fours;
  for (std::size_t t = 0; slices_at_points(w) && t < w.terms.size(); ++t) fours.push_back(fours_of(w, t));
  return fours;
}

int point_row_numbers(const Writer& w) {
  int columns = 0;
  for (std::size_t t = 0; t < w.terms.size(); ++t)
    if (matrix_of(w, t) == t) columns += stride_of(w, t);
  return columns + static_cast<int>(row_values(w).size());
}

Lines sliced_points(const Writer& w, bool uses_index, std::size_t words, const std::string& needs_general) {
  const Slices slices(w, uses_index, words, needs_general);
  return blocks_in_turn(slices.setup(), slices.block(), slices.ends());
}

}  // namespace openclPort::expression
