// c_expression -- an expression in C of columns of doubles, as one elementwise kernel.
#include "engine/c_expression.h"

#include <algorithm>
#include <set>

#include "base/nmath_error.h"
#include "base/text.h"
#include "device/functions.h"
#include "engine/expression_variant.h"
#include "loader/c_tokens.h"
#include "loader/kernel_loader.h"

namespace openclPort {

namespace {

using Kind = FusedItem::Kind;

const char kKernel[] = "nmath_expression";

// Element i of the launch, see engine/fused.h.
const char kLoop[] =
    "#ifdef NMATH_SPANS\n"
    "#define NMATH_EACH(i) const int span = (len - 1) / (int)get_global_size(0) + 1; \\\n"
    "    const int from = (int)get_global_id(0) * span; for (int i = from; i < len && i - from < span; ++i)\n"
    "#else\n"
    "#define NMATH_EACH(i) for (int i = get_global_id(0); i < len; i += get_global_size(0))\n"
    "#endif\n";

bool is_name(const std::string& text) {
  return !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), is_word);
}

std::vector<std::string> split_names(const std::string& arguments) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= arguments.size();) {
    const std::size_t end = std::min(arguments.find(',', begin), arguments.size());
    names.push_back(trimmed(arguments.substr(begin, end - begin)));
    begin = end + 1;
  }
  for (const std::string& name : names)
    if (!is_name(name) || std::count(names.begin(), names.end(), name) > 1)
      throw NmathError("the arguments of an expression must be different names of C, not '" + arguments + "'");
  return names;
}

Cost cost_of(const std::string& text) {
  const std::set<std::string> called = called_names(text);
  Cost cost = Cost::cheap;
  for (const KernelSpec& spec : kernel_registry())
    if (called.count(spec.name) > 0) cost = std::max(cost, spec.cost);
  return cost;
}

}  // namespace

CExpression::CExpression(const std::string& arguments, const std::string& text)
    : names_(split_names(arguments)), text_(trimmed(text, " \t\r\n")), cost_(cost_of(text)) {
  if (text_.empty()) throw NmathError("the text of an expression is empty");
}

// A NaN of a missing argument is NA.
std::string CExpression::program(const std::vector<bool>& scalar) const {
  std::string columns, values, offsets, parameters, elements, missing;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    const std::string& name = names_[k];
    const std::string number = std::to_string(k);
    const std::string element = scalar[k] ? "s" + number : "c" + number + "[i + off" + number + "]";
    const char* const comma = k > 0 ? ", " : "";
    parameters += comma + ("double " + name);
    elements += comma + element;
    missing += (k > 0 ? " || " : "") + ("expr_is_na(" + element + ")");
    if (scalar[k]) {
      values += ", const double s" + number;
    } else {
      columns += "__global const double* c" + number + ", ";
      offsets += ", const nmath_i64 off" + number;
    }
  }
  return load_kernel_source("expression/arithmetic.cl") + kLoop + "#line 1 \"the expression\"\n" +
         "NMATH_FN double nmath_expression_value(" + parameters + ") { return " + text_ + "; }\n" + "__kernel void " +
         kKernel + "(" + columns + "__global double* out, const nmath_i64 shift, const int len" + values + offsets +
         ")\n{\n    NMATH_EACH(i) {\n        const double r = nmath_expression_value(" + elements +
         ");\n        out[i + shift] = isnan(r) && (" + missing + ") ? NMATH_NA_REAL : r;\n    }\n}\n";
}

FusedKernel& CExpression::kernel(const std::vector<bool>& scalar) {
  std::unique_ptr<FusedKernel>& kernel = kernels_[scalar];
  if (kernel != nullptr) return *kernel;
  FusedSpec spec;
  spec.function = "expression";
  spec.program = {"", [this, scalar] { return expression_program(program(scalar)); }, ""};
  spec.kernel = kKernel;
  spec.cost = cost_;
  std::vector<FusedItem> values, offsets;
  for (const bool by_value : scalar) {
    if (by_value) {
      values.push_back({Kind::f64, spec.scalars++});
    } else {
      const unsigned column = static_cast<unsigned>(spec.roles.size());
      spec.items.push_back({Kind::column, column});
      offsets.push_back({Kind::offset, column});
      spec.roles.push_back(FusedRole::full);
    }
  }
  spec.items.insert(spec.items.end(), {{Kind::output, 0}, {Kind::out_offset, 0}, {Kind::len, 0}});
  spec.items.insert(spec.items.end(), values.begin(), values.end());
  spec.items.insert(spec.items.end(), offsets.begin(), offsets.end());
  spec.outputs = {ElementType::f64};
  kernel = std::make_unique<FusedKernel>(std::move(spec));
  return *kernel;
}

}  // namespace openclPort
