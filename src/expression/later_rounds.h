// later_rounds -- vectors whose rows or columns the rounds of a loop assign.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "expression/matrices.h"

namespace openclPort::expression {

// How a round is translated: the sides of its variables before it, and whether a variable that one branch of an if ()
// makes a matrix of, the other one not, is one after it.
struct Reading {
  std::vector<Sides> sides;
  bool mixed_as_matrix = false;
};

// What a translated round leaves: all its numbers, each an element of a node, and the sides of the variables.
struct RoundLeft {
  std::vector<std::pair<int, double>> numbers;
  std::vector<Sides> sides;
};

struct LaterRounds {
  std::vector<std::string> names;  // of the variables
  std::vector<Sides> before;       // their sides before the loop
  std::function<RoundLeft(const Reading&)> translate;
  std::function<bool(const RoundLeft&, const RoundLeft&)> same;  // whether the numbers are
  std::string what;                                              // the loop, for messages
};

// Where a round makes a row or a column of a vector, the next one reads a matrix, of which R may make something else: a
// product, say. The round is translated with each reading that R may come to, and has to leave the same numbers; it is
// an error where it does not. Gives the sides of the variables in later rounds.
std::vector<Sides> check_later_rounds(const LaterRounds& of, const RoundLeft& first);

}  // namespace openclPort::expression
