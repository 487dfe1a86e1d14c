// reduce -- reductions in a kernel: what the rows of a block are added up to, how the work-items of a group join what
// they have, and the kernel that joins the results of the blocks.
#include "base/text.h"
#include "expression/counts.h"
#include "expression/lines.h"
#include "expression/points.h"
#include "expression/prepare.h"
#include "expression/products.h"
#include "expression/reductions.h"
#include "expression/term_slices.h"
#include "expression/writer.h"

namespace openclPort::expression {

namespace {

// Of output `k` (from 0).
const TypedReduction& typed_of_output(const Writer& w, std::size_t k) {
  return typed_reduction(w.request.reduce, w.types[k]);
}

// Whether there was a value at all is told.
bool tells_presence(const Writer& w, const TypedReduction& typed) {
  return typed.state->presence != nullptr && w.request.na_rm;
}

bool is_pair(const TypedReduction& typed) { return typed.state->parts.size() > 1; }

// The names that one result has in the text.
struct JoinedNames {
  std::string state, mine, found;           // the accumulator, a work-item's flags of missing values, the group's
  std::string first_target, second_target;  // where the parts go
  bool assume_no_nan = false, presence = false;
};

std::string part_of_result(const TypedReduction& typed, const JoinedNames& names, const std::string& found,
                           const std::string& written) {
  if (names.assume_no_nan) return written;
  if (names.presence) return filled("(%1 & 4) ? %2 : NAN", {found, written});
  return filled(typed.state->result, {found, written});
}

// Of a work-item that has all of a block.
std::string own_result(const TypedReduction& typed, const JoinedNames& names) {
  const std::string written = part_of_result(typed, names, names.mine, filled(typed.state->first, {names.state}));
  return filled("%1 = %2;", {names.first_target, written});
}

// Joins what the work-items of a group have, in a tree where there are several, and writes the block's parts. (A tree
// of barriers for each number of a gradient takes PoCL minutes to build.)
Lines joined_text(const TypedReduction& typed, const JoinedNames& names) {
  const std::string& a = names.state;
  const bool pair = is_pair(typed);
  const std::string mine = filled(typed.state->first, {a});
  const std::string memory =
      typed.state->held == Held::own ? filled("((__local %1*)(__local void*)part)", {typed.state->type}) : "part";
  const std::string join =
      pair ? filled(
                 "%1 x = {part[item], part2[item]}, y = {part[item + h], part2[item + h]}; x = %2; part[item] = x.m; "
                 "part2[item] = x.s;",
                 {typed.state->type, filled(typed.join, {"x", "y"})})
           : filled("%1[item] = %2;", {memory, filled(typed.join, {memory + "[item]", memory + "[item + h]"})});
  Lines lines = {"#ifdef EXPR_ALONE", own_result(typed, names)};
  if (pair) lines.push_back(filled("%1 = %2.s;", {names.second_target, a}));
  lines.push_back("#else");
  if (!names.assume_no_nan) lines.push_back(filled("if (%1) atomic_or(&%2, %1);", {names.mine, names.found}));
  lines.push_back(filled("%1[item] = %2;", {memory, mine}));
  if (pair) lines.push_back(filled("part2[item] = %1.s;", {a}));
  lines.push_back("barrier(CLK_LOCAL_MEM_FENCE);");
  if (memory == "part" && !pair && filled(typed.join, {"x", "y"}) == "x + y")
    lines.push_back("expr_add_rows(part, item, items, 1);");
  else
    lines.push_back(filled(
        "for (int h = items / 2; h > 0; h /= 2) { if (item < h) { %1 } barrier(CLK_LOCAL_MEM_FENCE); }", {join}));
  lines.push_back(filled("if (item == 0) %1 = %2;",
                         {names.first_target, part_of_result(typed, names, names.found, memory + "[0]")}));
  if (pair) lines.push_back(filled("if (item == 0) %1 = part2[0];", {names.second_target}));
  add_lines(lines, {"barrier(CLK_LOCAL_MEM_FENCE);", "#endif"});
  return lines;
}

// A compiler takes several elements of straight code at a time, but adds one after the other: so on the host the values
// of some elements come first. They are added in the order of the usual loop.
Lines straight_reduction(const Writer& w, bool uses_index, const Lines& inside) {
  Lines lines = {"#ifdef NMATH_HOST_TEXT", "    for (int at = begin + 64 * item; at < end; at += 64 * items) {"};
  for (std::size_t k = 1; k <= w.results.size(); ++k) lines.push_back(filled("        double y%1[64];", {k}));
  add_lines(lines, {"        const int count = end - at < 64 ? end - at : 64;",
                    "        for (int j = 0; j < count; ++j) {", "        const int i = at + j;"});
  if (uses_index) lines.push_back("        const expr_index e = (expr_index)(first * block + i);");
  add_lines(lines, w.loop_lines, "        ");
  for (std::size_t k = 0; k < w.results.size(); ++k)
    lines.push_back(filled("        y%1[j] = %2;", {k + 1, w.results[k]}));
  lines.push_back("        }");
  for (std::size_t k = 0; k < w.results.size(); ++k) {
    const std::string value = filled("y%1[j]", {k + 1});
    lines.push_back("        for (int j = 0; j < count; ++j) " + with_word_replaced(inside[k], w.results[k], value));
  }
  add_lines(lines, {"    }", "#else"});
  return lines;
}

bool all_real(const Writer& w) {
  for (const Type type : w.types)
    if (type != Type::real) return false;
  return true;
}

// Rows of a block one after the other, or side by side.
Lines plain_rows(const Writer& w, bool uses_index, const Lines& inside) {
  const std::string& grouping = w.request.grouping;
  const bool straight =
      grouping.empty() && w.assume_no_nan && all_real(w) && !w.fixed.empty() && !w.called && w.tiles.empty();
  Lines lines;
  if (straight) lines = straight_reduction(w, uses_index, inside);
  if (w.assume_no_nan && grouping.empty()) lines.push_back("    NMATH_PAIRS");
  lines.push_back(grouping.empty() ? "    for (int i = begin + item; i < end; i += items) {"
                                   : "    for (nmath_i64 p = begin + item; p < end; p += items) {");
  if (grouping == "by order") lines.push_back("        const nmath_i64 i = order[p];");
  if (uses_index) lines.push_back("        " + element_line(w));
  add_lines(lines, w.loop_lines, "        ");
  add_lines(lines, inside, "        ");
  lines.push_back("    }");
  if (straight) lines.push_back("#endif");
  return lines;
}

// Rows of a block in tiles, for a work-item that is a group.
Lines alone_rows(Writer& w, const Lines& inside) {
  Lines lines;
  add_lines(lines, tile_declarations(w), "    ");
  add_lines(lines, alone_begin(w), "    ");
  lines.push_back(tile_loop(w, "EXPR_TILE"));
  lines.push_back("        const int count = end - at < EXPR_TILE ? (int)(end - at) : EXPR_TILE;");
  add_lines(lines, tile_products(w), "        ");
  lines.push_back("        for (int r = 0; r < count; ++r) {");
  lines.push_back("        " + row_place(w));
  if (uses_element(w)) lines.push_back("        " + element_line(w));
  add_lines(lines, w.loop_lines, "        ");
  add_lines(lines, inside, "        ");
  for (std::size_t t = 1; t <= w.terms.size(); ++t) lines.push_back(filled("        score_%1[r] = g%1;", {t}));
  lines.push_back("        }");
  add_lines(lines, alone_tiles(w), "        ");
  lines.push_back("    }");
  add_lines(lines, alone_end(w), "    ");
  return lines;
}

// How the value of output `k` (from 0) is taken in.
std::string taken_in(const Writer& w, std::size_t k, const TypedReduction& typed, bool assume_no_nan) {
  const std::string& value = w.results[k];
  const std::string missing =
      w.types[k] == Type::real ? filled("na_%1", {k + 1}) : filled("(%1 == NMATH_NA_INT ? 2 : 0)", {value});
  const std::string state = filled("a%1", {k + 1});
  const std::string add = state + " = " + filled(typed.add, {state, value}) + ";";
  if (assume_no_nan) return add;
  const std::string noted = filled("{ const int m = %1; m%2 |= m; if (m != 2) %3 }", {missing, k + 1, add});
  if (!w.request.na_rm) return noted;
  const bool slope = k + static_cast<std::size_t>(w.request.slopes) >= w.types.size();
  if (slope) return filled("if (!%1) %2", {w.value_missing, noted});  // a row that is left out has no slope
  if (tells_presence(w, typed)) return filled("if (!%1) { %2 m%3 |= 4; }", {missing, add, k + 1});
  return filled("if (!%1) %2", {missing, add});
}

constexpr const char* kAllBlocks = "for (nmath_i64 b = item; b < blocks; b += items) { %1 }";
constexpr const char* kBlocksOfGroup =
    "for (nmath_i64 k = starts[number] + item; k < starts[number + 1]; k += items) { const nmath_i64 b = place[k]; %1 "
    "}";

// `width`: of a result that is many numbers, every column one; "": it is one. `first`: parts that come before.
Lines join_lines(const Writer& w, const TypedReduction& typed, std::size_t k, std::size_t first,
                 const std::string& width, const std::string& to = "[0]", const char* blocks = kAllBlocks) {
  JoinedNames names;
  names.state = filled("a%1", {k});
  names.mine = filled("m%1", {k});
  names.found = "missing[0]";
  names.presence = tells_presence(w, typed);
  const std::string at = width.empty() ? "[b]" : filled("[2 * b * %1 + c]", {width});
  names.first_target = filled("r%1%2", {first + 1, to});
  names.second_target = filled("r%1%2", {first + 2, to});
  const std::string joint = filled(is_pair(typed) ? typed.join : typed.take, {names.state, "x"});
  const std::string take = filled(names.presence ? typed.state->presence : typed.state->take,
                                  {names.state, names.mine, filled("b%1%2", {first + 1, at}),
                                   filled("b%1%2", {first + 2, at}), joint, typed.state->type});
  Lines lines = {filled("%1 %2 = %3;", {typed.state->type, names.state, typed.start}),
                 filled("int %1 = 0;", {names.mine}),
                 filled(blocks, {take}),
                 "#ifndef EXPR_ALONE",
                 "if (item == 0) missing[0] = 0;",
                 "barrier(CLK_LOCAL_MEM_FENCE);",
                 "#endif"};
  add_lines(lines, joined_text(typed, names));
  return lines;
}

Lines join_arguments(const Writer& w) {
  std::vector<OutputPart> parts = output_parts(w);
  while (!parts.empty() && parts.back().each) parts.pop_back();
  const char* const all = w.request.over.empty() ? "" : "all_";  // of all points
  Lines arguments;
  for (std::size_t k = 0; k < parts.size(); ++k)
    arguments.push_back(filled("__global const %1* %2b%3", {c_output_type(parts[k].type), all, k + 1}));
  for (std::size_t k = 0; k < parts.size(); ++k)
    arguments.push_back(filled("__global %1* %2r%3", {c_output_type(parts[k].type), all, k + 1}));
  arguments.push_back("const int blocks");
  for (std::size_t t = 1; t <= w.terms.size(); ++t) arguments.push_back(filled("const nmath_i64 width_%1", {t}));
  return arguments;
}

}  // namespace

Lines reduction_end(const Writer& w) {
  Lines lines;
  for (std::size_t k = 0; k < w.types.size(); ++k) {
    JoinedNames names;
    names.state = filled("a%1", {k + 1});
    names.first_target = filled("o%1[group]", {k + 1});
    names.assume_no_nan = true;
    lines.push_back(filled("needs_general |= isnan(a%1.s) != 0;", {k + 1}));
    add_lines(lines, joined_text(typed_of_output(w, k), names));
  }
  return lines;
}

bool uses_element(const Writer& w) {
  for (const Lines* const lines : {&w.loop_lines, &w.row_lines})
    for (const std::string& line : *lines)
      for (std::size_t at = 0; (at = line.find('e', at)) != std::string::npos; ++at) {
        if (at > 0 && is_word(line[at - 1])) continue;
        if (at + 1 == line.size() || line[at + 1] == '_' || !is_word(line[at + 1])) return true;
      }
  return false;
}

Lines reduction_loop(Writer& w, bool uses_index) {
  Lines before, inside, after, own_block;  // own_block: what a work-item does that has a block of one number
  std::size_t part = 0;
  bool has_pairs = false, all_assume_no_nan = true;
  const std::size_t count = w.types.size();
  for (std::size_t k = 0; k < count; ++k) {
    const TypedReduction& typed = typed_of_output(w, k);
    const bool assume_no_nan = w.assume_no_nan && w.types[k] == Type::real;
    has_pairs = has_pairs || is_pair(typed);
    all_assume_no_nan = all_assume_no_nan && assume_no_nan;
    JoinedNames names;
    names.state = filled("a%1", {k + 1});
    names.mine = filled("m%1", {k + 1});
    names.found = filled("missing[%1]", {k});
    names.first_target = filled("o%1[group]", {part + 1});
    names.second_target = filled("o%1[group]", {part + 2});
    names.assume_no_nan = assume_no_nan;
    names.presence = tells_presence(w, typed);
    before.push_back(filled("%1 %2 = %3;", {typed.state->type, names.state, typed.start}));
    if (!assume_no_nan) before.push_back(filled("int %1 = 0;", {names.mine}));
    inside.push_back(taken_in(w, k, typed, assume_no_nan));
    if (assume_no_nan) after.push_back(filled("needs_general |= isnan(%1%2) != 0;", {names.state, typed.state->seen}));
    own_block = after;
    own_block.push_back(own_result(typed, names));
    add_lines(after, joined_text(typed, names));
    part += typed.state->parts.size();
  }
  w.first_term = static_cast<int>(part);
  Lines lines = {"#ifndef EXPR_ALONE"};
  if (w.terms.empty()) lines.push_back("    __local double part[256];");
  if (has_pairs) lines.push_back("    __local double part2[256];");
  if (!all_assume_no_nan) lines.push_back(filled("    __local int missing[%1];", {count}));
  add_lines(lines,
            {"#endif", adds_by_codes(w)
                           ? "    const int item = alone ? 0 : get_local_id(0), items = alone ? 1 : get_local_size(0);"
                       : w.request.joins_groups
                           ? "    const int item = alone ? 0 : get_local_id(0), items = alone ? 1 : get_local_size(0), "
                             "group = alone ? get_global_id(0) : get_group_id(0);"
                       : w.request.over.empty()
                           ? "    const int item = get_local_id(0), items = get_local_size(0), group = get_group_id(0);"
                           : "    const int item = get_local_id(0), items = get_local_size(0);"});
  lines.push_back(
      w.request.grouping.empty()
          ? "    const int begin = group * block, end = begin + block < len ? begin + block : len;"
      : w.request.joins_groups
          ? "    const nmath_i64 begin = group < blocks ? starts[first + group] : 0, end = group < blocks ? "
            "starts[first + group + 1] : 0;"
          : "    const nmath_i64 begin = starts[first + group], end = starts[first + group + 1];");
  if (!w.terms.empty()) lines.push_back("    if (begin >= end) return;");  // a launch that only is to be compiled
  const bool slices = may_have_slices(w);
  if (slices) {
    lines.push_back("#ifndef EXPR_ALONE");
    add_lines(lines, sliced_lines(w), "    ");
    lines.push_back("#endif");
  }
  add_lines(lines, before, "    ");
  add_lines(lines, count_tables(w));
  if (!w.tiles.empty() || !w.terms.empty()) {
    lines.push_back("#ifdef EXPR_ALONE");
    add_lines(lines, alone_rows(w, inside));
    lines.push_back("#else");
    add_lines(lines, w.terms.empty() ? plain_rows(w, uses_index, inside) : shared_rows(w, inside));
    lines.push_back("#endif");
  } else {
    add_lines(lines, plain_rows(w, uses_index, inside));
  }
  if (!all_assume_no_nan)
    add_lines(lines,
              {"#ifndef EXPR_ALONE", filled("    for (int k = item; k < %1; k += items) missing[k] = 0;", {count}),
               "    barrier(CLK_LOCAL_MEM_FENCE);", "#endif"});
  if (w.request.joins_groups) {
    add_lines(lines, {"#ifndef EXPR_ALONE", "    if (alone) {", "        if (group < blocks) {"});
    add_lines(lines, own_block, "            ");
    add_lines(lines, {"        }", "    } else {", "#else", "    {", "#endif"});
  }
  if (slices) add_lines(lines, {"#ifndef EXPR_ALONE", "    if (!sliced)", "#endif", "    {"});
  add_lines(lines, after, "    ");
  if (w.request.joins_groups || slices) lines.push_back("    }");
  return lines;
}

// The kernel that joins the results of the blocks, in the same order on every run: a group for each number.
Lines join_kernel(Writer& w) {
  const std::size_t count = w.types.size();
  std::size_t first = 0;
  Lines body;
  for (std::size_t k = 0; k < count; ++k) {
    const TypedReduction& typed = typed_of_output(w, k);
    body.push_back(filled("    %1if (number == %2) {", {k > 0 ? "else " : "", k}));
    add_lines(body, join_lines(w, typed, k + 1, first, ""), "        ");
    body.push_back("    }");
    first += typed.state->parts.size();
  }
  std::string end = filled("%1", {count}), offset = end;
  for (std::size_t t = 0; t < w.terms.size(); ++t) {
    const std::string width = filled("width_%1", {t + 1});
    end += " + " + width;
    body.push_back(filled("    else if (number < %1) {", {end}));
    body.push_back(filled("        const nmath_i64 c = number - %1;", {offset}));
    const TypedReduction& typed = typed_reduction(Reduction::sum, Type::real);
    add_lines(body, join_lines(w, typed, count + t + 1, first + t, width, "[c]"), "        ");
    body.push_back("    }");
    offset += " - " + width;
  }
  Lines lines = {"", filled("__kernel void %1(", {kJoinKernel})};
  const Lines arguments = join_arguments(w);
  for (std::size_t k = 0; k < arguments.size(); ++k)
    lines.push_back("    " + arguments[k] + (k + 1 < arguments.size() ? "," : ")"));
  add_lines(lines,
            {"{", "#ifndef EXPR_ALONE", "    __local double part[256], part2[256];", "    __local int missing[1];",
             "#endif", "    const int item = get_local_id(0), items = get_local_size(0);"});
  if (w.request.over.empty()) lines.push_back("    const nmath_i64 number = get_group_id(0);");
  add_lines(lines, joined_point_lines(w));
  add_lines(lines, body);
  lines.push_back("}");
  return lines;
}

// The same of the blocks of each group, of sums by groups: a group of work-items for each; of many points, of which
// each has a result for each group.
Lines group_join_kernel(Writer& w) {
  const bool points = adds_by_codes(w);
  Lines lines = {
      "",
      filled("__kernel void %1(__global const double* %2b1, __global double* %2r1, __global const nmath_i64* "
             "starts, __global const int* place%3)",
             {kGroupJoinKernel, points ? "all_" : "", points ? ", const int blocks, const int groups" : ""}),
      "{",
      "#ifndef EXPR_ALONE",
      "    __local double part[256];",
      "    __local int missing[1];",
      "#endif",
      "    const int item = get_local_id(0), items = get_local_size(0);",
      points ? "    const nmath_i64 number = get_group_id(0) % groups, point = get_group_id(0) / groups;"
             : "    const nmath_i64 number = get_group_id(0);"};
  if (points)
    add_lines(lines, {"    __global const double* b1 = all_b1 + point * blocks;",
                      "    __global double* r1 = all_r1 + point * groups;"});
  add_lines(lines, join_lines(w, typed_of_output(w, 0), 1, 0, "", "[number]", kBlocksOfGroup), "    ");
  lines.push_back("}");
  return lines;
}

}  // namespace openclPort::expression
