// expression_runner -- see expression_runner.h
#include "engine/expression_runner.h"

#include <algorithm>
#include <climits>

#include "base/columns.h"
#include "base/nmath_error.h"
#include "engine/expression_variant.h"
#include "expression/build.h"
#include "expression/dependence.h"
#include "expression/reductions.h"
#include "expression/scalar_value.h"
#include "expression/translate.h"
#include "loader/kernel_loader.h"

namespace openclPort {

namespace {

using expression::Constant;
using expression::Reduction;

// Keys of shapes whose kernels are kept; of one shape, kernels that differ in what decides how they are computed.
constexpr std::size_t kMostLayouts = 128;
constexpr std::size_t kMostVariants = 32;

Reduction reduction_of(const std::string& name) {
  if (name.empty()) return Reduction::none;
  const Reduction found = expression::reduction_named(name);
  if (found == Reduction::none) throw NmathError("there is no reduction '" + name + "'");
  parts_joiner(found);
  return found;
}

bool adds_up(const Reduction& reduce) { return reduce == Reduction::sum || reduce == Reduction::mean; }

// The lines of inst/cl/expression/arithmetic.cl without the end of the last.
std::string arithmetic_text() {
  std::string text = load_kernel_source("expression/arithmetic.cl");
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

int measure_number(const std::vector<double>& measures, double length) {
  const auto found = std::find(measures.begin(), measures.end(), length);
  return found == measures.end() ? -1 : static_cast<int>(found - measures.begin());
}

Constant number_given(const ExpressionArgument& given) {
  const Column& column = given.column.column;
  if (column.data == nullptr) throw NmathError("a number of length one has to be in host memory");
  if (column.type == Column::Type::f64) return expression::real_constant(*static_cast<const double*>(column.data));
  const int value = *static_cast<const int*>(column.data);
  return expression::whole_constant(given.logical ? expression::Type::logical : expression::Type::integer, value);
}

bool same_constants(const std::vector<Constant>& a, const std::vector<Constant>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Constant& x, const Constant& y) {
    if (x.type != y.type || is_missing(x) != is_missing(y)) return false;
    return is_missing(x) || as_real(x) == as_real(y);
  });
}

}  // namespace

struct ExpressionRunner::Given {
  const std::vector<ExpressionArgument>& arguments;
  std::vector<expression::InputFacts> facts;
  std::vector<double> measures;
  std::string key;  // "": an argument has no elements

  std::vector<Constant> value(const expression::Graph& graph, int id) const {
    return {expression::scalar_value(
        graph, id, [this](int k) { return number_given(arguments[static_cast<std::size_t>(k) - 1]); })};
  }
  bool fits(const ExpressionVariant& variant) const {
    if (variant.graph.exact && variant.measures != measures) return false;
    for (const expression::Decision& decision : variant.graph.decisions)
      if (!same_constants(value(variant.graph, decision.node), decision.value)) return false;
    return true;
  }
};

ExpressionRunner::ExpressionRunner(const std::string& function, const std::string& reduce, bool na_rm,
                                   const std::vector<std::string>& gradient)
    : reduce_(reduction_of(reduce)), na_rm_(na_rm) {
  function_ = std::make_shared<expression::Function>(*expression::parse_function(function));
  for (std::size_t k = 0; k < function_->formals.size(); ++k) {
    if (function_->defaults[k] != nullptr)
      throw NmathError("the argument `" + function_->formals[k] +
                       "` has a default value, and calls give all arguments: leave it out");
    function_->inputs.emplace_back(function_->formals[k], static_cast<int>(k) + 1);
  }
  if (!gradient.empty() && !adds_up(reduce_))
    throw NmathError("a gradient goes with the reduction \"sum\" or \"mean\"");
  for (const std::string& name : gradient) {
    const auto found = std::find(function_->formals.begin(), function_->formals.end(), name);
    if (found == function_->formals.end())
      throw NmathError("the gradient names `" + name + "`, which is not an argument of the function");
    gradient_.push_back(static_cast<int>(found - function_->formals.begin()) + 1);
    if (std::count(gradient_.begin(), gradient_.end(), gradient_.back()) > 1)
      throw NmathError("the gradient names `" + name + "` twice");
  }
  expression::check_derivatives(*function_, gradient);
}

ExpressionRunner::~ExpressionRunner() = default;

std::size_t ExpressionRunner::arguments() const { return function_->formals.size(); }

