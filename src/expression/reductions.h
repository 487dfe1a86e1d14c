// reductions -- the table of reductions: what a kernel keeps of the values that it has seen, how it takes one in, and
// how it joins what two work-items, or two blocks, have.
#pragma once

#include <string>
#include <vector>

#include "expression/graph.h"
#include "expression/writer.h"

namespace openclPort::expression {

// What a group has in local memory of each work-item: doubles, or numbers of the state's type.
enum class Held { doubles, own };

// What is kept while values are taken in. Its texts are templates in C.
struct ReductionState {
  const char* type;                // in C
  std::vector<std::string> parts;  // of what leaves a block, as OutputPart has them; a state of two is doubles m and s
  Held held;
  const char* seen;    // the member that is NaN where a value was
  const char* first;   // the first part that the state %1 leaves
  const char* result;  // the part %2 as it leaves a block whose missing values are the flags %1: 1: NaN, 2: NA
  // In the kernel that joins the blocks: how parts %3 (and %4) are taken into the state %1 of type %6, which then is
  // %5; %2: flags of missing values.
  const char* take;
  // The same of extremes, which pass no NaN on: where missing values are left out there may be no value at all, and
  // blocks without one leave NaN. nullptr: other states.
  const char* presence;
};

struct TypedReduction {
  const ReductionState* state;
  std::string start;
  std::string add;   // the state %1 with the value %2
  std::string join;  // what two have as one: states of two parts, or the first parts of others
  std::string take;  // the state %1 with the part %2 that a block left; as `add`, where the table says nothing
};

// The type of values that is reduced.
enum class Reduced { given, logical, real };

// A row of inst/spec/reductions.tsv. A new reduction is a row there, and a state where it keeps what none of the others
// does. R reads two more columns: `joined`, what R makes of the parts that the blocks left (`first`, `second`), and
// `plain`, of the values.
struct ReductionRow {
  std::string name;  // in R
  Reduced takes;
  bool passes_nan;             // a NaN among the values is seen in the state at the end, if none is left out
  TypedReduction real, whole;  // of doubles, of integers and logicals
};

const std::vector<ReductionRow>& reduction_rows();
const ReductionRow& reduction_row(const Reduction& op);  // not of `none`
const TypedReduction& typed_reduction(const Reduction& op, Type type);
Reduction reduction_named(const std::string& name);  // none: there is no such reduction
Type reduced_type(const Reduction& op, Type type);   // the type that values of `type` are reduced in

}  // namespace openclPort::expression
