// builtins -- the functions of OpenCL C that a translated text may call.
#include "pair/builtins.h"

#include <cfloat>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>

namespace openclPort::pair {

namespace {

const Builtin kBuiltins[] = {
    {"acos", "pair_acos", "d", 'd'},
    {"acosh", "pair_acosh", "d", 'd'},
    {"as_double", "pair_of_bits", "u", 'd'},
    {"as_long", "pair_bits", "d", 'u'},
    {"as_ulong", "pair_bits", "d", 'u'},
    {"asin", "pair_asin", "d", 'd'},
    {"asinh", "pair_asinh", "d", 'd'},
    {"atan", "pair_atan", "d", 'd'},
    {"atan2", "pair_atan2", "dd", 'd'},
    {"atanh", "pair_atanh", "d", 'd'},
    {"cbrt", "pair_cbrt", "d", 'd'},
    {"ceil", "pair_ceil", "d", 'd'},
    {"copysign", "pair_copysign", "dd", 'd'},
    {"cos", "pair_cos", "d", 'd'},
    {"cosh", "pair_cosh", "d", 'd'},
    {"cospi", "pair_cospi", "d", 'd'},
    {"exp", "pair_exp", "d", 'd'},
    {"exp10", "pair_exp10", "d", 'd'},
    {"exp2", "pair_exp2", "d", 'd'},
    {"expm1", "pair_expm1", "d", 'd'},
    {"fabs", "pair_fabs", "d", 'd'},
    {"floor", "pair_floor", "d", 'd'},
    {"fma", "pair_fma", "ddd", 'd'},
    {"fmax", "pair_fmax", "dd", 'd'},
    {"fmin", "pair_fmin", "dd", 'd'},
    {"fmod", "pair_fmod", "dd", 'd'},
    {"frexp", "pair_frexp", "dp", 'd'},
    {"hypot", "pair_hypot", "dd", 'd'},
    {"isfinite", "pair_isfinite", "d", 'i'},
    {"isinf", "pair_isinf", "d", 'i'},
    {"isnan", "pair_isnan", "d", 'i'},
    {"isnormal", "pair_isnormal", "d", 'i'},
    {"ldexp", "pair_ldexp", "di", 'd'},
    {"log", "pair_log", "d", 'd'},
    {"log10", "pair_log10", "d", 'd'},
    {"log1p", "pair_log1p", "d", 'd'},
    {"log2", "pair_log2", "d", 'd'},
    {"mad", "pair_mad", "ddd", 'd'},
    {"max", "pair_fmax", "dd", 'd'},
    {"min", "pair_fmin", "dd", 'd'},
    {"modf", "pair_modf", "dq", 'd'},
    {"pow", "pair_pow", "dd", 'd'},
    {"rint", "pair_rint", "d", 'd'},
    {"round", "pair_round", "d", 'd'},
    {"signbit", "pair_signbit", "d", 'i'},
    {"sin", "pair_sin", "d", 'd'},
    {"sincos", "pair_sincos", "dq", 'd'},
    {"sinh", "pair_sinh", "d", 'd'},
    {"sinpi", "pair_sinpi", "d", 'd'},
    {"sqrt", "pair_sqrt", "d", 'd'},
    {"tan", "pair_tan", "d", 'd'},
    {"tanh", "pair_tanh", "d", 'd'},
    {"tanpi", "pair_tanpi", "d", 'd'},
    {"trunc", "pair_trunc", "d", 'd'},
};

bool begins(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

}  // namespace

const Builtin* number_builtin(std::string_view name) {
  static const auto* const kKnown = [] {
    auto* known = new std::unordered_map<std::string_view, const Builtin*>();
    for (const Builtin& builtin : kBuiltins) (*known)[builtin.name] = &builtin;
    return known;
  }();
  const auto found = kKnown->find(name);
  return found == kKnown->end() ? nullptr : found->second;
}

const Type* other_builtin(std::string_view name, const Type* common, const Types& types) {
  for (const char* id : {"get_global_", "get_local_", "get_group_", "get_num_groups"})
    if (begins(name, id)) return types.integer(8, false);
  for (const char* barrier :
       {"barrier", "work_group_barrier", "mem_fence", "read_mem_fence", "write_mem_fence", "prefetch"})
    if (name == barrier) return types.none();
  for (const char* same : {"abs_diff", "rotate", "clz", "popcount", "hadd", "rhadd", "add_sat", "sub_sat", "mul_hi",
                           "mad_hi", "mul24", "mad24", "clamp", "select", "abs", "mad", "mix", "sign"})
    if (name == same) return types.promoted(common);
  if (begins(name, "atomic_") || begins(name, "atom_")) return common;
  if (begins(name, "native_") || begins(name, "half_")) return types.single();
  if (name == "get_work_dim" || name == "as_uint" || name == "convert_uint") return types.integer(4, false);
  if (name == "as_int" || name == "convert_int" || name == "printf" || name == "any" || name == "all" ||
      name == "NMATH_STOPPED")  // of the host device
    return types.integer(4, true);
  if (name == "convert_long") return types.integer(8, true);
  if (name == "convert_ulong") return types.integer(8, false);
  if (name == "as_float" || name == "convert_float") return types.single();
  if (name == "memcpy" || name == "memset") return types.none();
  // C's functions of floats
  if (name.size() > 1 && name.back() == 'f' && number_builtin(name.substr(0, name.size() - 1)) != nullptr)
    return types.single();
  return nullptr;
}

bool named_number(std::string_view name, double* value, bool* single) {
  *single = true;
  if (name == "INFINITY" || name == "HUGE_VALF") {
    *value = std::numeric_limits<double>::infinity();
  } else if (name == "NAN") {
    *value = std::numeric_limits<double>::quiet_NaN();
  } else if (name == "FLT_MAX" || name == "MAXFLOAT") {
    *value = FLT_MAX;
  } else if (name == "FLT_MIN") {
    *value = FLT_MIN;
  } else if (name == "FLT_EPSILON") {
    *value = FLT_EPSILON;
  } else {
    *single = false;
    if (name == "HUGE_VAL")
      *value = std::numeric_limits<double>::infinity();
    else if (name == "DBL_MAX")
      *value = FLT_MAX;
    else if (name == "DBL_MIN")
      *value = FLT_MIN;
    else if (name == "DBL_EPSILON")
      *value = std::ldexp(1.0, -47);
    else if (name == "M_PI")
      *value = 3.14159265358979323846;
    else if (name == "M_E")
      *value = 2.71828182845904523536;
    else if (name == "M_LN2")
      *value = 0.69314718055994530942;
    else if (name == "M_LN10")
      *value = 2.30258509299404568402;
    else if (name == "M_SQRT2")
      *value = 1.41421356237309504880;
    else if (name == "M_PI_2")
      *value = 1.57079632679489661923;
    else
      return false;
  }
  return true;
}

}  // namespace openclPort::pair
