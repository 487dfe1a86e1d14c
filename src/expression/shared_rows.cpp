// shared_rows -- the rows of a block in tiles, for the work-items of a group together.
#include "expression/lines.h"
#include "expression/products.h"
#include "expression/term_slices.h"

namespace openclPort::expression {

std::string tile_loop(const Writer& w, const char* height) {
  return filled("    for (%1 at = begin; at < end; at += %2) {",
                {w.request.grouping.empty() ? "int" : "nmath_i64", height});
}

namespace {

Lines either(const char* which, const Lines& sliced, const Lines& other) {
  Lines lines = {filled("if (%1) {", {which})};
  add_lines(lines, sliced, "    ");
  lines.push_back("} else {");
  add_lines(lines, other, "    ");
  lines.push_back("}");
  return lines;
}

}  // namespace

// Rows of a block in tiles, for the work-items of a group together.
Lines shared_rows(Writer& w, const Lines& inside) {
  const std::size_t terms = w.terms.size(), bundles = bundles_of(w).size();
  const bool slices = may_have_slices(w);
  Lines lines;
  add_lines(lines, shared_begin(w), "    ");
  lines.push_back("    for (nmath_i64 chunk = 0; chunk < most_columns; chunk += widest) {");
  Lines clear, add, finish;
  for (std::size_t b = 0; b < bundles; ++b) {
    add_lines(clear, shared_clear(w, b));
    add_lines(add, shared_add(w, b));
    add_lines(finish, shared_end(w, b));
  }
  add_lines(lines, slices ? either("sliced", slice_clear(w), clear) : clear, "    ");
  lines.push_back(tile_loop(w, "height"));
  add_lines(lines, {"        const int count = end - at < height ? (int)(end - at) : height;",
                    "        barrier(CLK_LOCAL_MEM_FENCE);"});
  add_lines(lines, shared_products(w), "        ");
  add_lines(lines, {"        if (item < count) {", "        const int r = item;", "        " + row_place(w)});
  if (uses_element(w)) lines.push_back("        " + element_line(w));
  add_lines(lines, w.loop_lines, "        ");
  const bool wide = may_be_wide(w) && !w.tiling;
  Lines values = {"if (chunk == 0) {"};
  add_lines(values, wide ? either("wide", wide_values(w), inside) : inside);
  values.push_back("}");
  add_lines(lines, slices ? either("sliced", slice_values(w), values) : values, "        ");
  for (std::size_t t = 0; t < terms; ++t) lines.push_back(filled("        part[%1 * items + item] = g%2;", {t, t + 1}));
  add_lines(lines, {"        }", "        barrier(CLK_LOCAL_MEM_FENCE);"});
  add_lines(lines, slices ? either("sliced", slice_add(w), add) : add, "        ");
  if (wide) {
    lines.push_back("        if (wide && chunk == 0) {");
    add_lines(lines, wide_add(w), "            ");
    lines.push_back("        }");
  }
  add_lines(lines, {"    }", "    barrier(CLK_LOCAL_MEM_FENCE);"});
  add_lines(lines, slices ? either("sliced", slice_end(w), finish) : finish, "    ");
  add_lines(lines, {"    barrier(CLK_LOCAL_MEM_FENCE);", "    }"});
  return lines;
}

}  // namespace openclPort::expression
