// expression_runner -- runs an R function given as text: compiles one kernel for each argument layout that it meets.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/process_mutex.h"
#include "engine/fused.h"
#include "expression/argument_layout.h"
#include "expression/graph.h"
#include "expression/syntax.h"
#include "expression/writer.h"

namespace openclPort {

struct ExpressionVariant;
class ExpressionResults;

// An argument of a call: a column, of doubles or of integers that stand for integers or logicals, in host memory or,
// if it is longer than one, on the call's device.
struct ExpressionArgument {
  FusedColumn column;
  bool logical = false;
  bool matrix = false;  // by columns
  std::size_t rows = 0, columns = 0;
};

// Not thread-safe, unless a member says so.
class ExpressionRunner {
 public:
  // `function`: "function(x, a) dgamma(x, a, log = TRUE)"; `reduce`: a reduction's name, "" for none; `gradient`: names
  // of arguments, only of sums and means. Throws NmathError.
  ExpressionRunner(const std::string& function, const std::string& reduce, bool na_rm,
                   const std::vector<std::string>& gradient);
  ~ExpressionRunner();

  std::size_t arguments() const;

  // Numbers that a call gives.
  struct Size {
    std::size_t values = 0, gradient = 0;
  };
  Size size(const std::vector<ExpressionArgument>& arguments);

  // `values` and `gradient` have room for as many. A gradient has a number for each argument of length one that it was
  // asked for, and of coefficients one for each.
  void run(const SharedDevice& device, const std::vector<ExpressionArgument>& arguments, double* values,
           double* gradient, RunReport& report, const CallHooks& hooks = {});

  // The elements of a function without reduction, on several devices, by the kernel that assumes ordinary values. False
  // where they are too few for it, or it has met others: the values are of no use then. Thread-safe.
  bool run_elements(const std::vector<SharedDevice>& devices, const std::vector<ExpressionArgument>& arguments,
                    double* values, RunReport& report, const CallHooks& hooks);

 private:
  struct Given;  // what is known of a call's arguments
  Given read(const std::vector<ExpressionArgument>& arguments) const;
  ExpressionVariant& variant(const Given& given, bool general);
  std::unique_ptr<ExpressionVariant> make_variant(const Given& given, bool general) const;
  FusedCall call_of(const ExpressionVariant& variant, const Given& given) const;
  void finish(const ExpressionVariant& variant, const ExpressionResults& results, std::size_t n, const Given& given,
              double* values, double* gradient) const;

  std::shared_ptr<expression::Function> function_;
  const expression::Reduction reduce_;
  const bool na_rm_;
  std::vector<int> gradient_;  // numbers of arguments, from 1
  std::map<std::string, std::vector<std::unique_ptr<ExpressionVariant>>> known_;
  ProcessMutex mutex_;               // of run_elements(): guards the kernels
  std::deque<std::string> layouts_;  // keys of `known_`, the first seen first
};

}  // namespace openclPort
