// builtins -- the functions of OpenCL C that a translated text may call, and what they are for pairs of floats.
#pragma once

#include <string_view>

#include "pair/types.h"

namespace openclPort::pair {

// `takes`: d a double, i an int, u a long of bits, p a pointer to int, q a pointer to double; `gives`: d, i, u, f for
// float.
struct Builtin {
  const char* name;
  const char* pair_name;
  const char* takes;
  char gives;
};

// A function that pairs have a form of; nullptr for all others.
const Builtin* number_builtin(std::string_view name);

// The type of what another one gives, by the types that it is given; nullptr where the name is unknown.
const Type* other_builtin(std::string_view name, const Type* common, const Types& types);

// Names that stand for numbers: NAN, INFINITY, DBL_MAX. Whether it is one, with its value, and whether it is a float.
bool named_number(std::string_view name, double* value, bool* single);

}  // namespace openclPort::pair
