// argument_layout -- see shape.h
#include "expression/argument_layout.h"

#include <algorithm>

namespace openclPort::expression {

namespace {

// Lengths that were seen, in ascending order.
class KnownLengths {
 public:
  explicit KnownLengths(const std::vector<InputFacts>& facts) {
    for (const InputFacts& one : facts) {
      add(one.length);
      add(one.rows);
      add(one.columns);
    }
  }
  // From 1; 0: one element.
  int rank(std::int64_t length) const {
    if (length <= 1) return 0;
    return static_cast<int>(std::lower_bound(known_.begin(), known_.end(), length) - known_.begin()) + 1;
  }
  bool wide() const { return !known_.empty() && known_.back() >= 2147483648; }

 private:
  void add(std::int64_t length) {
    if (length <= 1) return;
    const auto at = std::lower_bound(known_.begin(), known_.end(), length);
    if (at == known_.end() || *at != length) known_.insert(at, length);
  }

  std::vector<std::int64_t> known_;
};

}  // namespace

std::string layout_key(const std::vector<InputFacts>& facts) {
  for (const InputFacts& one : facts)
    if (one.length == 0) return "";
  const KnownLengths lengths(facts);
  std::string key;
  key.reserve(8 * facts.size() + 32);
  for (const InputFacts& one : facts) {
    key += one.type;
    key += std::to_string(lengths.rank(one.length));
    if (one.columns >= 0)
      key += "mr" + std::to_string(lengths.rank(one.rows)) + 'c' + std::to_string(lengths.rank(one.columns));
  }
  if (lengths.wide()) key += 'w';
  return key;
}

bool is_wide(const std::vector<InputFacts>& facts) { return KnownLengths(facts).wide(); }

std::vector<double> layout_measures(const std::vector<InputFacts>& facts) {
  std::vector<double> measures;
  for (const auto side : {&InputFacts::length, &InputFacts::rows, &InputFacts::columns})
    for (const InputFacts& one : facts) measures.push_back(static_cast<double>(one.*side));
  return measures;
}

}  // namespace openclPort::expression
