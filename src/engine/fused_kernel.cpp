// fused_kernel -- descriptions of kernels, what they have on devices, and whether a call fits them.
#include <algorithm>
#include <atomic>
#include <numeric>

#include "base/nmath_error.h"
#include "engine/fused_join.h"

namespace openclPort {

namespace {

using Kind = FusedItem::Kind;

[[noreturn]] void fail(const FusedSpec& spec, const std::string& message) {
  throw NmathError(spec.function + ": " + message, "run_fused");
}

std::string column_name(std::size_t k) { return "column " + std::to_string(k + 1); }

// Of a work-item that has four points together, each with so many sums; 0: as many as the compiler likes. Measured on
// an H200, values and gradients of 2e6 rows at 64 points, 128 registers and no bound: a normal density's (three sums)
// 0.74 and 1.04 ms, a skew normal's (four) 4.5 and 6.7, a mixture's (six) 9.0 and 4.2.
int registers_of_points(std::size_t sums) { return sums == 1 ? 64 : sums <= 4 ? 128 : 0; }

}  // namespace

void check_fused_call(const FusedSpec& spec, const FusedCall& call) {
  if (call.columns.size() != spec.roles.size())
    fail(spec, "takes " + std::to_string(spec.roles.size()) + " columns, but " + std::to_string(call.columns.size()) +
                   " are given");
  if (call.scalars.size() != spec.scalars) fail(spec, "the number of scalars is wrong");
  if (call.values.size() != spec.outputs.size()) fail(spec, "the number of outputs is wrong");
  if (call.grouping != nullptr && !spec.reduces) fail(spec, "groups are for reductions only");
  if (call.grouping == nullptr && (spec.takes(Kind::order) || spec.takes(Kind::starts)))
    fail(spec, "the kernel needs groups");
  if (call.grouping != nullptr && call.grouping->elements() != call.n) fail(spec, "groups are of another length");
  for (std::size_t k = 0; k < call.columns.size(); ++k) {
    const FusedColumn& given = call.columns[k];
    const std::size_t length = given.column.length;
    if (length == 0) fail(spec, column_name(k) + " has no elements");
    if (given.resident == nullptr && given.column.data == nullptr) fail(spec, column_name(k) + " has no data");
    if (given.part && (spec.roles[k] != FusedRole::full || call.grouping != nullptr))
      throw NmathError(column_name(k) + " is resident on several devices, and the call needs all of it on each",
                       "run_fused", "", "Bring it back with as.vector(), or keep it on one device.");
    if (spec.roles[k] == FusedRole::whole) continue;
    if (spec.roles[k] == FusedRole::full ? length != call.n : length % call.n != 0)
      fail(spec, column_name(k) + " has " + std::to_string(length) + " elements for " + std::to_string(call.n));
    if (given.resident != nullptr && call.grouping != nullptr && !spec.takes(Kind::order))
      fail(spec, column_name(k) + " is resident on the device: the kernel must take the order of its elements");
  }
  const std::size_t block = call.block > 0 ? call.block : reduction_block(call.n, spec.cost);
  if (spec.reduces && call.grouping == nullptr && call.range.first % block != 0)
    fail(spec, "blocks of a reduction are not divided");
  for (std::size_t j = 0; j < call.values.size(); ++j) {
    if (call.resident_out_of(j) != nullptr && !spec.is_each(j))
      fail(spec, "the result of a reduction cannot be resident");
    if ((call.values[j] == nullptr) == (call.resident_out_of(j) == nullptr))
      fail(spec, "results have nowhere to go, or two places");
  }
}

bool FusedSpec::takes(Kind kind) const {
  return std::any_of(items.begin(), items.end(), [kind](const FusedItem& item) { return item.kind == kind; });
}

bool FusedSpec::tells(const int* words) const {
  const auto is_set = [words](int bit) {
    const unsigned k = static_cast<unsigned>(bit);
    return ((static_cast<unsigned>(words[k / kFlagBits]) >> (k % kFlagBits)) & 1u) != 0;
  };
  std::size_t reported = 0;
  for (unsigned w = 0; w < flags; ++w)
    for (unsigned left = static_cast<unsigned>(words[w]); left != 0; left &= left - 1) ++reported;
  for (auto rule = flag_rules.begin(); reported > 0 && rule != flag_rules.end();) {
    const int bit = *rule++, others = *rule++;
    const auto end = rule + std::max(others, 0);
    if (is_set(bit) && (others < 0 || !std::all_of(rule, end, is_set))) --reported;
    rule = end;
  }
  return reported > 0;
}

// Throws where a rule is cut short, or is of a bit that there is not.
static void check_flag_rules(const FusedSpec& spec) {
  const int bits = static_cast<int>(spec.flags * kFlagBits);
  std::size_t next = 0;
  for (const std::vector<int>& rules = spec.flag_rules; next < rules.size();) {
    const int others = next + 1 < rules.size() ? rules[next + 1] : -2;
    const std::size_t size = 2 + static_cast<std::size_t>(std::max(others, 0));
    if (others < -1 || size > rules.size() - next) fail(spec, "a rule of the flags is cut short");
    for (std::size_t k = next; k < next + size; ++k)
      if (k != next + 1 && (rules[k] < 0 || rules[k] >= bits))
        fail(spec, "a rule of the flags is of a bit that is not there");
    next += size;
  }
}

static std::string new_kernel_name(const FusedSpec& spec) {
  static std::atomic<std::size_t> made{0};
  return spec.function + " " + std::to_string(++made);
}

FusedKernel::FusedKernel(FusedSpec spec) : spec_(std::move(spec)), name_(new_kernel_name(spec_)) {
  std::size_t number = 0;
  for (const FusedItem& item : spec_.items) {
    const Kind kind = item.kind;
    const std::string argument = "argument " + std::to_string(++number) + " of the kernel ";
    const auto check = [&](const char* what, std::size_t needed, std::size_t known) {
      if (item.index + needed > known)
        fail(spec_, argument + "refers to " + what + " " + std::to_string(item.index + needed) + ", but there are " +
                        std::to_string(known));
    };
    if (kind == Kind::column || kind == Kind::offset || kind == Kind::stride) check("column", 1, spec_.roles.size());
    if (kind == Kind::output) check("output", 1, spec_.outputs.size());
    if (kind == Kind::f64 || kind == Kind::i32 || kind == Kind::i64) check("scalar", 1, spec_.scalars);
    if (kind == Kind::u64) check("scalar", 2, spec_.scalars);
    if (kind == Kind::flags && spec_.flags == 0)
      fail(spec_, argument + "refers to flags, but the kernel has no words of flags");
    if (kind < Kind::column || kind > Kind::scores)
      fail(spec_,
           argument + "is of kind " + std::to_string(static_cast<int>(kind)) + ", which is none of FusedItem::Kind");
  }
  check_flag_rules(spec_);
  if (spec_.outputs.empty()) fail(spec_, "there is no output");
  if (!spec_.widths.empty() && spec_.widths.size() != spec_.outputs.size())
    fail(spec_, "the number of widths is wrong");
  if (!spec_.bundles.empty() && spec_.bundles.size() != spec_.widths.size())
    fail(spec_, "the number of bundles is wrong");
  for (const int width : spec_.widths)
    if (width >= static_cast<int>(spec_.scalars)) fail(spec_, "a width refers to a scalar that is not there");
  if (spec_.each > 0 && (!spec_.reduces || spec_.each >= spec_.outputs.size()))
    fail(spec_, "a reduction with results for single elements");
  if ((!spec_.widths.empty() || !spec_.join.empty()) && !spec_.reduces)
    fail(spec_, "elementwise kernels have results of one number, which nothing joins");
}

std::shared_ptr<FusedKernel::OnDevice> FusedKernel::known_on(const SharedDevice& device) {
  const std::lock_guard<ProcessMutex> lock(mutex_);
  const auto found = std::find_if(known_.begin(), known_.end(), [&](const std::shared_ptr<OnDevice>& entry) {
    return entry->device->identity() == device->identity();
  });
  return found != known_.end() ? *found : nullptr;
}

std::shared_ptr<FusedKernel::OnDevice> FusedKernel::on_device(const SharedDevice& device, RunReport& report) {
  if (std::shared_ptr<OnDevice> known = known_on(device)) {
    ++report.cache_hits;
    return known;
  }
  const std::lock_guard<ProcessMutex> lock(mutex_);
  auto made = std::make_shared<OnDevice>();
  made->device = device;
  ProgramSource source = spec_.program;
  // Five groups of 256 to a compute unit: those that wait for rows to arrive leave it to others. Measured on an H200 by
  // bench/products.R: 55 columns 0.18 ms without, 0.13 with it; a t regression 0.87 and 0.62.
  if (spec_.takes(Kind::local)) source.registers = spec_.points_shared > 1 ? 64 : 48;  // 64: measured at 2 and 4 points
  if (spec_.takes(Kind::points) && spec_.points_shared > 1 && !spec_.takes(Kind::local))
    source.registers = registers_of_points(spec_.outputs.size());
  if (!spec_.point_fours.empty()) source.registers = 128;  // two groups of 256, with all sums of a point in registers
  const DeviceInfo& info = device->info();
  if (spec_.takes(Kind::local) && info.multiplies_matrices()) {
    source.options += " -DNMATH_MATRIX_UNITS=" + std::to_string(info.matrix_units);
    // One group of 512, or two where they have few sums. Measured on an H200 by bench/points.R: 16 columns 6.4 ms with
    // 64 registers, 8.0 with 128; 60 columns 21.5 and 17.5.
    const int fours = std::accumulate(spec_.matrix_fours.begin(), spec_.matrix_fours.end(), 0);
    if (fours > 0) source.registers = fours <= expression::kFewMatrixFours ? 64 : 128;
    if (spec_.wide_numbers > 0) source.registers = 128;  // two groups of 256, which add while the other one multiplies
  }
  if (info.wide_cores && !info.immediate) source.options += " -DNMATH_SPANS";
  if (spec_.local_forms && !info.wide_cores && !info.immediate) source.options += " -DNMATH_LOCAL_FORMS";
  made->program = device->program(source, &report);
  // What the device had before it was reset is of no use.
  known_.erase(std::remove_if(known_.begin(), known_.end(),
                              [&](const std::shared_ptr<OnDevice>& entry) {
                                return entry->device->info().name == device->info().name &&
                                       entry->device->info().index == device->info().index;
                              }),
               known_.end());
  known_.push_back(made);
  return made;
}

bool fused_joins(const FusedSpec& spec, const FusedCall& call) {
  if (call.grouping != nullptr) return !spec.group_join.empty() && call.grouping->blocks() > call.grouping->groups();
  return !spec.join.empty() && fused_blocks(spec, call) > 1;
}

std::size_t fused_results(const FusedSpec& spec, const FusedCall& call, std::size_t j) {
  if (spec.is_each(j)) return call.n;
  if (call.grouping != nullptr) return spec.group_join.empty() ? call.grouping->blocks() : call.grouping->groups();
  return spec.join.empty() ? fused_blocks(spec, call) : std::min<std::size_t>(fused_blocks(spec, call), 1);
}

std::size_t fused_width(const FusedSpec& spec, const FusedCall& call, std::size_t j) {
  if (j >= spec.widths.size() || spec.widths[j] < 0) return 1;
  return 2 * static_cast<std::size_t>(call.scalars[static_cast<std::size_t>(spec.widths[j])]);
}

}  // namespace openclPort
