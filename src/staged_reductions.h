// staged_reductions -- what becomes of the parts that a launch of a reduction leaves, in a plan of C++ alone.
#pragma once

#include <cstddef>
#include <string>

#include "device/buffer.h"

struct StagedReduction {
  std::string op;      // "": what the launch leaves is the value itself
  bool na_rm = false;  // missing values are left out
  bool whole = false;  // it is of integers
  bool pair = false;   // the launch's next output is part of it
};

// Whether there is such a value for C++: the other reductions are R's.
bool has_joined(const std::string& op);

// What the column `joined` of inst/spec/reductions.tsv makes of one result each: its first part, and the second one or
// the count of a mean. False where R has more to say: a minimum of no values, integers that R has no integer for.
bool joined_value(const StagedReduction& reduction, double first, double second, double& value);

// Number i of those that a launch has left; NA of whole ones is R's.
double number_left(openclPort::ElementType type, const void* from, std::size_t i);
