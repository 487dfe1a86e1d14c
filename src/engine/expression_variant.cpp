// expression_variant -- see expression_variant.h
#include "engine/expression_variant.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <string>

#include "base/nmath_error.h"
#include "base/total.h"
#include "loader/nmath_library.h"

namespace openclPort {

namespace {

constexpr int kBitsOfWord = 31;  // of flags, that warnings take

ElementType element_type_of(int code) {
  return code == 1 ? ElementType::f64 : code == 4 ? ElementType::i64 : ElementType::i32;
}

double joined_sum(const ExpressionResults& parts, bool, double divisor) { return parts.total(0) / divisor; }

// Where missing values are left out, what is missing is the extreme of no values.
template <int sign>
double joined_extreme(const ExpressionResults& parts, bool na_rm, double) {
  const double value = parts.total(0);
  return std::isnan(value) && na_rm ? sign * HUGE_VAL : value;
}

// m * 2^(512 s)
double joined_product(const ExpressionResults& parts, bool, double) {
  const double m = parts.total(0);
  return std::isnan(m) ? m : std::ldexp(m, static_cast<int>(std::max(std::min(512.0 * parts.total(1), 1e5), -1e5)));
}

double joined_logsum(const ExpressionResults& parts, bool, double) {
  const double m = parts.total(0);
  return std::isnan(m) || std::isinf(m) ? m : m + std::log(parts.total(1));
}

double joined_norm(const ExpressionResults& parts, bool, double) { return std::sqrt(parts.total(0)); }

// Bit 1: there was one that is `sought`; bit 2: there was an NA.
template <bool sought>
double joined_found(const ExpressionResults& parts, bool na_rm, double) {
  const int found = static_cast<int>(parts.total(0));
  if ((found & 1) != 0) return sought ? 1.0 : 0.0;
  return (found & 2) != 0 && !na_rm ? na_real() : sought ? 0.0 : 1.0;
}

}  // namespace

std::vector<double> ExpressionVariant::lengths(const std::vector<double>& now) const {
  std::vector<double> values = compiled.text.lengths;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (length_measures[k] >= 0) values[k] = now[static_cast<std::size_t>(length_measures[k])];
  return values;
}

std::size_t ExpressionVariant::elements(const std::vector<double>& now) const {
  return static_cast<std::size_t>(n_measure >= 0 ? now[static_cast<std::size_t>(n_measure)] : compiled.text.n);
}

bool ExpressionVariant::needs_general(const std::vector<int>& flags) const {
  if (compiled.text.general_bit == 0) return false;
  const int bit = compiled.text.general_bit - 1;
  const std::size_t word = static_cast<std::size_t>(bit / kBitsOfWord);
  return word < flags.size() && ((static_cast<unsigned>(flags[word]) >> (bit % kBitsOfWord)) & 1u) != 0;
}

std::string expression_program(const std::string& text) {
  constexpr std::size_t long_program = 135000;  // characters: a negative binomial regression, but not a Poisson one
  const std::string program = layered_program(text);
  return program.size() < long_program ? program : "#define NMATH_LONG_PROGRAM\n" + program;
}

FusedSpec fused_spec_of(const expression::KernelText& text, const expression::KernelPlan& plan,
                        const std::string& options) {
  FusedSpec spec;
  spec.function = "expression";
  spec.program = written_source([written = text.text] { return expression_program(written); }, options);
  spec.kernel = plan.kernel;
  spec.join = plan.join;
  spec.joins = static_cast<unsigned>(plan.joins);
  spec.group_join = plan.group_join;
  spec.each = static_cast<unsigned>(plan.each);
  spec.cost = static_cast<Cost>(std::min(std::max(plan.cost, 0), 3));
  spec.least = static_cast<std::size_t>(std::max(plan.least, 1));
  spec.local_forms = plan.local_forms;
  spec.tables = static_cast<unsigned>(plan.tables);
  for (std::size_t i = 0; i < plan.items.size(); ++i)
    spec.items.push_back({static_cast<FusedItem::Kind>(plan.items[i]), static_cast<unsigned>(plan.index[i])});
  for (const int role : plan.roles) spec.roles.push_back(static_cast<FusedRole>(role));
  for (const int code : plan.outputs) spec.outputs.push_back(element_type_of(code));
  spec.widths = plan.widths;
  spec.bundles = plan.bundles;
  spec.flags = static_cast<unsigned>(plan.flags);
  spec.flag_rules = plan.flag_rules;
  spec.scalars = static_cast<unsigned>(plan.scalars);
  spec.points_alone = static_cast<unsigned>(std::max(plan.points_alone, 1));
  spec.points_shared = static_cast<unsigned>(std::max(plan.points_shared, 1));
  spec.point_fours = plan.point_fours;
  spec.point_row_numbers = static_cast<unsigned>(std::max(plan.point_row_numbers, 0));
  spec.matrix_fours = plan.matrix_fours;
  spec.matrix_numbers = static_cast<unsigned>(std::max(plan.matrix_numbers, 0));
  spec.score = plan.wide_numbers > 0 ? expression::kScoreKernel : "";
  spec.slices = plan.slices;
  spec.wide = plan.wide;
  spec.wide_numbers = static_cast<unsigned>(std::max(plan.wide_numbers, 0));
  spec.reduces = plan.reduces;
  return spec;
}

ExpressionResults::ExpressionResults(const FusedSpec& spec, FusedCall& call) : results_(fused_results(spec, call, 0)) {
  for (std::size_t j = 0; j < spec.outputs.size(); ++j) {
    const std::size_t width = fused_width(spec, call, j);
    outputs_.push_back({spec.outputs[j], width, std::vector<double>(results_ * width)});
    call.values.push_back(outputs_.back().words.data());
  }
}

double ExpressionResults::Output::at(std::size_t i) const {
  if (type == ElementType::f64) return words[i];
  const char* const bytes = reinterpret_cast<const char*>(words.data());
  if (type == ElementType::i32) {
    std::int32_t value;
    std::memcpy(&value, bytes + i * sizeof value, sizeof value);
    return value;
  }
  std::int64_t value;
  std::memcpy(&value, bytes + i * sizeof value, sizeof value);
  return value == INT64_MIN ? na_real() : static_cast<double>(value);  // the smallest says that a value was missing
}

double ExpressionResults::total(std::size_t j, std::size_t k) const {
  const Output& output = outputs_.at(j);
  if (results_ == 1) return output.at(k);
  Total total;
  for (std::size_t b = 0; b < results_; ++b) total.add(output.at(b * output.width + k));
  return total.value();
}

PartsJoiner parts_joiner(const expression::Reduction& reduce) {
  static const std::map<std::string, PartsJoiner> known = {
      {"sum", joined_sum},         {"mean", joined_sum},        {"min", joined_extreme<1>},
      {"max", joined_extreme<-1>}, {"prod", joined_product},    {"logsumexp", joined_logsum},
      {"norm", joined_norm},       {"any", joined_found<true>}, {"all", joined_found<false>}};
  const auto found = known.find(reduce.name);
  if (found == known.end()) throw NmathError("the reduction '" + reduce.name + "' is for functions that R calls");
  return found->second;
}

}  // namespace openclPort
