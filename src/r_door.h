// r_door -- the one way from C++ into R: allocations, evaluations, warnings, output.
//
// R leaves a failing call with a jump, past destructors. enter() catches the jump and throws; what END_RCPP catches,
// once all C++ frames are gone, goes on jumping. For R's thread alone. The body of enter() runs between R's frames: it
// throws nothing, keeps nothing that has a destructor, and calls enter() in no way but through R.
#pragma once

#include <Rcpp.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/interrupted.h"

namespace r {

namespace door {

// R's note of where a jump goes; one is enough, as nothing enters R between a jump's arrival and its going on. Kept by
// way of a cell, so that Rcpp's release of a token leaves it alone.
inline SEXP token() {
  static SEXP const kept = [] {
    SEXP cell = PROTECT(Rf_cons(R_NilValue, R_NilValue));
    SETCAR(cell, R_MakeUnwindCont());
    R_PreserveObject(cell);
    UNPROTECT(1);
    return CAR(cell);
  }();
  return kept;
}

inline bool& jump_waits() {
  static bool waits = false;
  return waits;
}

// By way of a jump of our own: an exception must not pass R's frames either.
inline void come_back(void* frame, Rboolean jumped) {
  if (jumped) std::longjmp(*static_cast<std::jmp_buf*>(frame), 1);
}

inline SEXP run(SEXP (*body)(void*), void* data) {
  SEXP const note = token();
  std::jmp_buf frame;
  if (setjmp(frame) != 0) throw Rcpp::LongjumpException(note);
  SEXP const value = R_UnwindProtect(body, data, come_back, &frame, note);
  SETCAR(note, R_NilValue);  // it held the value
  return value;
}

}  // namespace door

// What `body` returns, not protected. A jump of R comes out as an exception that only R's door catches.
template <typename Body>
SEXP enter(const Body& body) {
  const auto call = [](void* data) -> SEXP { return (*static_cast<const Body*>(data))(); };
  return door::run(call, const_cast<Body*>(&body));
}

// The same where C++ has to end its work first: false if R jumped (an interrupt, a time limit, an error). The jump then
// waits for resume(), and R must not be entered before.
template <typename Body>
bool attempt(const Body& body) {
  if (door::jump_waits()) return false;
  try {
    enter(body);
  } catch (const Rcpp::LongjumpException&) {
    door::jump_waits() = true;
    return false;
  }
  return true;
}

inline bool jump_waits() { return door::jump_waits(); }

// For a call that has more to say than that it was interrupted.
inline void forget_jump() { door::jump_waits() = false; }

// Ends the call: R goes on with the jump that waits, or, if there is none, with an interrupt.
[[noreturn]] inline void resume() {
  if (!door::jump_waits()) throw Rcpp::internal::InterruptedException();
  door::jump_waits() = false;
  throw Rcpp::LongjumpException(door::token());
}

// Keeps an object while it is in scope; scopes nest.
class Keep {
 public:
  explicit Keep(SEXP object) : object_(PROTECT(object)) {}
  ~Keep() { UNPROTECT(1); }
  Keep(const Keep&) = delete;
  Keep& operator=(const Keep&) = delete;
  operator SEXP() const { return object_; }