ExpressionRunner::Given ExpressionRunner::read(const std::vector<ExpressionArgument>& arguments) const {
  if (arguments.size() != this->arguments())
    throw NmathError("the function has " + std::to_string(this->arguments()) + " arguments, but " +
                     std::to_string(arguments.size()) + " are given");
  Given given{arguments, {}, {}, ""};
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const ExpressionArgument& one = arguments[k];
    const Column& column = one.column.column;
    expression::InputFacts facts;
    facts.type = column.type == Column::Type::f64 ? 'd' : one.logical ? 'l' : 'i';
    facts.length = static_cast<std::int64_t>(column.length);
    if (one.matrix) {
      if (one.rows > INT_MAX || one.columns > INT_MAX || one.rows * one.columns != column.length)
        throw NmathError("`" + function_->formals[k] + "` has " + std::to_string(column.length) + " elements, but " +
                         std::to_string(one.rows) + " rows and " + std::to_string(one.columns) + " columns");
      facts.rows = static_cast<std::int64_t>(one.rows);
      facts.columns = static_cast<std::int64_t>(one.columns);
    }
    if (column.length > 0 && column.data == nullptr && one.column.resident == nullptr)
      throw NmathError("`" + function_->formals[k] + "` has no data");
    given.facts.push_back(facts);
  }
  given.measures = expression::layout_measures(given.facts);
  given.key = expression::layout_key(given.facts);
  if (given.key.empty() && reduce_ != Reduction::none)
    for (std::size_t k = 0; k < arguments.size(); ++k)
      if (given.facts[k].length == 0)
        throw NmathError("`" + function_->formals[k] + "` has no elements, and nothing is reduced");
  return given;
}

std::unique_ptr<ExpressionVariant> ExpressionRunner::make_variant(const Given& given, bool general) const {
  auto made = std::make_unique<ExpressionVariant>();
  expression::Graph& graph = made->graph;
  for (std::size_t k = 0; k < given.facts.size(); ++k) {
    const expression::InputFacts& facts = given.facts[k];
    expression::Input input;
    input.name = function_->formals[k];
    input.type = facts.type == 'd'   ? expression::Type::real
                 : facts.type == 'i' ? expression::Type::integer
                                     : expression::Type::logical;
    input.length = static_cast<double>(facts.length);
    input.matrix = facts.columns >= 0;
    input.rows = static_cast<double>(std::max<std::int64_t>(facts.rows, 0));
    input.columns = static_cast<double>(std::max<std::int64_t>(facts.columns, 0));
    graph.inputs.push_back(input);
  }
  expression::Asked asked;
  asked.value = [&given](const expression::Graph& of, int id) { return given.value(of, id); };
  // Results are doubles here, and so are whole numbers that are rounded, in whatever version of R.
  asked.whole_rounding = [](const std::string&, expression::Type, bool, const Constant*) {
    return std::string("double");
  };
  int root = expression::translate(*function_, graph, asked);
  if (graph.draws > 0) throw NmathError("random numbers are for functions that R calls");
  if (!graph.assertions.empty()) throw NmathError("stopifnot() is for functions that R calls: ask before the call");
  const bool logical =
      reduce_ != Reduction::none && expression::reduction_row(reduce_).takes == expression::Reduced::logical;
  if (!logical) root = expression::as_double(graph, root);
  expression::CompileRequest request;
  request.reduce = reduce_;
  request.na_rm = na_rm_;
  request.gradient = gradient_;
  request.wide = expression::is_wide(given.facts);
  request.form = general ? "general" : "";
  request.arithmetic = arithmetic_text();
  made->compiled = expression::compile_value(graph, root, *function_, request);
  made->measures = given.measures;
  for (const double length : made->compiled.text.lengths)
    made->length_measures.push_back(measure_number(given.measures, length));
  made->n_measure = measure_number(given.measures, made->compiled.text.n);
  made->kernel = std::make_shared<FusedKernel>(fused_spec_of(made->compiled.text, made->compiled.plan));
  return made;
}

ExpressionVariant& ExpressionRunner::variant(const Given& given, bool general) {
  const std::string layout = given.key + (general ? " general" : "");
  const auto known = known_.find(layout);
  if (known != known_.end())
    for (const auto& one : known->second)
      if (given.fits(*one)) return *one;
  std::unique_ptr<ExpressionVariant> made = make_variant(given, general);
  if (known == known_.end()) {
    layouts_.push_back(layout);
    if (layouts_.size() > kMostLayouts) {
      known_.erase(layouts_.front());
      layouts_.pop_front();
    }
  }
  std::vector<std::unique_ptr<ExpressionVariant>>& variants = known_[layout];
  variants.insert(variants.begin(), std::move(made));
  if (variants.size() > kMostVariants) variants.pop_back();
  return *variants.front();
}

