// functions -- the table of functions that every device can compute.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/cost.h"

namespace openclPort {

// What a kernel computes: a function of its arguments, or random draws; counts are draws of whole numbers. A draw of
// cells is a column of a matrix, see engine/multinomial.h.
enum class KernelKind { values, draws, counts, cells };

constexpr std::size_t kMaxColumns = 7;

// Of a function of x and sizes, in this order, whose values are those at the whole numbers -1, 0, ..., top + 1: how it
// comes from x to a whole number (inst/cl/src/lookup_kernel.cl), and the top of sizes that are positive and finite.
struct Lookup {
  enum class Rule { none, exact, below, nearest };
  enum class Top { product, ranks };  // m n; n (n + 1)/2
  Rule rule = Rule::none;
  Top top = Top::product;
};

// A function of the table (inst/spec/functions.tsv); rows are generated into function_registry_gen.cpp.
// The kernel takes its `n_real` columns of doubles, then `n_flags` columns of ints, then `out` and `len`; if it draws,
// then the seed and the number of its first draw.
struct KernelSpec {
  const char* name;         // "dnorm"
  const char* kernel_name;  // "dnorm_kernel"
  const char* kernel_file;  // "src/dnorm_kernel.cl", relative to inst/cl
  int n_real;
  int n_flags;
  const char* warn_rule;  // which warnings R gives, see rules/missing_values.h
  KernelKind kind = KernelKind::values;
  Cost cost = Cost::cheap;
  Lookup lookup = {};
  int registers = 0;  // see ProgramSource

  bool draws() const { return kind == KernelKind::draws || kind == KernelKind::counts; }
};

// The text of its kernel's program; reads files.
std::string kernel_program_text(const KernelSpec& spec);

const KernelSpec& find_kernel_spec(const std::string& name);  // throws NmathError for an unknown name
bool has_kernel_spec(const std::string& name);
const std::vector<KernelSpec>& kernel_registry();

}  // namespace openclPort
