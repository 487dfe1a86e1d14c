// kernel_calls -- finds in the text of a kernel which names of a library it uses.
#include "loader/kernel_calls.h"

#include <set>

#include "base/text.h"

namespace openclPort {

namespace {

using Kind = CDefinition::Kind;

// How much a file says of a name: 2 where it defines it, 1 where it declares it, 0 where the tag alone has it.
int evidence(const COutline& outline, const std::string& name) {
  return outline.find(name) ? 2 : outline.declared.count(name) ? 1 : 0;
}

bool is_called(const COutline& outline, const std::string& name) {
  const CDefinition* definition = outline.find(name);
  return !definition || definition->kind == Kind::function || definition->kind == Kind::call_macro;
}

}  // namespace

std::map<std::string, ProvidedName> provided_by(const std::vector<LibraryFile>& files) {
  std::map<std::string, ProvidedName> provided;
  std::map<std::string, int> best;
  for (const LibraryFile& file : files) {
    const std::vector<std::string> names = file.tags.list("provides");
    if (names.empty()) continue;
    const COutline outline = c_outline(file.text);
    for (const std::string& name : names) {
      const int found = evidence(outline, name);
      const auto known = best.find(name);
      if (known != best.end() && known->second >= found) continue;
      best[name] = found;
      provided[name] = {file.stem, is_called(outline, name)};
    }
  }
  return provided;
}

std::map<std::string, std::size_t> names_used(const COutline& text,
                                              const std::map<std::string, ProvidedName>& provided) {
  std::map<std::string, std::size_t> used;
  for (const auto& use : text.uses) {
    const auto found = provided.find(use.first);
    if (found == provided.end() || text.find(use.first)) continue;
    const std::size_t line = found->second.called ? use.second.call : text.local.count(use.first) ? 0 : use.second.line;
    if (line > 0) used[use.first] = line;
  }
  return used;
}

bool is_opencl_builtin(const std::string& name) {
  static const char* const kFamilies[] = {"get_global_", "get_local_",        "atomic_",    "atom_",      "vload",
                                          "vstore",      "async_work_group_", "native_",    "half_",      "convert_",
                                          "as_",         "shuffle",           "read_image", "write_image"};
  static const std::set<std::string> kNames = {"get_work_dim",
                                               "get_num_groups",
                                               "get_group_id",
                                               "get_enqueued_local_size",
                                               "barrier",
                                               "mem_fence",
                                               "read_mem_fence",
                                               "write_mem_fence",
                                               "work_group_barrier",
                                               "wait_group_events",
                                               "prefetch",
                                               "printf",
                                               "select",
                                               "mad",
                                               "mad24",
                                               "mul24",
                                               "mul_hi",
                                               "mad_hi",
                                               "clz",
                                               "popcount",
                                               "rotate",
                                               "bitselect",
                                               "isgreater",
                                               "acospi",
                                               "asinpi",
                                               "atanpi",
                                               "atan2pi",
                                               "cospi",
                                               "sinpi",
                                               "tanpi",
                                               "lgamma",
                                               "lgamma_r",
                                               "tgamma",
                                               "erf",
                                               "erfc",
                                               "expm1",
                                               "log1p",
                                               "exp10",
                                               "exp2",
                                               "log2",
                                               "pown",
                                               "powr",
                                               "rootn",
                                               "rsqrt",
                                               "cbrt",
                                               "hypot",
                                               "sincos",
                                               "remquo",
                                               "nan",
                                               "nextafter",
                                               "maxmag",
                                               "minmag",
                                               "dot",
                                               "cross",
                                               "length",
                                               "distance",
                                               "normalize",
                                               "mix",
                                               "step",
                                               "smoothstep",
                                               "degrees",
                                               "radians",
                                               "clamp"};
  for (const char* family : kFamilies)
    if (starts_with(name, family)) return true;
  return kNames.count(name) > 0;
}

bool is_opencl_function(const std::string& name) {
  static const std::set<std::string> kMathematics = {
      "acos",     "acosh",   "asin",  "asinh", "atan",  "atan2", "atanh", "ceil",  "copysign",  "cos",
      "cosh",     "exp",     "fabs",  "fdim",  "floor", "fma",   "fmax",  "fmin",  "fmod",      "fract",
      "frexp",    "ilogb",   "ldexp", "log",   "log10", "logb",  "modf",  "pow",   "remainder", "rint",
      "round",    "sin",     "sinh",  "sqrt",  "tan",   "tanh",  "trunc", "isnan", "isinf",     "isfinite",
      "isnormal", "signbit", "sign",  "abs",   "min",   "max"};
  return kMathematics.count(name) > 0 || is_opencl_builtin(name);
}

}  // namespace openclPort
