// lines -- puts texts together from templates and lists of lines.
#include "expression/lines.h"

#include "base/text.h"

namespace openclPort {
namespace expression {

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

std::string with_part_replaced(const std::string& text, const std::string& part, const std::string& by) {
  std::string made;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = text.find(part, from)) != std::string::npos; from = at + part.size()) {
    made.append(text, from, at - from);
    made += by;
  }
  return made.append(text, from, std::string::npos);
}

}  // namespace expression
}  // namespace openclPort
