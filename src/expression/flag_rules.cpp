// flag_rules -- see flag_rules.h
#include "expression/flag_rules.h"

#include <algorithm>

namespace openclPort::expression {

namespace {

// The bit of a test that goes this way; -1: the kernel does not say.
int bit_of_test(const Writer& w, const Guard& guard) {
  Mark mark;
  mark.node = guard.test;
  mark.way = guard.way;
  const auto found = std::find(w.marks.begin(), w.marks.end(), mark);
  return found == w.marks.end() ? -1 : static_cast<int>(found - w.marks.begin());
}

// Bits that have to be set besides; false where the branch is never taken.
bool bits_of_guards(const Writer& w, const std::vector<Guard>& guards, std::vector<int>& bits) {
  for (const Guard& guard : guards) {
    const Node& test = w.graph.at(guard.test);
    if (test.op == Op::constant) {
      if (is_missing(test.constant) || (as_real(test.constant) != 0.0) != guard.way) return false;
      continue;
    }
    const int bit = bit_of_test(w, guard);
    if (bit >= 0) bits.push_back(bit);
  }
  return true;
}

}  // namespace

std::vector<int> flag_rules(const Writer& w) {
  std::vector<int> rules;
  for (std::size_t k = 0; k < w.marks.size(); ++k) {
    const Mark& mark = w.marks[k];
    const int bit = static_cast<int>(k);
    if (mark.needs_general) continue;
    if (mark.site == 0) {
      rules.insert(rules.end(), {bit, -1});
      continue;
    }
    // Sums by codes of a function in stages leave elements out, whose tests another launch may tell of.
    if (w.request.joins_groups) continue;
    std::vector<int> with;
    const bool taken = bits_of_guards(w, w.graph.sites[static_cast<std::size_t>(mark.site) - 1].guards, with);
    if (taken && with.empty()) continue;
    rules.insert(rules.end(), {bit, taken ? static_cast<int>(with.size()) : -1});
    if (taken) rules.insert(rules.end(), with.begin(), with.end());
  }
  return rules;
}

}  // namespace openclPort::expression
