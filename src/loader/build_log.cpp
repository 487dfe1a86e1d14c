// build_log -- makes compiler logs of program strings readable: names of real files, the first error.
#include "loader/build_log.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace openclPort {

namespace {

// From line `at` + 1 of the program string on, lines count from `line` in the file `name`.
struct LineMark {
  std::size_t at;
  std::size_t line;
  std::string name;
};

std::vector<LineMark> line_marks(const std::string& text) {
  std::vector<LineMark> marks;
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (text.compare(begin, 6, "#line ") == 0) {
      const std::size_t open = text.find('"', begin), close = text.find('"', open + 1);
      if (close < end)
        marks.push_back(
            {number + 1, std::strtoul(text.c_str() + begin + 6, nullptr, 10), text.substr(open + 1, close - open - 1)});
    }
    begin = end + 1;
  }
  return marks;
}

// "nmath/dgamma.cl:17" for a line of the program string, counted from 1; "" before the first directive.
std::string source_of(const std::vector<LineMark>& marks, std::size_t line) {
  const LineMark* mark = nullptr;
  for (const LineMark& next : marks)
    if (next.at < line) mark = &next;
  return mark == nullptr ? "" : mark->name + ":" + std::to_string(mark->line + (line - mark->at - 1));
}

}  // namespace

std::string name_source_lines(const std::string& log, const std::string& text) {
  const std::vector<LineMark> marks = line_marks(text);
  std::string named = log;
  for (const std::string& anonymous : {std::string("<kernel>:"), std::string("input.cl:")}) {
    for (std::size_t at = named.find(anonymous); at != std::string::npos; at = named.find(anonymous, at + 1)) {
      const char* digits = named.c_str() + at + anonymous.size();
      char* end = nullptr;
      const std::size_t line = std::strtoul(digits, &end, 10);
      const std::string source = end == digits ? "" : source_of(marks, line);
      if (!source.empty()) named.replace(at, anonymous.size() + (end - digits), source);
    }
  }
  return named;
}

std::string source_line(const std::string& text, std::size_t line) { return source_of(line_marks(text), line); }

std::string first_error(const std::string& log) {
  std::size_t at = log.find("error");
  if (at == std::string::npos) at = 0;
  const std::size_t before = log.rfind('\n', at);
  const std::size_t begin = before == std::string::npos ? 0 : before + 1;
  return log.substr(begin, std::min(log.find('\n', at), log.size()) - begin);
}

}  // namespace openclPort
