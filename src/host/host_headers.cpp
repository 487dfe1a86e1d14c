// host_headers -- the texts of headers in place of the lines that include them, so that kernels are found in all of it.
#include <sstream>

#include "base/nmath_error.h"
#include "base/text.h"
#include "host/host_text.h"
#include "loader/nmath_library.h"

namespace openclPort {

namespace {

// The name that a line includes, "" where it includes nothing.
std::string included(const std::string& line) {
  std::size_t at = line.find_first_not_of(" \t");
  if (at == std::string::npos || line[at] != '#') return "";
  at = line.find_first_not_of(" \t", at + 1);
  if (at == std::string::npos || line.compare(at, 7, "include") != 0) return "";
  at = line.find_first_not_of(" \t", at + 7);
  if (at == std::string::npos || (line[at] != '"' && line[at] != '<')) return "";
  const std::size_t end = line.find(line[at] == '"' ? '"' : '>', at + 1);
  return end == std::string::npos ? "" : line.substr(at + 1, end - at - 1);
}

std::string with_headers_inside(const std::string& text, std::string file,
                                const std::map<std::string, std::string>& headers, int depth) {
  constexpr int kDeepest = 64;
  if (depth > kDeepest)
    throw NmathError("the header '" + file + "' includes itself without end", "compile", "", "", "host");
  std::string result;
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    std::string word;
    std::size_t reported = 0;
    if (starts_with(line, "#line ") && words >> word >> reported) {
      number = reported - 1;
      const std::size_t open = line.find('"'), close = line.rfind('"');
      if (open != close) file = line.substr(open + 1, close - open - 1);
    }
    const auto header = headers.find(included(line));
    if (header == headers.end()) {
      result += line + "\n";
      continue;
    }
    result += "#line 1 \"" + header->first + "\"\n" +
              with_headers_inside(header->second, header->first, headers, depth + 1) + "#line " +
              std::to_string(number + 1) + " \"" + file + "\"\n";
  }
  return result;
}

}  // namespace

std::string with_headers(const std::string& program, const std::map<std::string, std::string>& headers) {
  return headers.empty() ? program : with_headers_inside(program, kUserText, headers, 0);
}

}  // namespace openclPort
