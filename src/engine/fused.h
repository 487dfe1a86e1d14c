// fused -- a kernel that is described at run time, over columns of any length on any device: element by element, or as
// a reduction to blocks, by group too.
//
// An elementwise kernel walks its launch in steps, so that what depends on scalars only is computed once per work-item:
//   for (int i = get_global_id(0); i < len; i += get_global_size(0)) out[i + out_offset] = f(x[i + x_offset]);
// or, where NMATH_SPANS is defined, which the engine does where work-items are cores, a span of its own:
//   const int span = (len + (int)get_global_size(0) - 1) / (int)get_global_size(0);
//   for (int i = (int)get_global_id(0) * span; i < min(len, ((int)get_global_id(0) + 1) * span); ++i) ...
// (the first form is right there too, but slow). A reduction has a work-group for each block, of one work-item or more
// (get_local_size(0), a power of two), and leaves the block's result at out[get_group_id(0)]. Block b of a launch has
// its elements b * block ... up to (b + 1) * block or len; by group, the positions starts[first + b] ... starts[first +
// b + 1] - 1, and then
//   without an order among the arguments  element p is at x[p + x_offset], in the order of groups;
//   with one                              element i = order[p] is at x[i + x_offset], in its own.
// Blocks depend on neither device, chunks nor threads.
#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/process_mutex.h"
#include "base/report.h"
#include "device/device.h"
#include "engine/chunk_plan.h"
#include "engine/grouping.h"
#include "expression/slices.h"

namespace openclPort {

// An argument of the kernel. Numbers are those of R's door.
struct FusedItem {
  enum class Kind {
    column = 1,      // __global const double* or int*, as the column is: integers are not widened
    offset = 2,      // const long: of column `index`, what is added to an element's number
    stride = 3,      // const long: of column `index`, a matrix: from one of its columns to the next
    output = 4,      // __global double*, int* or long*: output `index`
    out_offset = 5,  // const long: what is added to an element's number where it is written
    flags = 6,       // __global int*: words of bits that the kernel sets with atomic_or; 0 before the call
    first = 7,       // const long: the launch's first element or, of reductions, block
    len = 8,         // const int: elements of the launch
    f64 = 9,         // const double: scalar `index`
    i32 = 10,        // const int: the same; NaN is the smallest int, R's NA
    i64 = 11,        // const long: the same
    u64 = 12,        // const ulong: scalars `index` and `index` + 1, its high and its low 32 bits
    order = 13,      // __global const int*: the element at each position
    starts = 14,     // __global const long*: the blocks' first positions, and the end
    blocks = 15,     // const int: blocks of the launch
    block = 16,      // const int: elements of a block
    local = 17,      // __local double*: as much as a group may have, up to kLocalDoubles
    room = 18,       // const int: how many those are
    alone = 19,      // const int: 1 where a work-item has a block, and not a group
    // Of a call at many points, see fused_points.h:
    points = 20,       // __global const double*: the points' numbers
    numbers = 21,      // const long: how many a point has
    first_point = 22,  // const int: of the launch
    last_point = 23,   // const int: behind it
    all_blocks = 24,   // const long: blocks that a point has
    scores = 25        // __global double*: of the launch's rows at its points, for the kernel that adds them up
  };
  Kind kind;
  unsigned index;
};

enum class FusedRole {
  full = 1,   // one element for each of the call's
  whole = 2,  // of any length, indexed by the kernel itself: offset 0
  matrix = 3  // a row for each of the call's elements
};

constexpr unsigned kFlagBits = 31;  // of a word

struct FusedSpec {
  std::string function;  // of reports
  ProgramSource program;
  std::string kernel;
  Cost cost = Cost::cheap;
  std::size_t least = 1;     // elements below which a GPU takes longer for what is computed once than it saves
  bool local_forms = false;  // and may lie in a GPU's local memory, computed once for each group: NMATH_LOCAL_FORMS
  unsigned tables = 0;       // of 256 doubles, that a group has in local memory besides
  std::vector<FusedItem> items;
  std::vector<FusedRole> roles;      // of columns
  std::vector<ElementType> outputs;  // f64, i32 or i64
  // Of reductions, the scalar that says how many sums a result of each output has; -1, and an empty vector: it is one
  // number. Behind the sums there is as much room for a group's own use.
  std::vector<int> widths;
  // Of wide outputs, which of them are sums of the rows of one matrix, that a group reads once: those of one number; 0,
  // and an empty vector: each reads its own.
  std::vector<int> bundles;
  // The kernel that joins the results of all blocks to one, in groups like those of a block; "": none does. It takes
  // the outputs, as many for the joint results, how many blocks there are (int), and how many sums each wide output has
  // (long). A group joins one of them: first those of the `joins` values that come before the wide outputs.
  std::string join;
  unsigned joins = 0;
  // The kernel that joins the results of the blocks of each group, of reductions to one number by groups of which all
  // have a block; "": none does, and the blocks' results come back. It takes the results, the joint ones, for each
  // group the first of its blocks among those that the last argument has in the groups' order, and the end.
  std::string group_join;
  // Of reductions, how many outputs, the last ones, have a number for each element.
  unsigned each = 0;
  // Of reductions at many points, how many a group has: one of one work-item, and one of several.
  unsigned points_alone = 1, points_shared = 1;
  // Of those whose groups of several work-items have a point and a slice of the rows each: by wide output how many sums
  // it has, in fours, which the kernel's text takes for granted; and how many numbers in local memory each row of a
  // tile has. Empty, and 0, of all others.
  std::vector<int> point_fours;
  unsigned point_row_numbers = 0;
  // How many slices the rows have.
  std::size_t point_slices() const {
    return static_cast<std::size_t>(expression::slices_of(std::accumulate(point_fours.begin(), point_fours.end(), 0)));
  }
  // The same of those that matrix units add up, and how many numbers in local memory a group has.
  std::vector<int> matrix_fours;
  unsigned matrix_numbers = 0;
  // At one point, whether sums may have the order of slices, or that of wide terms (expression/term_slices.h); at many,
  // the kernel that adds up what the first one has left of wide terms, which takes what that takes, and how many
  // numbers in local memory a group of either has; "" and 0: none does.
  bool slices = false, wide = false;
  std::string score;
  unsigned wide_numbers = 0;
  unsigned flags = 0;  // words of kFlagBits bits
  // Bits that say nothing by themselves, one after the other: the bit, from 0, then how many others have to be set with
  // it, and which; -1 and no others: it never says anything.
  std::vector<int> flag_rules;
  unsigned scalars = 0;
  bool reduces = false;

