// prepare -- converts a kernel's text and graph to the description that the engine runs.
#pragma once

#include <string>
#include <vector>

#include "expression/writer.h"

namespace openclPort::expression {

extern const char* const kElementKernel;    // the name of the kernel in a text
extern const char* const kRecursionKernel;  // of one that is a loop over data
extern const char* const kScoreKernel;      // of the one that adds scores up (point_wide.h)
extern const char* const kJoinKernel;       // and of the one that joins the results of blocks
extern const char* const kGroupJoinKernel;  // of each group

const char* c_output_type(const std::string& type);  // in C, of an OutputPart's type

// The kernel's arguments by number. Scalars are one vector: inputs of length one, then lengths, then the two words of
// each seed.
struct KernelPlan {
  std::string kernel, join, group_join;  // "": nothing joins
  int cost = 0;                          // 0 to 3: cheap, moderate, heavy, slow
  int least = 1;
  bool local_forms = false;
  int tables = 0;  // of counts, in local memory
  int points_alone = 1, points_shared = 1;
  std::vector<int> point_fours;
  int point_row_numbers = 0;
  std::vector<int> matrix_fours;  // see point_matrix.h
  int matrix_numbers = 0;
  bool slices = false, wide = false;  // see term_slices.h
  int wide_numbers = 0;               // see point_wide.h
  std::vector<int> items;             // as FusedItem::Kind of the engine numbers them
  std::vector<int> index;             // of each: the column, output or scalar that it is of, from 0; 0 for others
  std::vector<int> roles;             // of the columns, as FusedRole numbers them
  std::vector<int> outputs;           // 1: double, 2: integer, 3: logical, 4: long
  std::vector<int> widths;  // of reductions, by output: the scalar that says how many sums it has; -1: it is one number
  std::vector<int> bundles;     // by output: those of one number, from 1, read one tile of rows; 0: none
  int flags = 0;                // words
  std::vector<int> flag_rules;  // of their bits, as FusedSpec has them
  int scalars = 0;
  int joins = 0;
  int each = 0;  // of reductions: how many of the outputs, the last ones, have a number for each element
  bool reduces = false;
};

KernelPlan kernel_plan(const KernelText& text);

}  // namespace openclPort::expression
