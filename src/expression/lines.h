// lines -- puts texts together from templates and lists of lines.
#ifndef NMATHOPENCL_EXPRESSION_LINES_H
#define NMATHOPENCL_EXPRESSION_LINES_H

#include <initializer_list>
#include <string>
#include <vector>

namespace openclPort {
namespace expression {

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

}  // namespace expression
}  // namespace openclPort

#endif
