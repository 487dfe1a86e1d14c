// alias_table -- the masses from the host device's own functions, the table by Vose's method.
#include "engine/alias_table.h"

#include <cmath>
#include <utility>

#include "base/recent_cache.h"

namespace openclPort {

namespace {

constexpr std::size_t kMostNumbers = 512;  // 60 microseconds to make, 8 KiB
constexpr std::size_t kAliasTables = 16;   // tables

// Parameters inside the domain: at its ends the samplers' own rules hold.
bool inside(const std::string& name, const std::vector<double>& p) {
  const auto positive = [](double x) { return x > 0 && x <= 1e9; };
  const auto whole = [](double x) { return x >= 0 && x <= 1e9 && x == std::floor(x); };
  const auto probability = [](double x) { return x > 0 && x < 1; };
  if (name == "rpois") return positive(p[0]);
  if (name == "rbinom") return whole(p[0]) && probability(p[1]);
  if (name == "rnbinom") return positive(p[0]) && probability(p[1]);
  if (name == "rnbinom_mu") return positive(p[0]) && positive(p[1]);
  if (name == "rhyper") return whole(p[0]) && whole(p[1]) && whole(p[2]) && p[2] <= p[0] + p[1];
  return false;
}

// 2^64 x for x below 1.
std::uint64_t threshold(double x) {
  return x < 1.0 ? static_cast<std::uint64_t>(std::ldexp(x, 64)) : ~std::uint64_t{0};
}

std::shared_ptr<const AliasTable> made(const std::string& name, const std::vector<double>& p) {
  const std::vector<double> rest{0x1p-65};
  const double low = law_on_host('q', name, rest, p, {1, 0})[0], high = law_on_host('q', name, rest, p, {0, 0})[0];
  if (!(low >= 0 && high >= low && high - low < kMostNumbers && high < 2147483647.0)) return nullptr;
  std::vector<double> numbers;
  for (double k = low; k <= high; k += 1.0) numbers.push_back(k);
  return std::make_shared<const AliasTable>(alias_table(low, law_on_host('d', name, numbers, p, {0})));
}

}  // namespace

// Vose (1991), "A linear algorithm for generating random numbers with a given distribution", IEEE Trans. Softw. Eng.
// 17, 972-975: a cell with less than its share is filled up from one with more, which is then its alias.
AliasTable alias_table(double low, const std::vector<double>& masses) {
  AliasTable table;
  table.low = low;
  while ((std::size_t{1} << table.bits) < masses.size()) ++table.bits;
  const std::size_t size = std::size_t{1} << table.bits;
  double total = 0;
  for (const double mass : masses) total += mass;
  std::vector<double> share(size, 0.0);
  std::vector<std::size_t> less, more;
  for (std::size_t k = 0; k < size; ++k) {
    if (k < masses.size()) share[k] = masses[k] / total * static_cast<double>(size);
    (share[k] < 1.0 ? less : more).push_back(k);
  }
  table.cells.assign(2 * size, 0);
  while (!less.empty() && !more.empty()) {
    const std::size_t cell = less.back(), alias = more.back();
    less.pop_back();
    table.cells[2 * cell] = threshold(share[cell]);
    table.cells[2 * cell + 1] = alias;
    share[alias] -= 1.0 - share[cell];
    if (share[alias] >= 1.0) continue;
    more.pop_back();
    less.push_back(alias);
  }
  for (const std::vector<std::size_t>& left : {less, more}) {  // full, but for rounding
    for (const std::size_t cell : left) {
      table.cells[2 * cell] = ~std::uint64_t{0};
      table.cells[2 * cell + 1] = cell;
    }
  }
  return table;
}

std::shared_ptr<const AliasTable> alias_table_of(const std::string& name, const std::vector<double>& parameters) {
  using Key = std::pair<std::string, std::vector<double>>;
  static RecentCache<Key, std::shared_ptr<const AliasTable>> kept(kAliasTables);
  if (!inside(name, parameters)) return nullptr;
  return kept.get({name, parameters}, [&] { return made(name, parameters); });
}

const KernelSpec& AliasTable::spec() const {
  static const KernelSpec spec{"draw_table", "draw_table_kernel", "src/draw_table_kernel.cl", 0, 0,
                               "none",       KernelKind::draws};
  return spec;
}

Buffer AliasTable::on(Device& device) const {
  Buffer memory = device.allocate(ElementType::i64, cells.size());
  const std::unique_ptr<Queue> queue = device.queue(false);
  queue->write(memory, 0, cells.data(), cells.size() * sizeof(std::uint64_t));
  queue->finish();
  return memory;
}

}  // namespace openclPort
