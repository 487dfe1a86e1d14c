// point_names -- see point_names.h
#include "expression/point_names.h"

#include <algorithm>

#include "base/text.h"
#include "expression/lines.h"

namespace openclPort::expression {

namespace {

std::string word_at(const std::string& line, std::size_t& at) {
  while (at < line.size() && line[at] == ' ') ++at;
  const std::size_t from = at;
  while (at < line.size() && is_word(line[at])) ++at;
  return line.substr(from, at - from);
}

}  // namespace

Declared declared_by(const std::string& line) {
  std::size_t at = 0;
  std::string word = word_at(line, at);
  if (word == "EXPR_FORM") {
    ++at;
    const std::string type = word_at(line, at);
    ++at;
    return {type, word_at(line, at)};
  }
  if (word == "const") word = word_at(line, at);
  if (word != "double" && word != "nmath_value" && word != "int" && word != "nmath_i64" && word != "expr_index")
    return {};
  const std::string name = word_at(line, at);
  while (at < line.size() && line[at] == ' ') ++at;
  if (at >= line.size() || line[at] != '=') return {};
  return {word, name};
}

bool uses(const Lines& lines, const std::string& name) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return with_word_replaced(line, name, "") != line; });
}

std::vector<Declared> handed_on(const Lines& lines, const Lines& users) {
  std::vector<Declared> found;
  for (const std::string& line : lines) {
    const Declared one = declared_by(line);
    // A line of each form of the program may declare it.
    const bool known =
        std::any_of(found.begin(), found.end(), [&](const Declared& other) { return other.name == one.name; });
    if (!known && !one.name.empty() && uses(users, one.name)) found.push_back(one);
  }
  return found;
}

}  // namespace openclPort::expression
