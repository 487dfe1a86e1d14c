// text -- small functions of strings.
#pragma once

#include <cctype>
#include <cstdlib>
#include <string>
#include <vector>

namespace openclPort {

inline bool starts_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

inline bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// In small letters, those of ASCII alone: std::tolower() is the locale's, and the small letter of I is not i in
// Turkish.
inline std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// The value of an environment variable; empty where it is not set.
inline std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

// Without the characters of `blanks` at both ends.
inline std::string trimmed(const std::string& text, const char* blanks = " \t") {
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Without the byte order marks that editors of Windows put before the first line, and that are before another one where
// texts were put together.
inline std::string without_byte_order_marks(std::string text) {
  const std::string mark = "\xEF\xBB\xBF";
  for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos;) {
    if (at == 0 || text[at - 1] == '\n')
      text.erase(at, mark.size());
    else
      at += mark.size();
  }
  return text;
}

inline std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) text += (&part == &parts.front() ? "" : between) + part;
  return text;
}

// Without their ends, which are line feeds with any number of carriage returns before.
inline std::vector<std::string> text_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    std::size_t length = end - begin;
    while (length > 0 && text[begin + length - 1] == '\r') --length;
    lines.push_back(text.substr(begin, length));
  }
  return lines;
}

// Of C's identifiers; not by <cctype>, which asks the locale.
inline bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_word(char c) { return is_letter(c) || is_digit(c); }

}  // namespace openclPort
