// term_slices -- see term_slices.h
#include "expression/term_slices.h"

#include "base/text.h"
#include "expression/lines.h"
#include "expression/products.h"

namespace openclPort::expression {

namespace {

// Of a column's sums: work-items that read one of each meet no other's bank.
const char* const kPadded = "(slices + 1)";

std::string term_columns(const Writer& w, std::size_t t) { return filled("(int)len_%1", {w.terms[t].product.columns}); }

// How many sums there are: columns of all terms, then values.
std::string sliced_sums(const Writer& w) {
  Lines widths;
  for (std::size_t t = 0; t < w.terms.size(); ++t) widths.push_back(term_columns(w, t));
  return filled("(%1 + %2)", {joined(widths, " + "), w.types.size()});
}

Lines own_sums(const Writer& w) {
  return {filled("__local double* const own = sums + %1 * items;", {w.types.size()}),
          filled("const int all = %1 * sliced_sums;", {kPadded})};
}

// What a slice has of a tile's `count` rows. `row`: how row r is found; `next`: the chain z with row r in it.
std::string chains(const std::string& row, const std::string& next) {
  return filled(
      "for (int from = slice; from < count; from += %1) { nmath_value z = 0.0; EXPR_FOURS for (int u = 0; u < %1; u += "
      "slices) "
      "if (from + u < count) { const int r = from + u; %2 z = %3; } a = expr_sum_add(a, z); }",
      {kChainedRows, row, next});
}

// `lines(t)` in the branch of the term, or of the values, that sum c of all is one of: c becomes its number there.
template <class Of, class Values>
Lines by_term(const Writer& w, const Of& of, const Values& values) {
  Lines lines;
  for (std::size_t t = 0; t < w.terms.size(); ++t) {
    const std::string test = t == 0 ? "c" : filled("(c -= %1)", {term_columns(w, t - 1)});
    lines.push_back(filled("%1if (%2 < %3) {", {t == 0 ? "" : "} else ", test, term_columns(w, t)}));
    add_lines(lines, of(t), "    ");
  }
  lines.push_back("} else {");
  lines.push_back(filled("    c -= %1;", {term_columns(w, w.terms.size() - 1)}));
  add_lines(lines, values(), "    ");
  lines.push_back("}");
  return lines;
}

// The columns of which bundle's tile a term reads.
std::string columns_before(const Writer& w, std::size_t t) {
  return widths_before(w, static_cast<std::size_t>(bundle_of(w, t)) - 1);
}

Lines chains_of_term(const Writer& w, std::size_t t) {
  const ProductAt& product = w.terms[t].product;
  const std::string score = filled("part[%1 * items + r]", {t});
  return {"if (rows > 0) {",
          filled("    __local const double* x = tile + (%1 + c) * (rows + 1);", {columns_before(w, t)}),
          "    " + chains("", filled("EXPR_ADD_TERM(z, x[r], %1)", {score})),
          "} else {",
          "    " + chains(joined(row_lines(w, product), " "),
                          filled("EXPR_ADD_TERM(z, %1, %2)", {product_element(product, "c"), score})),
          "}"};
}

}  // namespace

bool may_have_slices(const Writer& w) {
  const TextRequest& request = w.request;
  if (!w.assume_no_nan || request.reduce != Reduction::sum || !request.grouping.empty() || request.as_gpu) return false;
  if (w.terms.empty() || w.terms.size() > kMostSlicedTerms || w.types.size() > kMostSlicedValues) return false;
  for (const Type type : w.types)
    if (type != Type::real) return false;
  for (const WrittenTerm& term : w.terms)
    if (term.skips || !is_plain_row(w, term.product)) return false;
  return true;
}

bool may_be_wide(const Writer& w) {
  return may_have_slices(w) && w.terms.size() <= kMostWideTerms && w.request.each.empty();
}

std::string columns_of_range(const std::string& width, const std::string& ranges) {
  return filled("(%2 > 1 ? (%1 + 4 * %2 - 1) / (4 * %2) * 4 : %1)", {width, ranges});
}

Lines sliced_lines(const Writer& w) {
  Lines fours;
  for (const WrittenTerm& term : w.terms) fours.push_back(filled("(len_%1 + 3) / 4", {term.product.columns}));
  return {"#ifdef NMATH_MATRIX_UNITS",
          filled("const int most_fours = %1;", {most_matrix_fours(may_be_wide(w))}),
          "#else",
          filled("const int most_fours = %1;", {kFours}),
          "#endif",
          filled("const nmath_i64 fours = %1;", {joined(fours, " + ")}),
          "const int sliced = fours <= most_fours;",
          "#ifdef NMATH_MATRIX_UNITS",
          filled("const int wide = %1, ranges_of_slices = %2;",
                 {may_be_wide(w) ? "!sliced" : "0",
                  w.terms.size() <= kMostWideTerms ? filled("fours > %1 ? %2 : 1", {kFours, kRanges}) : "1"}),
          "#else",
          "const int wide = 0, ranges_of_slices = 1;",
          "#endif",
          filled("const int ranges = sliced ? ranges_of_slices : wide ? fours <= %1 ? %2 : %3 : 0;",
                 {kTallFours, ranges_of_wide(0), ranges_of_wide(kTallFours + 1)}),
          filled("const int wide_tile = fours <= %1 ? %2 : %3, wide_chain = fours <= %1 ? %4 : %5;",
                 {kTallFours, tile_of_wide(0), tile_of_wide(kTallFours + 1), chain_of_wide(0),
                  chain_of_wide(kTallFours + 1)}),
          filled("const int slices = fours <= %1 ? %2 : %3, log2_slices = fours <= %1 ? 4 : 3;",
                 {kFewFours, slices_of(kFewFours), slices_of(kFewFours + 1)})};
}

Lines slice_rooms(const Writer& w) {
  return {
      filled("const int sliced_sums = %1;", {sliced_sums(w)}),
      filled("if (sliced) taken = %1 * items + 2 * %2 * sliced_sums;", {w.types.size(), kPadded}),
      filled("if (wide) taken += %1;", {kWideTile * static_cast<int>(w.types.size())}),
      filled("__local double* const row_values = sums + taken - %1;", {kWideTile * static_cast<int>(w.types.size())})};
}

Lines slice_clear(const Writer& w) {
  Lines lines = own_sums(w);
  lines.push_back("for (int k = item; k < 2 * all; k += items) own[k] = 0.0;");
  return lines;
}

Lines slice_values(const Writer& w) {
  Lines lines;
  for (std::size_t k = 0; k < w.results.size(); ++k)
    lines.push_back(filled("sums[%1 * items + item] = %2;", {k, w.results[k]}));
  return lines;
}

Lines slice_add(const Writer& w) {
  Lines lines = own_sums(w);
  add_lines(lines,
            {"for (int k = item; k < slices * sliced_sums; k += items) {", "    const int slice = k & (slices - 1);",
             "    int c = k >> log2_slices;", filled("    const int place = %1 * c + slice;", {kPadded}),
             "    expr_sum a = expr_sum_of(own[place], own[all + place]);"});
  const auto of = [&w](std::size_t t) { return chains_of_term(w, t); };
  const auto values = [] { return Lines{chains("", "z + sums[c * items + r]")}; };
  add_lines(lines, by_term(w, of, values), "    ");
  add_lines(lines, {"    own[place] = a.s;", "    own[all + place] = a.c;", "}"});
  return lines;
}

Lines slice_end(const Writer& w) {
  Lines lines = own_sums(w);
  add_lines(
      lines,
      {"for (int k = item; k < sliced_sums; k += items) {",
       filled("    expr_sum a = expr_sum_of(own[%1 * k], own[all + %1 * k]);", {kPadded}),
       filled("    for (int m = 1; m < slices; ++m) { a = expr_sum_add(a, own[%1 * k + m]); a.c += own[all + %1 * "
              "k + m]; }",
              {kPadded}),
       "    const double x = expr_sum_value(a);", "    needs_general |= isnan(x) != 0;", "    int c = k;"});
  const auto of = [&w](std::size_t t) {
    return Lines{filled("o%1[2 * group * len_%2 + c] = x;",
                        {w.first_term + static_cast<int>(t) + 1, w.terms[t].product.columns})};
  };
  const auto values = [&w] {
    Lines stores;
    for (std::size_t k = 0; k < w.results.size(); ++k)
      stores.push_back(filled("if (c == %1) o%2[group] = x;", {k, k + 1}));
    return stores;
  };
  add_lines(lines, by_term(w, of, values), "    ");
  lines.push_back("}");
  return lines;
}

std::string wide_chains(const std::string& row, const std::string& next) {
  return filled(
      "for (int from = 0; from < count; from += wide_chain) { nmath_value z = 0.0; EXPR_FOURS for (int u = 0; u < "
      "wide_chain; ++u) if (from + u < count) { const int r = from + u; %1 z = %2; } a = expr_sum_add(a, z); }",
      {row, next});
}

Lines wide_values(const Writer& w) {
  Lines lines;
  for (std::size_t k = 0; k < w.results.size(); ++k)
    lines.push_back(filled("row_values[%1 + item] = %2;", {kWideTile * static_cast<int>(k), w.results[k]}));
  return lines;
}

Lines wide_add(const Writer& w) {
  Lines lines;
  for (std::size_t k = 0; k < w.results.size(); ++k)
    lines.push_back(
        filled("if (item == items - %1) { expr_sum a = a%1; %2 a%1 = a; }",
               {k + 1, wide_chains("", filled("z + row_values[%1 + r]", {kWideTile * static_cast<int>(k)}))}));
  return lines;
}

std::string added_to_parts(const std::string& s, const std::string& c, const std::string& x) {
  return filled("{ const double x_ = %3, t_ = %1 + x_, z_ = t_ - %1; %2 += (%1 - (t_ - z_)) + (x_ - z_); %1 = t_; }",
                {s, c, x});
}

}  // namespace openclPort::expression
