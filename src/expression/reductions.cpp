// reductions -- reads inst/spec/reductions.tsv, and has the states that its rows name.
#include "expression/reductions.h"

#include "base/nmath_error.h"
#include "expression/tables.h"

namespace openclPort::expression {

const Reduction Reduction::none = {""};
const Reduction Reduction::sum = {"sum"};
const Reduction Reduction::mean = {"mean"};

namespace {

constexpr const char* kRealResult = "%1 & 2 ? NMATH_NA_REAL : %2";
constexpr const char* kTakePair = "const %6 x = {%3, %4}; if (isnan(x.m)) %2 |= expr_is_na(x.m) ? 2 : 1; %1 = %5;";

ReductionState pair_state(const char* type) {
  return {type, {"double", "double"}, Held::doubles, ".m", "%1.m", kRealResult, kTakePair, nullptr};
}

// Whole numbers, added exactly.
const ReductionState kLongState = {
    "nmath_i64",
    {"long"},
    Held::own,
    "",
    "%1",
    "%1 & 2 ? (-9223372036854775807L - 1L) : %2",
    "const nmath_i64 x = %3; if (x == (-9223372036854775807L - 1L)) %2 |= 2; else %1 += x;",
    nullptr};

const ReductionState kSumState = {"expr_sum",
                                  {"double"},
                                  Held::doubles,
                                  ".s",
                                  "expr_sum_value(%1)",
                                  kRealResult,
                                  "const double x = %3; if (isnan(x)) %2 |= expr_is_na(x) ? 2 : 1; %1 = %5;",
                                  nullptr};

const ReductionState kProductState = pair_state("expr_product");
const ReductionState kLogSumState = pair_state("expr_lse");

const ReductionState kExtremeState = {"double",
                                      {"double"},
                                      Held::doubles,
                                      "",
                                      "%1",
                                      "%1 & 2 ? NMATH_NA_REAL : %1 ? NAN : %2",
                                      "const double x = %3; if (isnan(x)) %2 |= expr_is_na(x) ? 2 : 1; else %1 = %5;",
                                      "const double x = %3; if (!isnan(x)) { %1 = %5; %2 |= 4; }"};

// Bit 1 of the part: there was one. Bit 2: there was an NA.
const ReductionState kFoundState = {
    "int",  {"integer"}, Held::own, "", "%1", "%2 | (%1 ? 2 : 0)", "const int x = %3; %1 |= x & 1; if (x & 2) %2 |= 2;",
    nullptr};

struct NamedState {
  const char* name;
  const ReductionState* state;
};
const NamedState kStates[] = {{"sum", &kSumState},       {"long", &kLongState},       {"product", &kProductState},
                              {"logsum", &kLogSumState}, {"extreme", &kExtremeState}, {"found", &kFoundState}};

TypedReduction typed_of(const Row& row, const std::string& prefix) {
  for (const NamedState& one : kStates)
    if (row.at(prefix + "state") == one.name)
      return {one.state, row.at(prefix + "start"), row.at(prefix + "add"), row.at(prefix + "join"),
              row.at("take").empty() ? row.at(prefix + "add") : row.at("take")};
  throw NmathError("reductions.tsv: there is no state '" + row.at(prefix + "state") + "'", "expression");
}

ReductionRow row_of(const Row& row) {
  const std::string& takes = row.at("takes");
  return {row.at("name"),
          takes == "logical" ? Reduced::logical
          : takes == "real"  ? Reduced::real
                             : Reduced::given,
          row.at("passes_nan") == "yes", typed_of(row, ""), typed_of(row, "whole_")};
}

}  // namespace

const std::vector<ReductionRow>& reduction_rows() {
  static const std::vector<ReductionRow> rows = [] {
    std::vector<ReductionRow> made;
    for (const Row& row : reduction_table()) made.push_back(row_of(row));
    return made;
  }();
  return rows;
}

const ReductionRow& reduction_row(const Reduction& op) {
  for (const ReductionRow& row : reduction_rows())
    if (row.name == op.name) return row;
  throw NmathError("there is no reduction '" + op.name + "'", "expression");
}

const TypedReduction& typed_reduction(const Reduction& op, Type type) {
  const ReductionRow& row = reduction_row(op);
  return type == Type::real ? row.real : row.whole;
}

Reduction reduction_named(const std::string& name) {
  for (const ReductionRow& row : reduction_rows())
    if (name == row.name) return {name};
  return Reduction::none;
}

Type reduced_type(const Reduction& op, Type type) {
  const Reduced takes = reduction_row(op).takes;
  return takes == Reduced::logical ? Type::logical : takes == Reduced::real ? Type::real : type;
}

}  // namespace openclPort::expression
