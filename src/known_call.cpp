// known_call -- see known_call.h. Each question is one that run_expression() in R/expression_call.R asks, too; where
// the answer is not the usual one, R goes on.
#include "known_call.h"

#include <cstdlib>
#include <cstring>

#include "base/process_mutex.h"
#include "engine/opencl_kernel_runners.h"
#include "r_handles.h"
#include "resident_object.h"

namespace {

// Symbols are looked up once.
struct Symbols {
  SEXP arithmetic = Rf_install("arithmetic"), arithmetic_option = Rf_install("nmathopencl.arithmetic"),
       called = Rf_install("called"), compiler = Rf_install("nmathopencl.compiler"), compiles = Rf_install("compiles"),
       compiler_found = Rf_install("host_compiler_found"), data = Rf_install("data"), device = Rf_install("device"),
       device_option = Rf_install("nmathopencl.device"), interactive = Rf_install("interactive"),
       keys = Rf_install("keys"), mark = Rf_install("value in data"), option = Rf_install("option"),
       outer = Rf_install("outer"), placed = Rf_install("placed"), plans = Rf_install("plans"),
       process = Rf_install("process"), progress = Rf_install("nmathopencl.progress"), reduce = Rf_install("reduce"),
       session = Rf_install("session"), this_session = Rf_install("expression_session"), staged = Rf_install("staged"),
       state = Rf_install("state"), tell_warning = Rf_install("tell_cache_warning");
};
const Symbols& symbols() {
  static const Symbols all;
  return all;
}

SEXP variable(SEXP environment, SEXP name) {
  SEXP const value = Rf_findVarInFrame(environment, name);
  return value == R_UnboundValue ? R_NilValue : TYPEOF(value) == PROMSXP ? Rf_eval(value, environment) : value;
}

// This package's namespace, which is there as long as this code is.
SEXP own_namespace() {
  static SEXP found = nullptr;
  if (found != nullptr) return found;
  SEXP const name = PROTECT(Rf_mkString("nmathopencl"));
  found = R_FindNamespace(name);
  UNPROTECT(1);
  return found;
}

bool is_switch(SEXP x, bool& value) {
  if (TYPEOF(x) != LGLSXP || Rf_xlength(x) != 1 || ATTRIB(x) != R_NilValue || LOGICAL(x)[0] == NA_LOGICAL) return false;
  value = LOGICAL(x)[0] != 0;
  return true;
}

// What R calls by a name, NULL where there is nothing: of a variable of this name, which is none, it looks on.
SEXP function_named(SEXP name, SEXP env) {
  SEXP found = PROTECT(Rf_findVar(Rf_installTrChar(STRING_ELT(name, 0)), env));
  if (TYPEOF(found) == PROMSXP) found = Rf_eval(found, env);
  UNPROTECT(1);
  if (found == R_UnboundValue) return R_NilValue;
  if (Rf_isFunction(found)) return found;
  SEXP const mode = PROTECT(Rf_mkString("function"));
  SEXP const call = PROTECT(Rf_lang4(Rf_install("get0"), name, env, mode));
  found = Rf_eval(call, R_BaseEnv);
  UNPROTECT(2);
  return found;
}

// Whether the names of functions that the body calls stand for the same ones as when the plans were made.
bool calls_the_same(SEXP called) {
  for (R_xlen_t k = 0; k < Rf_xlength(called); ++k) {
    SEXP const one = VECTOR_ELT(called, k);
    SEXP const name = r::element_or_null(one, "name"), env = r::element_or_null(one, "env");
    if (TYPEOF(name) != STRSXP || TYPEOF(env) != ENVSXP) return false;
    if (function_named(name, env) != r::element_or_null(one, "value")) return false;
  }
  return true;
}

// ---- the device

bool is_text(SEXP x, const char* text) {
  return TYPEOF(x) == STRSXP && Rf_xlength(x) == 1 && ATTRIB(x) == R_NilValue && STRING_ELT(x, 0) != NA_STRING &&
         std::strcmp(CHAR(STRING_ELT(x, 0)), text) == 0;
}

// A name, or an index from 0, as resolve_device() has it.
bool plain_device(SEXP x, std::string& device) {
  constexpr double most = 1e5;
  if (ATTRIB(x) != R_NilValue || OBJECT(x) || Rf_xlength(x) != 1) return false;
  if (TYPEOF(x) == STRSXP) {
    if (STRING_ELT(x, 0) == NA_STRING) return false;
    device = CHAR(STRING_ELT(x, 0));
  } else if (TYPEOF(x) == REALSXP || TYPEOF(x) == INTSXP) {
    const double index = TYPEOF(x) == REALSXP ? REAL(x)[0] : INTEGER(x)[0];
    if (!(index >= 0 && index < most && index == static_cast<int>(index))) return false;
    device = std::to_string(static_cast<int>(index));
  } else {
    return false;
  }
  if (device == "0") device = "host";
  return !device.empty();
}

// device_setting() in R/elementwise.R.
bool device_of_setting(std::string& device) {
  SEXP setting = variable(variable(own_namespace(), symbols().state), symbols().device);
  if (setting == R_NilValue) setting = Rf_GetOption1(symbols().device_option);
  if (is_text(setting, "")) {
    device = "auto";
    return true;
  }
  if (setting != R_NilValue) return plain_device(setting, device);
  const char* const text = std::getenv("NMATHOPENCL_DEVICE");
  device = text == nullptr || *text == '\0' ? "auto" : text;
  if (device == "0") device = "host";
  return true;
}

bool resolve(SEXP given, std::string& device) {
  if (variable(variable(own_namespace(), symbols().state), symbols().arithmetic) != R_NilValue ||
      Rf_GetOption1(symbols().arithmetic_option) != R_NilValue)
    return false;  // R says which numbers are asked for
  return is_text(given, "auto") ? device_of_setting(device) : plain_device(given, device);
}

// ---- the compiler

// Whether the host device can compile programs, as host_compiles() in R/host_compiler.R found for this option. False
// where it is to be asked again.
bool known_to_compile(bool& compiles) {
  SEXP const found = variable(own_namespace(), symbols().compiler_found), before = variable(found, symbols().option);
  if (TYPEOF(before) != VECSXP || Rf_xlength(before) != 1) return false;
  SEXP const now = Rf_GetOption1(symbols().compiler);
  constexpr int as_identical = 16;
  if (now != VECTOR_ELT(before, 0) && !R_compute_identical(now, VECTOR_ELT(before, 0), as_identical)) return false;
  return is_switch(variable(found, symbols().compiles), compiles);
}

// Of a call without a compiler: whether it is surely on another device than the host.
bool on_a_device(SEXP inputs) {
  for (R_xlen_t k = 0; k < Rf_xlength(inputs); ++k) {
    if (!resident_object::is(VECTOR_ELT(inputs, k))) continue;
    SEXP const handle = resident_object::field(VECTOR_ELT(inputs, k), resident_object::handle);
    if (!handles::is<handles::Vector>(handle) || R_ExternalPtrAddr(handle) == nullptr) return false;
    const handles::Vector& vector = *static_cast<const handles::Vector*>(R_ExternalPtrAddr(handle));
    return vector.resident != nullptr && vector.resident->device_index() > 0;
  }
  return false;
}

// The device that codes of `by` are resident on. False where there are several, or other vectors are elsewhere.
bool device_of_codes(SEXP by, SEXP inputs, std::string& device) {
  bool pairs = false;
  const auto index_of = [&pairs](SEXP x) {
    SEXP const handle = resident_object::field(x, resident_object::handle);
    if (!handles::is<handles::Vector>(handle) || R_ExternalPtrAddr(handle) == nullptr) return -1;
    const handles::Vector& vector = *static_cast<const handles::Vector*>(R_ExternalPtrAddr(handle));
    if (vector.resident != nullptr) pairs = pairs || vector.resident->computes_with_pairs();
    return vector.resident == nullptr ? -1 : vector.resident->device_index();
  };
  const int index = index_of(by);
  for (R_xlen_t k = 0; k < Rf_xlength(inputs); ++k)
    if (resident_object::is(VECTOR_ELT(inputs, k)) && index_of(VECTOR_ELT(inputs, k)) != index) return false;
  device = index == 0 ? "host" : std::to_string(index);
  return index >= 0 && !pairs;  // R says how
}

// ---- data that were given when the function was made

SEXP element_named(SEXP list, const std::string& name) { return r::element_or_null(list, name.c_str()); }

// placed_before() in R/expression_data.R, into `inputs`, whose marked elements it fills in.
bool take_placed(SEXP data, const std::string& device, SEXP inputs, SEXP mark) {
  if (variable(data, symbols().session) != variable(own_namespace(), symbols().this_session)) return false;
#ifndef _WIN32
  SEXP const process = variable(data, symbols().process);
  if (TYPEOF(process) != INTSXP || INTEGER(process)[0] != static_cast<int>(openclPort::process_id())) return false;
#endif
  SEXP const key = element_named(variable(data, symbols().keys), device);
  if (TYPEOF(key) != STRSXP) return false;
  SEXP const placed = element_named(variable(data, symbols().placed), CHAR(STRING_ELT(key, 0)));
  if (TYPEOF(placed) != VECSXP || Rf_xlength(placed) > Rf_xlength(inputs)) return false;
  for (R_xlen_t k = 0; k < Rf_xlength(placed); ++k) {
    if (VECTOR_ELT(inputs, k) != mark) continue;
    SEXP const there = VECTOR_ELT(placed, k);
    if (TYPEOF(there) != VECSXP) return false;
    SET_VECTOR_ELT(inputs, k, VECTOR_ELT(there, 0));
  }
  return true;
}

void take_values(const GivenCall& given, SEXP inputs, KnownCall& known) {
  for (R_xlen_t k = 0; k < Rf_xlength(given.values); ++k) SET_VECTOR_ELT(inputs, k, VECTOR_ELT(given.values, k));
  known.inputs = inputs;
}

bool place_data(const GivenCall& given, SEXP data, SEXP inputs, KnownCall& known, std::string& device) {
  SEXP const mark = symbols().mark;
  bool marked = false, resident = false;
  for (R_xlen_t k = 0; k < Rf_xlength(given.values); ++k) {
    marked = marked || VECTOR_ELT(given.values, k) == mark;
    resident = resident || resident_object::is(VECTOR_ELT(given.values, k));
  }
  if (!marked) return true;
  if (resident || !resolve(given.device, device)) return false;
  take_values(given, inputs, known);
  return take_placed(data, device, inputs, mark);
}

// ---- variables of environments

// outer_value() in R/expression_call.R.
SEXP outer_value(SEXP input) {
  SEXP const known = r::element_or_null(input, "env"), value = r::element_or_null(input, "value");
  SEXP const env = TYPEOF(known) == ENVSXP ? known : R_BaseEnv;
  if (value != R_NilValue) return Rf_eval(value, env);
  SEXP found = PROTECT(Rf_findVar(Rf_installTrChar(STRING_ELT(r::element_or_null(input, "name"), 0)), env));
  if (TYPEOF(found) == PROMSXP) found = Rf_eval(found, env);
  UNPROTECT(1);
  return found;
}

// Puts them behind the arguments. False where one is not there, or missing.
bool take_outer(const GivenCall& given, SEXP outer, SEXP inputs, KnownCall& known) {
  if (Rf_xlength(outer) == 0) return true;
  const R_xlen_t n = Rf_xlength(given.values);
  if (Rf_xlength(inputs) != n + Rf_xlength(outer)) return false;
  if (known.inputs != inputs) take_values(given, inputs, known);
  for (R_xlen_t k = 0; k < Rf_xlength(outer); ++k) {
    SEXP const value = outer_value(VECTOR_ELT(outer, k));
    if (value == R_UnboundValue || value == R_MissingArg) return false;
    SET_VECTOR_ELT(inputs, n + k, value);
  }
  return true;
}

// ---- values

// What a kernel of a known shape may take; `stays`: some are on a device.
bool are_plain(SEXP expression, SEXP inputs, bool& stays) {
  SEXP const staged = variable(expression, symbols().staged);
  bool in_stages = false;
  const bool bare =
      variable(expression, symbols().reduce) == R_NilValue && !(is_switch(staged, in_stages) && in_stages);
  for (R_xlen_t k = 0; k < Rf_xlength(inputs); ++k) {
    SEXP const x = VECTOR_ELT(inputs, k);
    if (OBJECT(x)) {
      if (TYPEOF(x) != EXTPTRSXP) return false;  // a factor
      stays = true;
    } else if (ATTRIB(x) != R_NilValue) {
      if (bare) return false;
      SEXP const dim = Rf_getAttrib(x, R_DimSymbol);
      if (dim != R_NilValue && Rf_xlength(dim) != 2) return false;  // arrays share programs with vectors
    }
  }
  return true;
}

}  // namespace

