// lines -- assembles texts from templates and lists of lines.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace openclPort::expression {

// What stands for %1, %2, ... in a template: a text or a whole number.
struct Filling {
  Filling(const std::string& value) : text(value) {}
  Filling(const char* value) : text(value) {}
  Filling(int value) : text(std::to_string(value)) {}
  Filling(std::size_t value) : text(std::to_string(value)) {}
  std::string text;
};

// The template with its places filled. What is put in is not searched for places; a % before no digit stays.
std::string filled(const std::string& pattern, std::initializer_list<Filling> fillings);

void add_lines(std::vector<std::string>& to, const std::vector<std::string>& lines, const std::string& indent = "");

// Every place where `word` stands as a whole word of C has `by` instead.
std::string with_word_replaced(const std::string& text, const std::string& word, const std::string& by);
// Every place where `part` stands has `by` instead.
std::string with_part_replaced(const std::string& text, const std::string& part, const std::string& by);

// The text with names of nodes (v12, na12, k12, v12_3) numbered in the order in which they come: two kernels that
// compute the same of other nodes of a graph have the same text, and are one program.
std::string with_nodes_in_order(const std::string& text);

// Where work-items are few and wide, each has elements that lie side by side, which a compiler can take several of at a
// time; else neighbours have neighbours. EXPR_ALONE: a group of a reduction has one work-item
// (FusedChunks::set_groups()). EXPR_TILE: rows whose products are computed before their values. EXPR_LANES: sums of a
// column's tile. EXPR_FOURS: more is read at a time. EXPR_COUNTS, EXPR_WEIGHTED: see counts.h.
const std::vector<std::string>& span_lines();

}  // namespace openclPort::expression
