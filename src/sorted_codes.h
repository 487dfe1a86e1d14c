// sorted_codes -- codes in R's memory and the groups that they make, which are kept for the next call.
#pragma once

#include <memory>
#include <vector>

#include "engine/grouping.h"
#include "r_door.h"

class SortedCodes {
 public:
  // The groups of integers or doubles, made anew where they are others than before, number by number: some packages
  // change vectors in place. `all`: groups without elements have a block, too.
  std::shared_ptr<const openclPort::Grouping> groups_of(SEXP codes, std::size_t groups, std::size_t block, bool all);
  // Whether the groups of such codes are known.
  bool holds(SEXP codes) const;
  std::size_t groups() const { return grouping_->groups(); }

 private:
  std::vector<unsigned char> bytes_;  // of the codes
  SEXPTYPE type_ = NILSXP;
  std::shared_ptr<const openclPort::Grouping> grouping_;
};
