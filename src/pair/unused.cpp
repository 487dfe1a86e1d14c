// unused -- leaves out of a translation the functions that no kernel calls: compilers take long for what nobody needs.
#include "pair/unused.h"

#include <unordered_map>

namespace openclPort::pair {

namespace {

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

// Its lines without what stands on them, so that the lines behind keep their numbers; directives stay.
void add_empty(const std::string& text, std::size_t begin, std::size_t end, std::string& to) {
  while (begin < end) {
    const std::size_t line = text.find('\n', begin), stop = line < end ? line : end;
    if (text[begin] == '#') to.append(text, begin, stop - begin);
    if (stop < end) to += '\n';
    begin = stop + 1;
  }
}

}  // namespace

std::string without_unused(const std::string& text, const std::vector<FunctionText>& functions) {
  std::unordered_map<std::string_view, std::vector<std::size_t>> by_name;
  std::vector<std::size_t> open;
  std::vector<char> used(functions.size());
  for (std::size_t k = 0; k < functions.size(); ++k) {
    by_name[functions[k].name].push_back(k);
    used[k] = functions[k].is_kernel;
    if (used[k]) open.push_back(k);
  }
  if (open.empty()) return text;
  const std::string_view all(text);
  while (!open.empty()) {
    const FunctionText one = functions[open.back()];
    open.pop_back();
    for (std::size_t at = one.begin; at < one.end;) {
      std::size_t end = at;
      while (end < one.end && is_word(text[end])) ++end;
      if (end == at) {
        ++at;
        continue;
      }
      const auto found = by_name.find(all.substr(at, end - at));
      at = end;
      if (found == by_name.end()) continue;
      for (const std::size_t k : found->second) {
        if (used[k]) continue;
        used[k] = 1;
        open.push_back(k);
      }
    }
  }
  std::string result;
  result.reserve(text.size());
  std::size_t done = 0;
  for (std::size_t k = 0; k < functions.size(); ++k) {
    if (used[k]) continue;
    result.append(text, done, functions[k].begin - done);
    add_empty(text, functions[k].begin, functions[k].end, result);
    done = functions[k].end;
  }
  result.append(text, done, std::string::npos);
  return result;
}

}  // namespace openclPort::pair
