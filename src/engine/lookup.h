// lookup -- calls of functions whose values are those at whole numbers (`lookup` of a KernelSpec), for sizes that are
// the same for all elements: each number that x may come to is computed once, by the function itself on the same
// device, and the elements find their values in a table. Bit for bit what is computed element by element.
#pragma once

#include <memory>
#include <vector>

#include "engine/elementwise_kernel.h"

namespace openclPort {

// The elements of such a call that one device computes. Made on the caller's thread, which builds the programs.
class LookupRange {
 public:
  // Null where a table is of no use: for too few elements, or sizes that it would be too long for.
  static std::unique_ptr<LookupRange> make(const SharedDevice& device, const ElementwiseCall& call, RunReport& report);

  // False, and no result is there, where x comes to so many numbers that the function itself is as good, or to one at
  // which it has no value.
  bool run(RunReport& report, const CallHooks& hooks);

 private:
  LookupRange(SharedDevice device, const ElementwiseCall& call, double top, RunReport& report);
  std::vector<double> numbers(const InterruptCheck& interrupted) const;
  bool fill(const std::vector<double>& numbers, RunReport& report, const CallHooks& hooks);

  const SharedDevice device_;  // outlives the table
  const ElementwiseCall call_;
  const double top_;
  ElementwiseRange range_;  // of the launches that look elements up
  Buffer table_;
};

// Whether a table may be of use for each device's elements; `resident_out` may be missing yet.
bool may_look_up(const std::vector<ElementwisePart>& parts);
// Leaves the results there. False where a table is of no use for some device after all.
bool run_resident_lookup(const std::vector<ElementwisePart>& parts, RunReport& report, const CallHooks& hooks);

}  // namespace openclPort
