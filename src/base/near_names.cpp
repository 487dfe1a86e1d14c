// near_names -- finds the known names that an unknown name may be a misspelling of.
#include "base/near_names.h"

#include <algorithm>

#include "base/text.h"

namespace openclPort {

std::size_t letters_apart(const std::string& a, const std::string& b) {
  const std::string x = lower(a), y = lower(b);
  std::vector<std::size_t> row(y.size() + 1);
  for (std::size_t j = 0; j <= y.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= x.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= y.size(); ++j) {
      const std::size_t replaced = diagonal + (x[i - 1] == y[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  std::string first = x, second = y;  // the same letters in another order are as near as one letter
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  return first == second ? std::min<std::size_t>(row[y.size()], 1) : row[y.size()];
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t kMostNamed = 3;
  std::size_t least = name.size() > 3 ? 2 : name.size() > 1 ? 1 : 0;
  std::vector<std::string> near;
  for (const std::string& one : known) {
    if (one.empty() || std::find(near.begin(), near.end(), one) != near.end()) continue;
    const std::size_t apart = letters_apart(name, one);
    if (apart > least || apart >= one.size()) continue;
    if (apart < least) near.clear();
    least = apart;
    near.push_back(one);
  }
  if (near.empty()) return "";
  near.resize(std::min(near.size(), kMostNamed));
  return "; did you mean '" + joined(near, "' or '") + "'?";
}

}  // namespace openclPort
