// constant_parameters -- functions of the table as expressions, kept by name and flags.
#include "engine/constant_parameters.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "base/process_mutex.h"
#include "base/stopwatch.h"
#include "base/text.h"
#include "device/devices.h"
#include "engine/expression_runner.h"
#include "expression/tables.h"

namespace openclPort {

namespace {

// The flags as inst/spec/fixed.tsv has them: "TRUE,FALSE".
std::string flags_of(const ElementwiseCall& call) {
  std::vector<std::string> flags;
  for (std::size_t k = static_cast<std::size_t>(call.spec.n_real); k < call.columns.size(); ++k)
    flags.push_back(*static_cast<const int*>(call.columns[k].data) != 0 ? "TRUE" : "FALSE");
  return joined(flags, ",");
}

bool has_kernel(const std::string& name, const std::string& flags) {
  const std::vector<expression::Row>& rows = expression::fixed_rows();
  return std::any_of(rows.begin(), rows.end(),
                     [&](const expression::Row& row) { return row.at("name") == name && row.at("flags") == flags; });
}

bool has_constant_parameters(const ElementwiseCall& call) {
  const std::size_t n = call.range.all;
  if (call.spec.draws() || n < 2 || call.columns.size() < 2 || call.columns.front().length != n) return false;
  return std::all_of(call.columns.begin() + 1, call.columns.end(), [](const Column& one) { return one.length == 1; });
}

// "function(x, df) dt(x = x, df = df, log = TRUE)"
std::string expression_of(const expression::FunctionRow& row, const std::string& flags) {
  std::vector<std::string> arguments;
  for (const std::string& name : row.columns) arguments.push_back(name + " = " + name);
  const std::vector<std::string> values = expression::split_commas(flags);
  for (std::size_t k = 0; k < values.size(); ++k) arguments.push_back(row.flags[k] + " = " + values[k]);
  return "function(" + joined(row.columns, ", ") + ") " + row.name + '(' + joined(arguments, ", ") + ')';
}

// Those that were asked for since devices were opened: inst/spec/fixed.tsv has some fifty. Never destroyed: they may be
// asked for while the process ends.
struct Runners {
  ProcessMutex mutex;
  std::map<std::string, std::shared_ptr<ExpressionRunner>> known;
};

Runners& runners();

void let_go_of_runners() {
  std::map<std::string, std::shared_ptr<ExpressionRunner>> dropped;  // once the lock is free
  const std::lock_guard<ProcessMutex> lock(runners().mutex);
  dropped.swap(runners().known);
}

Runners& runners() {
  static Runners* const all = [] {
    when_devices_close(let_go_of_runners);
    return new Runners;
  }();
  return *all;
}

std::shared_ptr<ExpressionRunner> runner_of(const std::string& name, const std::string& flags) {
  Runners& all = runners();
  const std::lock_guard<ProcessMutex> lock(all.mutex);
  std::shared_ptr<ExpressionRunner>& runner = all.known[name + ' ' + flags];
  if (runner == nullptr) {
    const std::string text = expression_of(*expression::function_row(name), flags);
    runner = std::make_shared<ExpressionRunner>(text, "", false, std::vector<std::string>());
  }
  return runner;
}

}  // namespace

bool run_constant_parameters(const std::vector<SharedDevice>& devices, const ElementwiseCall& call, RunReport& report,
                             const CallHooks& hooks) {
  if (!has_constant_parameters(call)) return false;
  if (std::any_of(devices.begin(), devices.end(), [](const SharedDevice& one) { return !one->info().recycles; }))
    return false;
  const std::string name = call.spec.name, flags = flags_of(call);
  if (!has_kernel(name, flags)) return false;
  Stopwatch watch;
  std::vector<ExpressionArgument> arguments(static_cast<std::size_t>(call.spec.n_real));
  for (std::size_t k = 0; k < arguments.size(); ++k) arguments[k].column.column = call.columns[k];
  CallHooks asking = hooks;
  asking.arrived = nullptr;
  const bool done = runner_of(name, flags)->run_elements(devices, arguments, call.out, report, asking);
  report.function = name;
  if (done) report.total = watch.lap();
  return done;
}

}  // namespace openclPort
