// by_groups -- the groups of `by` in a call whose argument layout was seen before.
#pragma once

#include <memory>

#include "engine/grouping.h"
#include "r_door.h"
#include "sorted_codes.h"

// What a plan has of the codes of its last call, behind a handle.
class ByGroups {
 public:
  static const char* name() { return "nmathopencl groups of by"; }
  ~ByGroups() { release(); }
  // Those of n values, in blocks of the elements that `block` says. False where R has to look at `by`: it is no factor,
  // and no codes from 1 on, or there are no groups with elements.
  bool find(SEXP by, std::size_t n, std::size_t block);
  const openclPort::Grouping& grouping() const { return *grouping_; }
  SEXP names() const { return names_; }  // of the groups: the levels, or their numbers

 private:
  void release();
  bool take_names(SEXP levels);
  SortedCodes codes_;
  bool numbered_ = false;  // whether they are those of no factor, and the greatest one is that of the last group
  std::shared_ptr<const openclPort::Grouping> grouping_;
  SEXP names_ = nullptr;  // those of codes are kept
  SEXP numbers_ = nullptr;
};
