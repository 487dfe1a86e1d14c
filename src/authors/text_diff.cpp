// text_diff -- lists the lines in which two texts differ.
#include "authors/text_diff.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace openclPort {

namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    if (!line.empty() && line.back() == '\r') line.replace(line.size() - 1, 1, "\\r");
    if (end == text.size()) line += "\n\\ No newline at end of file";
    lines.push_back(std::move(line));
    begin = end + 1;
  }
  return lines;
}

struct Step {
  char sign;  // ' ', '-', '+'
  std::size_t old_line, new_line;
};

// The steps from line `from` of both texts to their ends, by the longest common subsequence of what lies between the
// first and the last difference. Where that were too long, all of it goes and all of it comes.
std::vector<Step> steps_between(const Lines& old_lines, const Lines& new_lines) {
  std::size_t head = 0, old_end = old_lines.size(), new_end = new_lines.size();
  while (head < old_end && head < new_end && old_lines[head] == new_lines[head]) ++head;
  while (old_end > head && new_end > head && old_lines[old_end - 1] == new_lines[new_end - 1]) --old_end, --new_end;

  constexpr std::size_t kLargest = std::size_t{1} << 22;
  const std::size_t rows = old_end - head, columns = new_end - head;
  std::vector<unsigned> common;  // of the rest behind row i and column j
  const auto at = [columns](std::size_t i, std::size_t j) { return i * (columns + 1) + j; };
  if ((rows + 1) <= kLargest / (columns + 1)) {
    common.assign((rows + 1) * (columns + 1), 0);
    for (std::size_t i = rows; i-- > 0;)
      for (std::size_t j = columns; j-- > 0;)
        common[at(i, j)] = old_lines[head + i] == new_lines[head + j]
                               ? common[at(i + 1, j + 1)] + 1
                               : std::max(common[at(i + 1, j)], common[at(i, j + 1)]);
  }

  std::vector<Step> steps;
  for (std::size_t k = 0; k < head; ++k) steps.push_back({' ', k, k});
  std::size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    const bool same = !common.empty() && i < rows && j < columns && old_lines[head + i] == new_lines[head + j];
    const bool goes = j == columns || (i < rows && (common.empty() || common[at(i + 1, j)] >= common[at(i, j + 1)]));
    steps.push_back({same ? ' ' : goes ? '-' : '+', head + i, head + j});
    if (same || goes) ++i;
    if (same || !goes) ++j;
  }
  for (std::size_t k = 0; old_end + k < old_lines.size(); ++k) steps.push_back({' ', old_end + k, new_end + k});
  return steps;
}

std::string range_text(char sign, std::size_t first, std::size_t count) {
  const std::size_t from = count == 0 ? first : first + 1;
  return sign + std::to_string(from) + (count == 1 ? "" : "," + std::to_string(count));
}

}  // namespace

std::string text_diff(const std::string& before, const std::string& after, const std::string& name) {
  if (before == after) return "";
  constexpr std::size_t kContext = 3;
  const Lines old_lines = lines_of(before), new_lines = lines_of(after);
  const std::vector<Step> steps = steps_between(old_lines, new_lines);
  const auto next_change = [&steps](std::size_t k) {
    while (k < steps.size() && steps[k].sign == ' ') ++k;
    return k;
  };
  std::string text = "--- " + name + "\n+++ " + name + "\n";
  for (std::size_t change = next_change(0); change < steps.size();) {
    const std::size_t begin = change - std::min(change, kContext);
    std::size_t end = change;  // of the hunk: changes with at most two contexts between them stand together
    while (change < steps.size() && change <= end + 2 * kContext) {
      while (change < steps.size() && steps[change].sign != ' ') ++change;
      end = change;
      change = next_change(change);
    }
    end = std::min(end + kContext, steps.size());
    std::size_t gone = 0, come = 0;
    std::string body;
    for (std::size_t k = begin; k < end; ++k) {
      gone += steps[k].sign != '+';
      come += steps[k].sign != '-';
      body +=
          steps[k].sign + (steps[k].sign == '+' ? new_lines[steps[k].new_line] : old_lines[steps[k].old_line]) + "\n";
    }
    text += "@@ " + range_text('-', steps[begin].old_line, gone) + " " + range_text('+', steps[begin].new_line, come) +
            " @@\n" + body;
  }
  return text;
}

}  // namespace openclPort