SEXP progress_of(SEXP frame) {
  SEXP const set = Rf_GetOption1(symbols().progress);
  SEXP shown = set;
  if (set == R_NilValue) {
    SEXP const call = PROTECT(Rf_lang1(symbols().interactive));
    shown = Rf_eval(call, R_BaseEnv);
    UNPROTECT(1);
  }
  return TYPEOF(shown) == LGLSXP && Rf_xlength(shown) == 1 && LOGICAL(shown)[0] == TRUE ? frame : R_NilValue;
}

SEXP outer_of(SEXP expression) { return variable(expression, symbols().outer); }

bool read_known_call(const GivenCall& given, SEXP inputs, KnownCall& known) {
  bool fallback = true, verbose = true, compiles = false, stays = false;
  if (!is_switch(given.fallback, fallback) || !is_switch(given.verbose, verbose) || fallback || verbose ||
      !is_switch(given.keep, known.keep))
    return false;
  if (!calls_the_same(variable(given.expression, symbols().called))) return false;
  known.plans = variable(given.expression, symbols().plans);
  known.inputs = given.values;
  known.by = given.by;
  std::string device;
  SEXP const data = variable(given.expression, symbols().data);
  if (data != R_NilValue && !place_data(given, data, inputs, known, device)) return false;
  if (!given.with_outer && !take_outer(given, outer_of(given.expression), inputs, known)) return false;
  if (!are_plain(given.expression, known.inputs, stays)) return false;
  if (resident_object::is(given.by) && (!device.empty() || !device_of_codes(given.by, known.inputs, device)))
    return false;
  if (device.empty() && stays && is_text(given.device, "auto")) device = "auto";  // nobody needs it
  if (device.empty() && !resolve(given.device, device)) return false;
  if (!known_to_compile(compiles) || (!compiles && !on_a_device(known.inputs))) return false;
  known.device.assign(1, device);
  known.progress = progress_of(given.frame);
  return true;
}

void note_known_call(SEXP expression, const openclPort::RunReport& report) {
  openclPort::note_runner_report(report);
  r::enter([&] {
    SEXP const before = Rf_findVarInFrame(expression, symbols().device);
    if (!is_text(before, report.device.c_str())) {
      SEXP const name = PROTECT(r::value(report.device));
      Rf_defineVar(symbols().device, name, expression);
      UNPROTECT(1);
    }
    if (report.built > 0) {
      SEXP const call = PROTECT(Rf_lang1(symbols().tell_warning));
      Rf_eval(call, own_namespace());
      UNPROTECT(1);
    }
    return R_NilValue;
  });
}
