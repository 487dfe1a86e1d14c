// product_terms -- gradients in coefficients: how the rows of a block add up t(X) %*% score.
#include "base/text.h"
#include "expression/lines.h"
#include "expression/products.h"
#include "expression/term_slices.h"

namespace openclPort::expression {

namespace {

// "e_1_2" as {1, 2}: the lengths by which an index was recycled.
Lines recycling_steps(const std::string& index) {
  Lines steps;
  for (std::size_t at = index.find('_'); at != std::string::npos;) {
    const std::size_t next = index.find('_', at + 1);
    steps.push_back(index.substr(at + 1, next == std::string::npos ? next : next - at - 1));
    at = next;
  }
  return steps;
}

// Which row of a term's matrix row `r` of a tile has: its number in `i` or `p`, and where rows recur, in the index that
// its name is made of.
std::string term_row(const Writer& w, const ProductAt& product) {
  if (product.full) return joined(row_lines(w, product), " ");
  if (product.at == "0") return row_place(w);  // a matrix of one row
  std::string line = row_place(w) + " " + element_line(w), index = "e";
  for (const std::string& step : recycling_steps(product.at)) {
    const std::string next = index + "_" + step;
    line += filled(" const expr_index %1 = %2 % (expr_index)len_%3;", {next, index, step});
    index = next;
  }
  return line;
}

// How a product with a score is added to a sum.
std::string added_term(const Writer& w, const WrittenTerm& term, const std::string& x, const std::string& score) {
  const std::string add = filled(
      w.assume_no_nan ? "a = expr_sum_add(a, EXPR_TERM(%1, %2));" : "a = expr_sum_add_product(a, %1, %2);", {x, score});
  return term.skips ? filled("if (!expr_no_part(%1)) ", {score}) + add : add;
}

std::string term_width(const WrittenTerm& term) { return filled("len_%1", {term.product.columns}); }

std::string term_output(const Writer& w, std::size_t t) {
  return filled("o%1", {w.first_term + static_cast<int>(t) + 1});
}

// The sums of a column lie in the output until the block is done. The second half of a result is what the roundings of
// the first one lost.
Lines alone_column(const Writer& w, std::size_t t) {
  const std::string width = term_width(w.terms[t]);
  return {filled("for (nmath_i64 c = 0; c < %1; ++c) {", {width}),
          filled("    __global double* to = %1 + 2 * group * %2 + c;", {term_output(w, t), width}),
          filled("    expr_sum a = expr_sum_of(to[0], to[%1]);", {width})};
}

// Eight sums side by side, of every eighth row each. Compilers take arrays of them apart, one number at a time: so they
// are a vector where C has one of this length.
Lines lanes_of_tile(const std::string& row, const std::string& x, const std::string& score) {
  return {
      "    int done = 0;",
      "#ifdef EXPR_VECTOR",
      "    EXPR_VECTOR s = {0.0}, e = {0.0};",
      "#else",
      "    nmath_value s[EXPR_LANES], e[EXPR_LANES];",
      "    for (int k = 0; k < EXPR_LANES; ++k) s[k] = e[k] = 0.0;",
      "#endif",
      "    for (; done + EXPR_LANES <= count; done += EXPR_LANES) {",
      "        nmath_value terms[EXPR_LANES];",
      filled(
          "        for (int k = 0; k < EXPR_LANES; ++k) { const int r = done + k; %1 terms[k] = EXPR_TERM(%2, %3); }",
          {row, x, score}),
      "#ifdef EXPR_VECTOR",
      "        EXPR_VECTOR x;",
      "        memcpy(&x, terms, sizeof x);",
      "        const EXPR_VECTOR t = s + x, z = t - s;",
      "        e += (s - (t - z)) + (x - z);",
      "        s = t;",
      "#else",
      "        for (int k = 0; k < EXPR_LANES; ++k) {",
      "            const nmath_value x = terms[k], t = s[k] + x, z = t - s[k];",
      "            e[k] += (s[k] - (t - z)) + (x - z);",
      "            s[k] = t;",
      "        }",
      "#endif",
      "    }",
      "    for (int k = 0; k < EXPR_LANES; ++k) { expr_sum b = {s[k], e[k]}; a = expr_sum_join(a, b); }"};
}

Lines alone_tile(const Writer& w, std::size_t t) {
  const WrittenTerm& term = w.terms[t];
  const std::string row = term_row(w, term.product), x = product_element(term.product, "c");
  const bool several =
      w.assume_no_nan && !term.skips && is_plain_row(w, term.product) && w.request.grouping != "by order";
  Lines lines = alone_column(w, t);
  if (several) add_lines(lines, lanes_of_tile(row, x, filled("score_%1[r]", {t + 1})));
  lines.push_back(filled("    for (int r = %1; r < count; ++r) { %2 %3 }",
                         {several ? "done" : "0", row, added_term(w, term, x, filled("score_%1[r]", {t + 1}))}));
  lines.push_back(filled("    to[0] = a.s; to[%1] = a.c;", {term_width(term)}));
  lines.push_back("}");
  return lines;
}

// ---- a group of work-items
// ----------------------------------------------------------------------------------------------

const WrittenTerm& first_of(const Writer& w, const Bundle& bundle) { return w.terms[bundle.first]; }

// How many sums a bundle has.
std::string sums_of(const Writer& w, const Bundle& bundle) {
  const std::string width = term_width(first_of(w, bundle));
  return bundle.count == 1 ? width : filled("(%1 * %2)", {bundle.count, width});
}

// The sums, or work-items, that a bundle has numbers for, and how many of these there are at a time.
std::string wide_of(const Writer& w, const Bundle& bundle) {
  return filled("(%1 > items ? %1 : items)", {sums_of(w, bundle)});
}
std::string room_of(const Writer& w, const Bundle& bundle) {
  return filled("%1 < widest ? %1 : widest", {wide_of(w, bundle)});
}

// Which of a bundle's terms and columns sum number `chunk + c` is of: `t` and `j`.
std::string term_and_column(const Writer& w, const Bundle& bundle) {
  return filled("const int t = (int)((chunk + c) / %1), j = (int)((chunk + c) % %1);",
                {term_width(first_of(w, bundle))});
}

}  // namespace

std::vector<Bundle> bundles_of(const Writer& w) {
  std::vector<Bundle> made;
  for (std::size_t t = 0; t < w.terms.size(); ++t) {
    const WrittenTerm& term = w.terms[t];
    const bool joins = !made.empty() && !w.tiling && term.product.full &&
                       first_of(w, made.back()).term.product == term.term.product &&
                       first_of(w, made.back()).skips == term.skips;
    if (joins)
      ++made.back().count;
    else
      made.push_back({t, 1});
  }
  return made;
}

int bundle_of(const Writer& w, std::size_t term) {
  int number = 0;
  for (const Bundle& bundle : bundles_of(w)) number += bundle.first <= term ? 1 : 0;
  return number;
}

std::string widths_before(const Writer& w, std::size_t b) {
  const std::vector<Bundle> bundles = bundles_of(w);
  Lines widths;
  for (std::size_t u = 0; u < b; ++u) widths.push_back(term_width(first_of(w, bundles[u])));
  return widths.empty() ? "0" : joined(widths, " + ");
}

namespace {

std::string columns_left(const Writer& w, std::size_t b) {
  return filled("    const nmath_i64 left = %1 - chunk, width = left < widest ? left : widest;",
                {sums_of(w, bundles_of(w)[b])});
}

// Where a bundle's numbers are among the sums.
Lines place_of_sums(const Writer& w, std::size_t b) {
  const std::vector<Bundle> bundles = bundles_of(w);
  Lines rooms;
  for (std::size_t u = 0; u < b; ++u) rooms.push_back("(" + room_of(w, bundles[u]) + ")");
  const std::string first = rooms.empty() ? "0" : "2 * (" + joined(rooms, " + ") + ")";
  return {filled("    __local double* own = sums + %1;", {first}),
          filled("    const nmath_i64 room_of = %1;", {room_of(w, bundles[b])})};
}

// Whether the order of slices, or that of wide terms, may be this text's.
bool has_ranges(const Writer& w) { return may_have_slices(w) && !w.tiling; }
bool has_wide_order(const Writer& w) { return may_be_wide(w) && !w.tiling; }
const char* but_wide(const Writer& w) { return has_wide_order(w) ? "!wide && " : ""; }

std::string score_of_row(std::size_t t) { return filled("part[%1 * items + r]", {t}); }

}  // namespace

// `lines` for each sum that a work-item has, of its slice of the rows.
Lines shared_columns(const Writer& w, std::size_t b, const Lines& each) {
  Lines lines = {"{", columns_left(w, b),
                 filled("    const int slices = %1width < items ? items / (int)(width > 0 ? width : 1) : 1, at_once = "
                        "items / slices, slice = item % slices;",
                        {but_wide(w)})};
  add_lines(lines, place_of_sums(w, b));
  add_lines(lines,
            {"    if (item / slices < at_once)", "        for (nmath_i64 c = item / slices; c < width; c += at_once) {",
             "            const nmath_i64 k = slices > 1 ? item : c;"});
  add_lines(lines, each, "            ");
  add_lines(lines, {"        }", "}"});
  return lines;
}

namespace {

Lines shared_product(const Writer& w, std::size_t b) {
  const std::size_t t = bundles_of(w)[b].first;
  const ProductAt& product = w.terms[t].product;
  const std::string width = term_width(w.terms[t]), x = product_element(product, "j");
  const std::string coefficient = product_coefficient(product, "j");
  const bool ranges = has_ranges(w);
  const std::string loop = ranges ? "for (%1 j = own; j < behind; j += step)"
                                  : "for (%1 j = item / height; j < (%1)" + width + "; j += lanes)";
  Lines lines = {"        {", "        " + term_row(w, product), "        double v = 0.0;"};
  if (ranges)
    add_lines(lines, {filled("        const int range = %1, own = item / height * (ranges > 0 ? range : 1);",
                             {columns_of_range("(int)" + width)}),
                      filled("        const int behind = ranges > 0 && own + range < (int)%1 ? own + range : (int)%1;",
                             {width}),
                      "        const int step = ranges > 0 ? 1 : lanes;"});
  const auto loop_of = [&](const char* type) { return "            " + filled(loop, {type}); };
  const std::string add = "v = EXPR_ADD_PRODUCT(v, %1, %2);";
  lines.push_back("        if (rows > 0) {");
  lines.push_back(filled("            __local double* to = tile + (%1) * (rows + 1) + r;", {widths_before(w, b)}));
  if (ranges)
    add_lines(lines, {"            if (fetched) {", "            EXPR_FOURS",
                      loop_of("int") + " " + filled(add, {"to[j * (rows + 1)]", coefficient}), "            } else {"});
  add_lines(lines, {"            EXPR_FOURS", loop_of("int") + " {",
                    filled("                const double x = %1;", {x}), "                to[j * (rows + 1)] = x;",
                    "                " + filled(add, {"x", coefficient}), "            }"});
  if (ranges) lines.push_back("            }");
  add_lines(lines,
            {"        } else {", "            EXPR_FOURS", loop_of("nmath_i64") + " " + filled(add, {x, coefficient}),
             "        }", filled("        part[%1 * items + item] = v;", {t}), "        }"});
  return lines;
}

}  // namespace

Lines alone_begin(const Writer& w) {
  Lines lines;
  for (std::size_t t = 0; t < w.terms.size(); ++t)
    lines.push_back(filled("for (nmath_i64 c = 0; c < 2 * %1; ++c) %2[2 * group * %1 + c] = 0.0;",
                           {term_width(w.terms[t]), term_output(w, t)}));
  return lines;
}

Lines alone_tiles(const Writer& w) {
  Lines lines;
  for (std::size_t t = 0; t < w.terms.size(); ++t) add_lines(lines, alone_tile(w, t));
  return lines;
}

Lines alone_end(const Writer& w) {
  Lines lines;
  for (std::size_t t = 0; t < w.terms.size(); ++t) {
    add_lines(lines, alone_column(w, t));
    lines.push_back("    to[0] = expr_sum_value(a);");
    if (w.assume_no_nan) lines.push_back("    needs_general |= isnan(to[0]) != 0;");
    lines.push_back("}");
  }
  return lines;
}

// `part` has the scores and, before them, parts of the products; `sums` of each bundle two numbers for each sum or
// work-item; `tile` the rows of all matrices, where they fit: of one that several terms share, once.
Lines shared_begin(const Writer& w) {
  const std::size_t count = w.terms.size();
  const std::vector<Bundle> bundles = bundles_of(w);
  std::string most = "nmath_i64 most_columns = 0;";
  Lines lines = {filled("const nmath_i64 columns = %1;", {widths_before(w, bundles.size())}),
                 "__local double* part = area;", filled("__local double* sums = area + %1 * items;", {count}),
                 filled("const nmath_i64 widest = room / %1 > items ? room / %1 : items;", {4 * bundles.size()}),
                 "nmath_i64 taken = 0;"};
  for (const Bundle& bundle : bundles) {
    lines.push_back(filled("taken += 2 * (%1);", {room_of(w, bundle)}));
    most += filled(" most_columns = %1 > most_columns ? %1 : most_columns;", {sums_of(w, bundle)});
  }
  const bool slices = may_have_slices(w) && !w.tiling;
  if (slices) add_lines(lines, slice_rooms(w));
  add_lines(
      lines,
      {"__local double* tile = sums + taken;",
       filled("const int fitting = expr_tile_rows(items, columns, room - %1 * items - taken);", {count}),
       slices
           ? filled(
                 "const int tallest = ranges > 1 ? (wide ? wide_tile : %1) : items, rows = sliced && fitting < %1 && "
                 "fitting < items ? 0 : fitting > tallest ? tallest : fitting;",
                 {kChainedRows})
           : "const int rows = fitting;",
       slices ? "const int height = rows > 0 ? rows : tallest;" : "const int height = rows > 0 ? rows : items;",
       slices ? "const int lanes = ranges == 1 ? 1 : items / height;" : "const int lanes = items / height;", most});
  // Where fewer work-items than there are have a part of a row's product, all of them read the tile.
  if (slices)
    lines.push_back("const int fetched = rows > 0 && (ranges == 1 ? height < items : wide && rows < tallest);");
  return lines;
}

namespace {

Lines shared_row_products(const Writer& w) {
  Lines lines = {"{", "    const int r = lanes > 1 ? item & (height - 1) : item;", "    if (r < count) {"};
  for (std::size_t b = 0; b < bundles_of(w).size(); ++b) add_lines(lines, shared_product(w, b));
  add_lines(lines, {"    }", "}", "barrier(CLK_LOCAL_MEM_FENCE);"});
  return lines;
}

Lines fetched_tile(const Writer& w) {
  Lines lines = {"if (fetched) {", "    const int r = item & (height - 1);", "    if (r < count) {"};
  for (std::size_t b = 0; b < bundles_of(w).size(); ++b) {
    const ProductAt& product = first_of(w, bundles_of(w)[b]).product;
    add_lines(lines,
              {"{", term_row(w, product),
               filled("__local double* const to = tile + (%1) * (rows + 1) + r;", {widths_before(w, b)}), "EXPR_FOURS",
               filled("for (int j = item / height; j < (int)%1; j += items / height) to[j * (rows + 1)] = %2;",
                      {term_width(first_of(w, bundles_of(w)[b])), product_element(product, "j")}),
               "}"},
              "        ");
  }
  add_lines(lines, {"    }", "    barrier(CLK_LOCAL_MEM_FENCE);", "}"});
  return lines;
}

}  // namespace

Lines shared_products(const Writer& w) {
  Lines lines;
  if (has_ranges(w)) lines = fetched_tile(w);
  add_lines(lines, shared_row_products(w));
  return lines;
}

Lines shared_clear(const Writer& w, std::size_t b) {
  return shared_columns(w, b, {"own[k] = own[room_of + k] = 0.0;"});
}

Lines shared_add(const Writer& w, std::size_t b) {
  const Bundle bundle = bundles_of(w)[b];
  const WrittenTerm& term = first_of(w, bundle);
  const bool one = bundle.count == 1;
  const std::string score = one ? score_of_row(bundle.first) : filled("part[(%1 + t) * items + r]", {bundle.first});
  Lines each;
  if (!one) each.push_back(term_and_column(w, bundle));
  const std::string element = product_element(term.product, one ? "(chunk + c)" : "j");
  const bool wide = has_wide_order(w);
  const auto rows = [&](const std::string& row, const std::string& x) {
    if (wide)
      add_lines(each, {"    if (wide) {", "        " + wide_chains(row, filled("EXPR_ADD_TERM(z, %1, %2)", {x, score})),
                       "    } else {"});
    add_lines(each, {"    EXPR_FOURS", filled("    for (int r = slice; r < count; r += slices) { %1 %2 }",
                                              {row, added_term(w, term, x, score)})});
    if (wide) each.push_back("    }");
  };
  add_lines(each, {"expr_sum a = expr_sum_of(own[k], own[room_of + k]);", "if (rows > 0) {",
                   filled("    __local const double* x = tile + (%1 + %2) * (rows + 1);",
                          {widths_before(w, b), one ? "chunk + c" : "j"})});
  rows("", "x[r]");
  each.push_back("} else {");
  rows(term_row(w, term.product), element);
  add_lines(each, {"}", "own[k] = a.s;", "own[room_of + k] = a.c;"});
  return shared_columns(w, b, each);
}

Lines shared_end(const Writer& w, std::size_t b) {
  const Bundle bundle = bundles_of(w)[b];
  const std::string columns = term_width(first_of(w, bundle));
  Lines lines = {
      "{", columns_left(w, b),
      filled("    const int slices = %1width < items ? items / (int)(width > 0 ? width : 1) : 1;", {but_wide(w)})};
  add_lines(lines, place_of_sums(w, b));
  add_lines(lines,
            {"    for (nmath_i64 c = item; c < width; c += items) {",
             "        expr_sum a = expr_sum_of(own[c * slices], own[room_of + c * slices]);",
             "        for (int k = 1; k < slices; ++k) { expr_sum b = expr_sum_of(own[c * slices + k], own[room_of + "
             "c * slices + k]); a = "
             "expr_sum_join(a, b); }",
             "        const double x = expr_sum_value(a);"});
  if (w.assume_no_nan) lines.push_back("        needs_general |= isnan(x) != 0;");
  if (bundle.count == 1) {
    lines.push_back(filled("        %1[2 * group * %2 + chunk + c] = x;", {term_output(w, bundle.first), columns}));
  } else {
    lines.push_back("        " + term_and_column(w, bundle));
    for (std::size_t t = 0; t < bundle.count; ++t)
      lines.push_back(
          filled("        if (t == %1) %2[2 * group * %3 + j] = x;", {t, term_output(w, bundle.first + t), columns}));
  }
  add_lines(lines, {"    }", "}"});
  return lines;
}

}  // namespace openclPort::expression
