// draw_table -- the masses from the host device's own functions, the table by Vose's method.
#include "engine/draw_table.h"

#include <array>
#include <cmath>
#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "device/device_selection.h"
#include "engine/elementwise.h"

namespace openclPort {

namespace {

constexpr std::size_t kMostNumbers = 512;  // 60 microseconds to make, 8 KiB
constexpr std::size_t kKept = 16;          // tables

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

// The function of another letter at each x: "rpois" -> dpois(x, p), qpois(x, p, flags).
std::vector<double> on_host(char letter, const std::string& name, const std::vector<double>& x,
                            const std::vector<double>& p, const std::vector<int>& flags) {
  const KernelSpec& spec = find_kernel_spec(letter + name.substr(1));
  std::vector<Column> columns{{x.data(), x.size(), Column::Type::f64}};
  for (const double& one : p) columns.push_back({&one, 1, Column::Type::f64});
  for (const int& flag : flags) columns.push_back({&flag, 1, Column::Type::i32});
  std::vector<double> out(x.size());
  RunReport report;
  run_elementwise("host", spec, columns, x.size(), out.data(), report);
  return out;
}

std::shared_ptr<const DrawTable> made(const std::string& name, const std::vector<double>& p) {
  const std::vector<double> rest{0x1p-65};
  const double low = on_host('q', name, rest, p, {1, 0})[0], high = on_host('q', name, rest, p, {0, 0})[0];
  if (!(low >= 0 && high >= low && high - low < kMostNumbers && high < 2147483647.0)) return nullptr;
  std::vector<double> numbers;
  for (double k = low; k <= high; k += 1.0) numbers.push_back(k);
  return std::make_shared<const DrawTable>(alias_table(low, on_host('d', name, numbers, p, {0})));
}

// 2^64 x for x below 1.
std::uint64_t threshold(double x) {
  return x < 1.0 ? static_cast<std::uint64_t>(std::ldexp(x, 64)) : ~std::uint64_t{0};
}

struct Kept {
  std::string name;
  std::vector<double> parameters;
  std::shared_ptr<const DrawTable> table;
};

}  // namespace

// Vose (1991), "A linear algorithm for generating random numbers with a given distribution", IEEE Trans. Softw. Eng.
// 17, 972-975: a cell with less than its share is filled up from one with more, which is then its alias.
DrawTable alias_table(double low, const std::vector<double>& masses) {
  DrawTable table;
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

std::shared_ptr<const DrawTable> draw_table(const KernelSpec& spec, const std::vector<Column>& columns) {
  static std::mutex mutex;
  static std::deque<Kept> kept;
  const std::string name = spec.name;
  std::vector<double> parameters;
  for (const Column& column : columns) {
    if (column.length != 1 || column.data == nullptr) return nullptr;
    parameters.emplace_back();
    widen_piece(column, 0, 1, &parameters.back());
  }
  if (!spec.draws() || !inside(name, parameters)) return nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    for (const Kept& one : kept)
      if (one.name == name && one.parameters == parameters) return one.table;
  }
  std::shared_ptr<const DrawTable> table = made(name, parameters);
  const std::lock_guard<std::mutex> lock(mutex);
  kept.push_front({name, parameters, table});
  if (kept.size() > kKept) kept.pop_back();
  return table;
}

const KernelSpec& table_kernel_spec() {
  static const KernelSpec spec{"draw_table", "draw_table_kernel", "src/draw_table_kernel.cl", 0, 0,
                               "none",       KernelKind::draws};
  return spec;
}

std::size_t items_of_draws(std::uint64_t first, std::size_t count) {
  const std::size_t pairs = (count + 1 + first % 2) / 2;
  return (pairs + 63) / 64 * 32;
}

TableDrawsKernel::TableDrawsKernel(Device& device, std::shared_ptr<const DrawTable> table, DrawStream stream)
    : table_(std::move(table)), stream_(stream), cells_(device.allocate(ElementType::i64, table_->cells.size())) {
  const std::unique_ptr<Queue> queue = device.queue(false);
  queue->write(cells_, 0, table_->cells.data(), table_->cells.size() * sizeof(std::uint64_t));
  queue->finish();
}

void TableDrawsKernel::prepare(Launch& launch, const Piece& piece, const PieceMemory& memory, std::size_t) const {
  launch.set_buffer(0, cells_);
  launch.set_buffer(1, memory.outputs.front());
  launch.set(2, static_cast<std::int32_t>(table_->bits));
  launch.set(3, table_->low);
  launch.set(4, static_cast<std::int32_t>(piece.count));
  launch.set(5, stream_.seed);
  const std::uint64_t first = stream_.first + piece.first;
  launch.set(6, first);
  launch.items(items_of_draws(first, piece.count), Cost::cheap);
}

}  // namespace openclPort
