// sorted_codes -- see sorted_codes.h
#include "sorted_codes.h"

#include <climits>
#include <cmath>
#include <cstring>

#include "vector_columns.h"

using openclPort::Grouping;

namespace {

const void* data_of_codes(SEXP codes) {
  const void* data = nullptr;
  r::enter([&] {  // R may have to expand them
    data = column_of(codes).data;
    return R_NilValue;
  });
  return data;
}

std::size_t bytes_of_codes(SEXP codes) {
  return static_cast<std::size_t>(Rf_xlength(codes)) * (TYPEOF(codes) == REALSXP ? sizeof(double) : sizeof(int));
}

}  // namespace

bool SortedCodes::holds(SEXP codes) const {
  return grouping_ != nullptr && type_ == TYPEOF(codes) && bytes_.size() == bytes_of_codes(codes) &&
         std::memcmp(bytes_.data(), data_of_codes(codes), bytes_.size()) == 0;
}

std::shared_ptr<const Grouping> SortedCodes::groups_of(SEXP codes, std::size_t groups, std::size_t block, bool all) {
  if (holds(codes) && grouping_->groups() == groups) return grouping_;
  const std::size_t n = static_cast<std::size_t>(Rf_xlength(codes));
  const unsigned char* const data = static_cast<const unsigned char*>(data_of_codes(codes));
  std::vector<int> converted;
  if (TYPEOF(codes) == REALSXP) {
    const double* const x = reinterpret_cast<const double*>(data);
    for (std::size_t i = 0; i < n; ++i)
      converted.push_back(std::fabs(x[i]) <= INT_MAX ? static_cast<int>(x[i]) : INT_MIN);
  }
  grouping_ = std::make_shared<const Grouping>(
      converted.empty() ? reinterpret_cast<const int*>(data) : converted.data(), n, groups, block, all);
  bytes_.assign(data, data + bytes_of_codes(codes));
  type_ = TYPEOF(codes);
  return grouping_;
}
