// sorted_codes -- see sorted_codes.h
#include "sorted_codes.h"

#include <climits>
#include <cmath>
#include <cstring>

#include "vector_columns.h"

using openclPort::Grouping;

void SortedCodes::release() {
  if (kept_ != nullptr) R_ReleaseObject(kept_);
  kept_ = nullptr;
}

std::shared_ptr<const Grouping> SortedCodes::groups_of(SEXP codes, std::size_t groups, std::size_t block, bool all) {
  const R_xlen_t n = Rf_xlength(codes);
  if (holds(codes)) return grouping_;
  const bool real = TYPEOF(codes) == REALSXP;
  const void* data = nullptr;
  r::enter([&] {
    data = column_of(codes).data;
    return R_NilValue;
  });
  bool same = kept_ != nullptr && grouping_ != nullptr && TYPEOF(kept_) == TYPEOF(codes) && Rf_xlength(kept_) == n &&
              grouping_->groups() == groups;
  if (same) same = std::memcmp(column_of(kept_).data, data, static_cast<std::size_t>(n) * (real ? 8 : 4)) == 0;
  if (!same) {
    std::vector<int> converted;
    if (real) {
      converted.resize(static_cast<std::size_t>(n));
      const double* const x = static_cast<const double*>(data);
      for (std::size_t i = 0; i < converted.size(); ++i)
        converted[i] = std::fabs(x[i]) <= INT_MAX ? static_cast<int>(x[i]) : INT_MIN;
    }
    grouping_ = std::make_shared<const Grouping>(real ? converted.data() : static_cast<const int*>(data),
                                                 static_cast<std::size_t>(n), groups, block, all);
  }
  release();
  r::enter([&] {
    R_PreserveObject(codes);
    return R_NilValue;
  });
  kept_ = codes;
  return grouping_;
}
