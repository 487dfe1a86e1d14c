// by_groups -- see by_groups.h. group_codes() in R/expression_by.R says what is wrong with others.
#include "by_groups.h"

#include <climits>
#include <cmath>

#include "base/nmath_error.h"
#include "r_handles.h"
#include "resident_object.h"

using openclPort::Grouping;

namespace {

constexpr double kMostNumbers = 1e6;  // of groups, whose names R makes

// The greatest of codes that are whole numbers from 1 on, or missing; -1 of others.
double greatest_code(SEXP by) {
  double greatest = 0;
  const bool real = TYPEOF(by) == REALSXP;
  for (R_xlen_t i = 0; i < Rf_xlength(by); ++i) {
    const double code = real ? REAL(by)[i] : INTEGER(by)[i] == NA_INTEGER ? NA_REAL : INTEGER(by)[i];
    if (std::isnan(code)) continue;
    if (code < 1 || code > INT_MAX || code != std::trunc(code)) return -1;
    greatest = std::max(greatest, code);
  }
  return greatest;
}

// Codes that are resident keep their groups themselves.
std::shared_ptr<const Grouping> groups_of_resident(SEXP by, std::size_t n, std::size_t block) {
  const bool whole = std::string(CHAR(STRING_ELT(resident_object::field(by, resident_object::type), 0))) == "integer";
  if (!whole || resident_object::length_of(by) != static_cast<double>(n)) return nullptr;
  try {
    return openclPort::grouping_of(handles::resident_of(resident_object::field(by, resident_object::handle)), block);
  } catch (const openclPort::NmathError&) {
    return nullptr;
  }
}

}  // namespace

void ByGroups::release() {
  if (numbers_ != nullptr) R_ReleaseObject(numbers_);
  numbers_ = nullptr;
}

bool ByGroups::find(SEXP by, std::size_t n, std::size_t block) {
  SEXP levels = R_NilValue;
  if (resident_object::is(by)) {
    grouping_ = groups_of_resident(by, n, block);
  } else {
    const bool factor = TYPEOF(by) == INTSXP && Rf_inherits(by, "factor");
    if ((OBJECT(by) && !factor) || (TYPEOF(by) != INTSXP && TYPEOF(by) != REALSXP)) return false;
    if (static_cast<std::size_t>(Rf_xlength(by)) != n) return false;
    if (factor) levels = Rf_getAttrib(by, R_LevelsSymbol);
    const bool known = numbered_ && codes_.holds(by);  // a factor's groups are its levels, of which some may be empty
    const double groups = factor  ? static_cast<double>(Rf_xlength(levels))
                          : known ? static_cast<double>(codes_.groups())
                                  : greatest_code(by);
    if (groups < 0 || (!factor && groups > kMostNumbers)) return false;  // of so many R looks at the memory first
    grouping_ = codes_.groups_of(by, static_cast<std::size_t>(groups), block, false);
    numbered_ = !factor;
  }
  return grouping_ != nullptr && grouping_->positions() > 0 && take_names(levels);
}

bool ByGroups::take_names(SEXP levels) {
  names_ = levels;
  if (TYPEOF(names_) == STRSXP) return true;
  const std::size_t groups = grouping_->groups();
  if (static_cast<double>(groups) > kMostNumbers) return false;
  if (numbers_ == nullptr || static_cast<std::size_t>(Rf_xlength(numbers_)) != groups) {
    release();
    numbers_ = r::enter([&] {
      SEXP const made = PROTECT(Rf_allocVector(STRSXP, static_cast<R_xlen_t>(groups)));
      for (std::size_t g = 0; g < groups; ++g)
        SET_STRING_ELT(made, static_cast<R_xlen_t>(g), Rf_mkChar(std::to_string(g + 1).c_str()));
      R_PreserveObject(made);
      UNPROTECT(1);
      return made;
    });
  }
  names_ = numbers_;
  return true;
}
