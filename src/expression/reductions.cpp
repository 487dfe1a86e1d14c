// reductions -- the table of reductions. A new one is a row, and a state where it keeps what none of the others does.
#include "expression/reductions.h"

namespace openclPort {
namespace expression {

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

const ReductionWay kLongSumWay = {&kLongState, "0", "%1 + %2", "%1 + %2"};
const ReductionWay kSumWay = {&kSumState, "{0.0, 0.0}", "expr_sum_add(%1, %2)", "%1 + %2"};
const ReductionWay kProductWay = {&kProductState, "{1.0, 0.0}", "expr_product_add(%1, %2)",
                                  "expr_product_join(%1, %2)"};
const ReductionWay kLogSumWay = {&kLogSumState, "{-INFINITY, 0.0}", "expr_lse_add(%1, %2)", "expr_lse_join(%1, %2)"};
const ReductionWay kLeastWay = {&kExtremeState, "INFINITY", "expr_least(%1, %2)", "expr_least(%1, %2)"};
const ReductionWay kLargestWay = {&kExtremeState, "(-INFINITY)", "expr_largest(%1, %2)", "expr_largest(%1, %2)"};
const ReductionWay kAnyWay = {&kFoundState, "0", "%1 | (%2 != 0)", "%1 | %2"};
const ReductionWay kAllWay = {&kFoundState, "0", "%1 | (%2 == 0)", "%1 | %2"};  // finds what is FALSE

}  // namespace

const std::vector<ReductionRow>& reduction_rows() {
  static const std::vector<ReductionRow> rows = {
      {Reduction::sum, "sum", Reduced::given, true, &kSumWay, &kLongSumWay},
      {Reduction::mean, "mean", Reduced::real, true, &kSumWay, &kLongSumWay},
      {Reduction::min, "min", Reduced::given, false, &kLeastWay, &kLeastWay},
      {Reduction::max, "max", Reduced::given, false, &kLargestWay, &kLargestWay},
      {Reduction::prod, "prod", Reduced::real, true, &kProductWay, &kProductWay},
      {Reduction::logsumexp, "logsumexp", Reduced::real, true, &kLogSumWay, &kLogSumWay},
      {Reduction::any, "any", Reduced::logical, false, &kAnyWay, &kAnyWay},
      {Reduction::all, "all", Reduced::logical, false, &kAllWay, &kAllWay}};
  return rows;
}

const ReductionRow& reduction_row(Reduction op) {
  const std::vector<ReductionRow>& rows = reduction_rows();
  for (const ReductionRow& row : rows)
    if (row.op == op) return row;
  return rows.front();
}

const ReductionWay& reduction_way(Reduction op, Type type) {
  const ReductionRow& row = reduction_row(op);
  return type == Type::real ? *row.real : *row.whole;
}

Reduction reduction_named(const std::string& name) {
  for (const ReductionRow& row : reduction_rows())
    if (name == row.name) return row.op;
  return Reduction::none;
}

Type reduced_type(Reduction op, Type type) {
  const Reduced takes = reduction_row(op).takes;
  return takes == Reduced::logical ? Type::logical : takes == Reduced::real ? Type::real : type;
}

}  // namespace expression
}  // namespace openclPort