  bool takes(FusedItem::Kind kind) const;
  // Whether the flags of a call, or of one of its points, say something of it.
  bool tells(const int* words) const;
  bool is_each(std::size_t output) const { return !reduces || output + each >= outputs.size(); }
};

struct FusedOnce;  // fused_once.h

// A description that was found right, and its program on the devices that it ran on. Thread-safe.
class FusedKernel {
 public:
  explicit FusedKernel(FusedSpec spec);  // throws where it contradicts itself
  const FusedSpec& spec() const { return spec_; }
  const std::string& name() const { return name_; }  // no other kernel of this process has it

  // What it has on a device.
  struct OnDevice {
    SharedDevice device;  // goes last
    SharedProgram program;
    ProcessMutex mutex;
    std::vector<Buffer> idle_flags;                // all 0
    std::vector<std::shared_ptr<FusedOnce>> idle;  // a driver takes longer for memory than for a short call
    std::size_t zero_flags = 0;                    // words of their flags that are 0
    std::vector<Buffer> idle_points;               // of calls at many points: see fused_points.h
    std::atomic<double> rate{0.0};  // elements a second of its last call that had many; 0: there was none
  };
  std::shared_ptr<OnDevice> on_device(const SharedDevice& device, RunReport& report);
  std::shared_ptr<OnDevice> known_on(const SharedDevice& device);  // null: it has nothing there yet

 private:
  const FusedSpec spec_;
  const std::string name_;
  ProcessMutex mutex_;
  std::vector<std::shared_ptr<OnDevice>> known_;
};

struct FusedColumn {
  Column column;                     // in host memory; of resident ones length and type
  const Buffer* resident = nullptr;  // on the call's device
  bool part = false;                 // which has the elements of the call's range only
};

// Some of a call's elements, a multiple of the block of reductions on; of reductions by group, some of its blocks.
struct FusedRange {
  std::size_t first = 0, count = SIZE_MAX;
};

struct FusedCall {
  std::vector<FusedColumn> columns;
  std::vector<double> scalars;
  std::size_t n = 0;                   // elements
  const Grouping* grouping = nullptr;  // of reductions by group
  std::size_t block = 0;               // of other reductions: elements of a block; 0: reduction_block()
  FusedRange range;                    // what is computed: all
  // One for each output, with room for fused_results() of them, fused_width() numbers each. What has a number for each
  // element may be resident on the device: its value is null, and `resident_out`, which is empty where nothing is, has
  // a buffer of the range's elements.
  std::vector<void*> values;
  std::vector<const Buffer*> resident_out;

  const Buffer* resident_out_of(std::size_t output) const {
    return output < resident_out.size() ? resident_out[output] : nullptr;
  }
};

// Whether a call is too short on this device for a kernel that computes much once in each work-item: see
// FusedSpec::least.
bool fused_too_short(const DeviceInfo& device, const FusedSpec& spec, const FusedCall& call);
// Whether the blocks' results are joined, to one or to one for each group.
bool fused_joins(const FusedSpec& spec, const FusedCall& call);
// Results of output j that come back, and the numbers of each.
std::size_t fused_results(const FusedSpec& spec, const FusedCall& call, std::size_t j);
std::size_t fused_width(const FusedSpec& spec, const FusedCall& call, std::size_t j);

// Throws unless the call has what the kernel takes.
void check_fused_call(const FusedSpec& spec, const FusedCall& call);

// Gives the words of flags.
std::vector<int> run_fused(const SharedDevice& device, FusedKernel& kernel, const FusedCall& call, RunReport& report,
                           const CallHooks& hooks = {}, const ChunkOptions& options = {});

// On several devices, each with some of the elements, or, by group, of the blocks. No column is resident on a device,
// and no result stays.
std::vector<int> run_fused(const std::vector<SharedDevice>& devices, FusedKernel& kernel, const FusedCall& call,
                           RunReport& report, const CallHooks& hooks = {}, const ChunkOptions& options = {});

// The same where columns or results lie on devices: the parts of one call, one for each device, with all of its values.
struct FusedPart {
  SharedDevice device;
  FusedCall call;
};
std::vector<int> run_fused(const std::vector<FusedPart>& parts, FusedKernel& kernel, RunReport& report,
                           const CallHooks& hooks = {}, const ChunkOptions& options = {});

}  // namespace openclPort
