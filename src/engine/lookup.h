// lookup -- calls of functions whose values are those at whole numbers (`lookup` of a KernelSpec), for sizes that are
// the same for all elements: each number that x may come to is computed once, by the function itself on the same
// device, and the elements find their values in a table. Bit for bit what is computed element by element.
#ifndef NMATHOPENCL_LOOKUP_H
#define NMATHOPENCL_LOOKUP_H

#include <functional>
#include <memory>
#include <vector>

#include "engine/elementwise_kernel.h"

namespace openclPort {

// What is computed. All of it outlives the LookupRange.
struct LookupCall {
  const KernelSpec& spec;
  const std::vector<Column>& columns;  // of x length and type alone, where it is resident
  ElementRange range;
  double* out = nullptr;                 // null: the results stay,
  const Buffer* resident_out = nullptr;  // here, those of the range from 0 on
  const Buffer* resident = nullptr;      // x, where it is resident on the device already
  const ElementwiseOptions& options;
};

// Elements of such a call on one device. Made on the caller's thread, which builds the program.
class LookupRange {
 public:
  // The function itself, at n elements of columns.
  using Direct = std::function<void(const std::vector<Column>& columns, std::size_t n, double* out, RunReport& report,
                                    const CallHooks& hooks)>;

  // Null where a table is of no use: for too few elements, or sizes that it would be too long for.
  static std::unique_ptr<LookupRange> make(const SharedDevice& device, const LookupCall& call, RunReport& report);

  // False, and no result is there, where x comes to so many numbers that the function itself is as good, or to one at
  // which it has no value.
  bool run(const Direct& direct, RunReport& report, const CallHooks& hooks);

 private:
  LookupRange(SharedDevice device, const LookupCall& call, double top, RunReport& report);
  std::vector<double> numbers(const InterruptCheck& interrupted) const;
  bool fill(const std::vector<double>& numbers, const Direct& direct, RunReport& report, const CallHooks& hooks);

  const SharedDevice device_;  // outlives the table
  const LookupCall call_;
  const double top_;
  const std::vector<Column> x_;
  const std::vector<const Buffer*> resident_;
  ElementwisePlan plan_;
  SharedProgram program_;
  Buffer table_;
};

// The call where it is worth a table, and its results stay on devices with memory of their own: one call for each part.
struct ResidentLookup {
  SharedDevice device;
  std::vector<Column> columns;       // x of the part; without data where it is
  const Buffer* resident = nullptr;  // on the device
  std::size_t n = 0;
  const Buffer* out = nullptr;
};
// Whether a table may be of use for every part; `out` may be missing yet.
bool may_look_up(const KernelSpec& spec, const std::vector<ResidentLookup>& parts);
// False where it is of no use for some part after all.
bool run_resident_lookup(const KernelSpec& spec, const std::vector<ResidentLookup>& parts, RunReport& report,
                         const CallHooks& hooks);

}  // namespace openclPort

#endif
