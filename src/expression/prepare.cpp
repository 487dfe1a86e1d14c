// prepare -- converts a kernel's text and graph to the description that the engine runs.
#include "expression/prepare.h"

#include <algorithm>
#include <map>

namespace openclPort::expression {

namespace {

constexpr int kWholeScalar = 10;

const std::map<std::string, int>& item_codes() {
  static const std::map<std::string, int> codes = {
      {"column", 1},       {"offset", 2},      {"stride", 3},      {"output", 4},  {"out_offset", 5},
      {"flags", 6},        {"first", 7},       {"len", 8},         {"scalar", 9},  {"length", 11},
      {"seed", 12},        {"order", 13},      {"starts", 14},     {"blocks", 15}, {"block", 16},
      {"local", 17},       {"room", 18},       {"alone", 19},      {"points", 20}, {"numbers", 21},
      {"first_point", 22}, {"last_point", 23}, {"all_blocks", 24}, {"place", 11},  {"scores", 25}};
  return codes;
}

const std::map<std::string, int>& output_codes() {
  static const std::map<std::string, int> codes = {{"double", 1}, {"integer", 2}, {"logical", 3}, {"long", 4}};
  return codes;
}

int role_code(Role role) { return role == Role::full ? 1 : role == Role::whole ? 2 : 3; }

int cost_code(const std::string& cost) {
  const std::vector<std::string> costs = {"cheap", "moderate", "heavy", "slow"};
  return static_cast<int>(std::find(costs.begin(), costs.end(), cost) - costs.begin());
}

}  // namespace

const char* const kElementKernel = "nmath_fused";
const char* const kRecursionKernel = "nmath_rounds";
const char* const kScoreKernel = "nmath_scores";
const char* const kJoinKernel = "nmath_join";
const char* const kGroupJoinKernel = "nmath_groups";

const char* c_output_type(const std::string& type) {
  return type == "double" ? "double" : type == "long" ? "nmath_i64" : "int";
}

KernelPlan kernel_plan(const KernelText& text) {
  const int scalars = static_cast<int>(text.scalars.size()), lengths = static_cast<int>(text.lengths.size());
  KernelPlan plan;
  plan.kernel = kElementKernel;
  plan.reduces = text.joins > 0;
  plan.join = plan.reduces ? kJoinKernel : "";
  plan.joins = text.joins;
  plan.group_join = text.joins_groups ? kGroupJoinKernel : "";
  plan.cost = cost_code(text.cost);
  plan.least = text.least;
  plan.local_forms = text.local_forms;
  plan.tables = text.tables;
  plan.flags = text.words;
  plan.flag_rules = text.flag_rules;
  plan.points_alone = text.points_alone;
  plan.points_shared = text.points_shared;
  plan.point_fours = text.point_fours;
  plan.point_row_numbers = text.point_row_numbers;
  plan.matrix_fours = text.matrix_fours;
  plan.matrix_numbers = text.matrix_numbers;
  plan.slices = text.slices;
  plan.wide = text.wide;
  plan.wide_numbers = text.wide_numbers;
  plan.scalars = scalars + lengths + 2 * static_cast<int>(text.seeds.size()) + static_cast<int>(text.over.size());
  for (const TextItem& item : text.items) {
    const bool whole =
        item.kind == "scalar" && text.scalar_types[static_cast<std::size_t>(item.number) - 1] != Type::real;
    int index = item.number - 1;
    if (item.kind == "length") index += scalars;
    if (item.kind == "place") index += scalars + lengths;
    if (item.kind == "seed") index = 2 * index + scalars + lengths;
    plan.items.push_back(whole ? kWholeScalar : item_codes().at(item.kind));
    plan.index.push_back(std::max(index, 0));
  }
  for (const TextColumn& column : text.columns) plan.roles.push_back(role_code(column.role));
  for (const OutputPart& part : text.outputs) {
    plan.outputs.push_back(output_codes().at(part.type));
    if (!plan.reduces) continue;
    plan.widths.push_back(part.width > 0 ? part.width + scalars - 1 : -1);
    plan.bundles.push_back(part.bundle);
    plan.each += part.each;
  }
  return plan;
}

}  // namespace openclPort::expression
