// score_tables -- builds every program on one device and scores every function against its reference table.
//
//   score_tables ROOT DEVICE    ROOT: the source tree; DEVICE: as `device =` in R ("host", "gpu", "opencl", a name)
//
// The environment variable NMATH_ONLY (names with commas) restricts the functions. Prints a TSV: function, rows,
// failing rows, worst error in units of 2^-52 (1 + condition number), seconds of the first call on one element: program
// assembled, built and run (drivers may build as late as at the first run). Exits 1 if a row fails or a program does
// not build. It needs neither R nor Rcpp.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "base/nmath_error.h"
#include "device/device_selection.h"
#include "engine/elementwise.h"
#include "glm/ex_glmbayes_opencl.h"
#include "loader/kernel_loader.h"
#include "reference_tables.h"

namespace {

using namespace reference_tables;

// Worst error in units of 2^-52 (1 + cond) and the number of rows beyond 8, as tests/testthat/helper-reference.R.
struct Score {
  std::size_t rows = 0, failing = 0;
  double worst = 0;
};

void score_row(double value, double ref, double cond, Score& score) {
  const double eps = std::ldexp(1.0, -52);
  bool fails = false;
  if (std::isnan(ref) || std::isnan(value)) {
    fails = std::isnan(ref) != std::isnan(value);
  } else if (std::isinf(ref)) {
    fails = value != ref;
  } else {
    const double slack = std::fabs(ref) < 0x1p-1022 ? 4 * 0x1p-1074 : 0;
    fails = !(std::fabs(value - ref) <= 8 * eps * (1 + cond) * std::fabs(ref) + slack);
    if (slack == 0 && ref != 0)
      score.worst = std::fmax(score.worst, std::fabs(value - ref) / std::fabs(ref) / (eps * (1 + cond)));
  }
  ++score.rows;
  score.failing += fails;
}

// Runs the rows of a table, one call per combination of flags. arguments: "q, df", as functions.tsv has them, in C's
// order; a name that the table does not have stands for the column at that place.
Score score_table(const std::string& device, const openclPort::KernelSpec& spec, const std::string& arguments,
                  const Table& table) {
  static const char* const flag_names[] = {"log", "lower.tail", "log.p"};
  std::vector<int> flags, reals;
  for (const char* name : flag_names)
    if (table.column(name) >= 0) flags.push_back(table.column(name));
  std::stringstream names(arguments);
  for (int k = 0; k < spec.n_real; ++k) {
    std::string name;
    std::getline(names >> std::ws, name, ',');
    reals.push_back(table.column(name) >= 0 ? table.column(name) : k);
  }
  std::map<Row, std::vector<const Row*>> groups;
  for (const Row& row : table.rows) {
    Row key;
    for (int f : flags) key.push_back(row[f]);
    groups[key].push_back(&row);
  }
  const int ref = table.column("ref"), cond = table.column("cond");
  Score score;
  for (const auto& group : groups) {
    const std::size_t n = group.second.size();
    std::vector<std::vector<double>> numbers(reals.size(), std::vector<double>(n));
    std::vector<int> switches;
    for (const std::string& text : group.first) switches.push_back(std::atoi(text.c_str()));
    std::vector<openclPort::Column> columns;
    for (std::size_t k = 0; k < reals.size(); ++k) {
      for (std::size_t i = 0; i < n; ++i) numbers[k][i] = std::strtod((*group.second[i])[reals[k]].c_str(), nullptr);
      columns.push_back({numbers[k].data(), n, openclPort::Column::Type::f64});
    }
    for (int& flag : switches) columns.push_back({&flag, 1, openclPort::Column::Type::i32});
    std::vector<double> out(n);
    openclPort::RunReport report;
    openclPort::run_elementwise(device, spec, columns, n, out.data(), report);
    for (std::size_t i = 0; i < n; ++i)
      score_row(out[i], std::strtod((*group.second[i])[ref].c_str(), nullptr),
                cond < 0 ? 0 : std::strtod((*group.second[i])[cond].c_str(), nullptr), score);
  }
  return score;
}

// NMATH_ONLY=dnorm,bd0
bool wanted(const std::string& name) {
  const char* only = std::getenv("NMATH_ONLY");
  return only == nullptr || ("," + std::string(only) + ",").find("," + name + ",") != std::string::npos;
}

// The first call of a function, on one element.
double first_call_seconds(const std::string& device, const openclPort::KernelSpec& spec) {
  const double one = 1;
  const int no = 0;
  std::vector<openclPort::Column> columns(spec.n_real, {&one, 1, openclPort::Column::Type::f64});
  columns.resize(spec.n_real + spec.n_flags, {&no, 1, openclPort::Column::Type::i32});
  double out;
  openclPort::RunReport report;
  openclPort::run_elementwise(device, spec, columns, 1, &out, report);
  return report.total;
}

double glm_first_call_seconds(const std::string& device, const ex_glmbayes::opencl::GlmKernelSpec& spec) {
  const double x = 0.5, wt = 1;
  double qf, grad;
  const ex_glmbayes::opencl::GlmProblem problem{&x, &x, &x, &wt, &x, &x, &wt, &qf, &grad, 1, 1, 1};
  openclPort::RunReport report;
  ex_glmbayes::opencl::run_f2_f3(device, spec, problem, report, {});
  return report.total;
}

int run(const std::string& root, const std::string& device) {
  openclPort::set_cl_root("nmathopencl", root + "/inst/cl");
  const auto chosen = openclPort::select_device(device);
  std::cerr << "device: " << chosen.name;
  if (!chosen.platform_name.empty()) std::cerr << " (" << chosen.platform_name << ", " << chosen.driver_version << ")";
  std::cerr << "\n";
  Table functions;
  if (!read_table(root + "/inst/spec/functions.tsv", functions))
    throw openclPort::NmathError("no functions.tsv in " + root);
  const int name = functions.column("name"), table_name = functions.column("table"),
            arguments = functions.column("columns");
  std::size_t failures = 0;
  double slowest = 0;
  std::printf("function\trows\tfail\tworst\tfirst_call_s\n");
  for (const Row& row : functions.rows) {
    if (!wanted(row[name])) continue;
    const openclPort::KernelSpec& spec = openclPort::find_kernel_spec(row[name]);
    if (spec.kind == openclPort::KernelKind::cells) continue;  // a matrix is not made element by element
    const double seconds = first_call_seconds(device, spec);
    Score score;
    Table table;
    if (!row[table_name].empty()) {
      if (!read_table(root + "/tests/testthat/ref/" + row[table_name] + ".tsv", table))
        throw openclPort::NmathError("no table for " + row[name]);
      score = score_table(device, spec, row[arguments], table);
    }
    std::printf("%s\t%zu\t%zu\t%.3g\t%.2f\n", spec.name, score.rows, score.failing, score.worst, seconds);
    std::fflush(stdout);
    failures += score.failing;
    slowest = std::fmax(slowest, seconds);
  }
  for (const auto& spec : ex_glmbayes::opencl::glm_kernel_registry()) {
    if (!wanted(spec.kernel_name)) continue;
    const double seconds = glm_first_call_seconds(device, spec);
    std::printf("%s\t0\t0\t0\t%.2f\n", spec.kernel_name, seconds);
    slowest = std::fmax(slowest, seconds);
  }
  std::cerr << failures << " failing rows; slowest first call " << slowest << " s\n";
  return failures > 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: score_tables ROOT DEVICE\n";
    return 2;
  }
  try {
    return run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::cerr << "score_tables: " << error.what() << "\n";
    return 1;
  }
}
