// sorted_codes -- codes in R's memory and the groups that they make, which are kept for the next call.
#ifndef NMATHOPENCL_SORTED_CODES_H
#define NMATHOPENCL_SORTED_CODES_H

#include <memory>

#include "engine/grouping.h"
#include "r_door.h"

class SortedCodes {
 public:
  ~SortedCodes() { release(); }
  // The groups of this vector, which is looked through only if it is another one than before. `all`: groups without
  // elements have a block, too.
  std::shared_ptr<const openclPort::Grouping> groups_of(SEXP codes, std::size_t groups, std::size_t block, bool all);
  // Whether they are known of this very vector: R changes none that others hold.
  bool holds(SEXP codes) const { return kept_ == codes && grouping_ != nullptr; }
  std::size_t groups() const { return grouping_->groups(); }

 private:
  void release();
  SEXP kept_ = nullptr;
  std::shared_ptr<const openclPort::Grouping> grouping_;
};

#endif