ExpressionRunner::Size ExpressionRunner::size(const std::vector<ExpressionArgument>& arguments) {
  const Given given = read(arguments);
  if (given.key.empty()) return {};
  if (reduce_ == Reduction::none) return {variant(given, false).elements(given.measures), 0};
  Size size = {1, 0};
  for (const int k : gradient_) size.gradient += arguments[static_cast<std::size_t>(k) - 1].column.column.length;
  return size;
}

FusedCall ExpressionRunner::call_of(const ExpressionVariant& variant, const Given& given) const {
  const expression::KernelText& text = variant.compiled.text;
  FusedCall call;
  call.n = variant.elements(given.measures);
  for (const expression::TextColumn& column : text.columns)
    call.columns.push_back(given.arguments[static_cast<std::size_t>(column.input) - 1].column);
  for (const int k : text.scalars)
    call.scalars.push_back(as_real(number_given(given.arguments[static_cast<std::size_t>(k) - 1])));
  for (const double length : variant.lengths(given.measures)) call.scalars.push_back(length);
  return call;
}

void ExpressionRunner::run(const SharedDevice& device, const std::vector<ExpressionArgument>& arguments, double* values,
                           double* gradient, RunReport& report, const CallHooks& hooks) {
  const Given given = read(arguments);
  if (given.key.empty()) return;
  for (const bool general : {false, true}) {
    ExpressionVariant& chosen = variant(given, general);
    FusedCall call = call_of(chosen, given);
    const FusedSpec& spec = chosen.kernel->spec();
    if (!general && fused_too_short(device->info(), spec, call)) continue;
    if (reduce_ == Reduction::none) {
      call.values = {values};
      if (!chosen.needs_general(run_fused(device, *chosen.kernel, call, report, hooks)) || general) return;
      continue;
    }
    const ExpressionResults results(spec, call);
    if (chosen.needs_general(run_fused(device, *chosen.kernel, call, report, hooks)) && !general) continue;
    finish(chosen, results, call.n, given, values, gradient);
    return;
  }
}

bool ExpressionRunner::run_elements(const std::vector<SharedDevice>& devices,
                                    const std::vector<ExpressionArgument>& arguments, double* values, RunReport& report,
                                    const CallHooks& hooks) {
  const Given given = read(arguments);
  std::unique_lock<ProcessMutex> lock(mutex_);
  const ExpressionVariant& chosen = variant(given, false);
  const std::shared_ptr<FusedKernel> kernel = chosen.kernel;
  FusedCall call = call_of(chosen, given);
  lock.unlock();
  for (const SharedDevice& device : devices)
    if (fused_too_short(device->info(), kernel->spec(), call)) return false;
  call.values = {values};
  return !kernel->spec().tells(run_fused(devices, *kernel, call, report, hooks).data());
}

void ExpressionRunner::finish(const ExpressionVariant& variant, const ExpressionResults& results, std::size_t n,
                              const Given& given, double* values, double* gradient) const {
  const expression::Compiled& compiled = variant.compiled;
  double divisor = 1.0;
  if (reduce_ == Reduction::mean) divisor = na_rm_ ? results.total(1) : static_cast<double>(n);
  *values = parts_joiner(reduce_)(results, na_rm_, divisor);
  std::size_t plain = compiled.own_parts, wide = plain;  // outputs: the value's, slopes that are numbers, terms
  for (const expression::Slope& slope : compiled.slopes) wide += slope.node != 0 ? 1 : 0;
  for (const expression::Slope& slope : compiled.slopes) {
    if (slope.node != 0) {
      *gradient++ = results.total(plain++) / divisor;
      continue;
    }
    const std::size_t size = given.arguments[static_cast<std::size_t>(slope.input) - 1].column.column.length;
    for (std::size_t j = 0; j < size; ++j) {
      double sum = 0.0;  // exactly a term's where there is one
      for (std::size_t t = 0; t < slope.terms.size(); ++t)
        sum = t == 0 ? results.total(wide, j) : sum + results.total(wide + t, j);
      *gradient++ = sum / divisor;
    }
    wide += slope.terms.size();
  }
}

}  // namespace openclPort