 private:
  SEXP const object_;
};

// ---- inside enter() ----

inline SEXP value(SEXP x) { return x; }
inline SEXP value(bool x) { return Rf_ScalarLogical(x); }
inline SEXP value(int x) { return Rf_ScalarInteger(x); }
inline SEXP value(double x) { return Rf_ScalarReal(x); }
inline SEXP value(const char* x) { return Rf_mkString(x); }

// R's strings hold no zero bytes; logs of drivers may.
inline SEXP text(const std::string& x, cetype_t encoding = CE_NATIVE) {
  if (x.find('\0') != std::string::npos) {
    char* const clean = R_alloc(x.size(), 1);
    std::replace_copy(x.begin(), x.end(), clean, '\0', ' ');
    return Rf_mkCharLenCE(clean, static_cast<int>(x.size()), encoding);
  }
  return Rf_mkCharLenCE(x.data(), static_cast<int>(x.size()), encoding);
}

inline SEXP value(const std::string& x, cetype_t encoding = CE_NATIVE) {
  SEXP const characters = PROTECT(text(x, encoding));
  SEXP const result = Rf_ScalarString(characters);
  UNPROTECT(1);
  return result;
}

inline SEXP value(const std::vector<std::string>& x) {
  SEXP const result = PROTECT(Rf_allocVector(STRSXP, static_cast<R_xlen_t>(x.size())));
  for (std::size_t i = 0; i < x.size(); ++i) SET_STRING_ELT(result, static_cast<R_xlen_t>(i), text(x[i]));
  UNPROTECT(1);
  return result;
}

inline SEXP value(const std::vector<int>& x, SEXPTYPE type = INTSXP) {
  SEXP const result = Rf_allocVector(type, static_cast<R_xlen_t>(x.size()));
  int* const to = type == LGLSXP ? LOGICAL(result) : INTEGER(result);
  for (std::size_t i = 0; i < x.size(); ++i) to[i] = x[i];
  return result;
}

inline SEXP value(const std::vector<double>& x) {
  SEXP const result = Rf_allocVector(REALSXP, static_cast<R_xlen_t>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) REAL(result)[i] = x[i];
  return result;
}

// A member of each of some records, or what a function tells of each, as a vector; whole numbers as R's integers.
template <typename Rows, typename Get>
SEXP column(const Rows& rows, const Get& get) {
  using Told = std::invoke_result_t<const Get&, decltype(*rows.begin())>;
  using Value = std::decay_t<Told>;
  static_assert(std::is_trivially_destructible<Told>::value, "R jumps past it");
  constexpr bool is_logical = std::is_same_v<Value, bool>, is_whole = std::is_integral_v<Value>;
  constexpr bool is_real = std::is_floating_point_v<Value>;
  SEXP const result = PROTECT(Rf_allocVector(is_logical ? LGLSXP
                                             : is_whole ? INTSXP
                                             : is_real  ? REALSXP
                                                        : STRSXP,
                                             static_cast<R_xlen_t>(rows.size())));
  R_xlen_t at = 0;
  for (const auto& row : rows) {
    if constexpr (is_whole)
      (is_logical ? LOGICAL(result) : INTEGER(result))[at++] = static_cast<int>(std::invoke(get, row));
    else if constexpr (is_real)
      REAL(result)[at++] = std::invoke(get, row);
    else
      SET_STRING_ELT(result, at++, text(std::invoke(get, row)));
  }
  UNPROTECT(1);
  return result;
}

// ---- what R gave, asked from C++; nothing here allocates ----

// The element of a list by its name; NULL where there is none, or no list.
inline SEXP element_or_null(SEXP list, const char* name) {
  SEXP const names = TYPEOF(list) == VECSXP ? Rf_getAttrib(list, R_NamesSymbol) : R_NilValue;
  for (R_xlen_t i = 0; i < Rf_xlength(names); ++i)
    if (std::strcmp(CHAR(STRING_ELT(names, i)), name) == 0) return VECTOR_ELT(list, i);
  return R_NilValue;
}

// None where it is no character vector.
inline std::vector<std::string> strings_of(SEXP x) {
  std::vector<std::string> strings;
  for (R_xlen_t i = 0; TYPEOF(x) == STRSXP && i < Rf_xlength(x); ++i) strings.emplace_back(CHAR(STRING_ELT(x, i)));
  return strings;
}

// A string of R that is UTF-8 whatever the locale.
inline SEXP utf8(const std::string& text) {
  return enter([&] { return value(text, CE_UTF8); });
}

// A list of exactly `n` named elements. It stays protected from its making to done(), between which nothing else may be
// protected but in pairs.
class List {
 public:
  explicit List(int n) : list_(PROTECT(Rf_allocVector(VECSXP, n))), names_(PROTECT(Rf_allocVector(STRSXP, n))) {}

  template <typename T>
  List& add(const char* name, const T& x) {
    SET_VECTOR_ELT(list_, size_, value(x));
    SET_STRING_ELT(names_, size_++, Rf_mkChar(name));
    return *this;
  }

  SEXP done() {
    Rf_setAttrib(list_, R_NamesSymbol, names_);
    UNPROTECT(2);
    return list_;
  }

 private:
  SEXP list_, names_;
  R_xlen_t size_ = 0;
};

static_assert(std::is_trivially_destructible<List>::value, "R jumps past it");

// ---- outside ----

// The first string that `name_space`::`function`(arguments) gives; "" if it gives none.
inline std::string string_from(const char* name_space, const char* function,
                               const std::vector<std::pair<std::string, std::string>>& arguments) {
  const Keep found(enter([&]() -> SEXP {
    SEXP const list = PROTECT(Rf_allocList(static_cast<int>(arguments.size())));
    SEXP cell = list;
    for (std::size_t i = 0; i < arguments.size(); ++i, cell = CDR(cell)) {
      SETCAR(cell, value(arguments[i].second));
      if (!arguments[i].first.empty()) SET_TAG(cell, Rf_install(arguments[i].first.c_str()));
    }
    SEXP const call = PROTECT(Rf_lcons(Rf_install(function), list));
    SEXP const name = PROTECT(Rf_mkString(name_space));
    SEXP const space = PROTECT(R_FindNamespace(name));
    SEXP const result = Rf_eval(call, space);
    UNPROTECT(4);
    return result;
  }));
  if (TYPEOF(found) != STRSXP || Rf_xlength(found) == 0 || STRING_ELT(found, 0) == NA_STRING) return "";
  return CHAR(STRING_ELT(found, 0));
}

inline void print_line(const std::string& line) {
  enter([&] {
    Rprintf("%s\n", line.c_str());
    return R_NilValue;
  });
}

}  // namespace r
