// staged_plan -- a function in stages, for calls whose arguments are as long as those of one before: what R has noted
// of its launches and of the values between them, and what stays on its device from call to call.
#ifndef NMATHOPENCL_STAGED_PLAN_H
#define NMATHOPENCL_STAGED_PLAN_H

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/fused_queue.h"
#include "loop_run.h"
#include "r_door.h"

// The part of a device's memory that a plan keeps from call to call, as one over it.
constexpr std::size_t kMostKept = 32;

// A value that is computed by no kernel, of doubles: those of other types are as as.double() has them.
struct StagedNode {
  enum class Op {
    constant,
    input,
    same,
    add,
    subtract,
    multiply,
    divide,
    power,
    negative,
    absolute,
    log,
    elementary,
    library,
    slice,
    spread,
    gather,
    concat,
    cumsum,
    fill,
    position,
    reduce,
    segments,
    cut,
    each,
    patch,
    equal,
    unequal,
    less,
    greater,
    less_equal,
    greater_equal,
    both,
    either,
    negation,
    is_na,
    select
  };
  Op op = Op::constant;
  int id = 0;
  std::vector<int> args;  // numbers of nodes
  double constant = 0.0;
  int input = 0;                          // of `input`; of `patch` the place
  std::size_t length = 1;                 // of slice: how many; of others as it says
  double first = 0.0, step = 0.0;         // of slice and spread
  std::size_t taken = 0;                  // of spread: how many are put
  bool from_end = false, as_test = true;  // as_test: of select, it is as long as the test
  std::string name;                       // of elementary, library and reduce
  bool is_slope = false;                  // of an input: nothing but the gradient has it, which takes it as it lies
};

// Where an output of a launch goes.
struct StagedOutput {
  int input = 0;            // that it defines, 0: nobody reads it
  double divisor = 1.0;     // of a mean: how many elements
  std::size_t numbers = 0;  // that it has
  bool comes_back = false;  // else it stays where it is
  std::size_t first = 0;    // if so, its first byte among all that come back
};

struct StagedStep {
  std::vector<int> order, inputs,
      nodes;                          // values: of the inputs that it defines, their nodes, and what has to be computed
  SEXP handle = nullptr;              // of a launch; else nullptr
  std::vector<int> columns, scalars;  // numbers of inputs
  std::vector<double> lengths;        // behind the scalars
  double n = 0;
  int codes = 0;             // of sums by codes, the input that has them; 0: they are made of others,
  std::vector<int> made_of;  // these, and R keeps what has become of them
  SEXP kernels = nullptr;    // in an environment
  std::size_t groups = 0;    // how many
  std::vector<StagedOutput> outputs;
  std::size_t flags = 0;  // the first byte of its words among all that come back

  // Of a loop over data: its handle, else nullptr. It has neither kernels nor flags; its first result is a number for
  // each series that is 0 where all is well, then the numbers that it carries. `columns` are its vectors.
  SEXP loop = nullptr;
  std::vector<int> series;  // numbers of inputs
  LoopNumbers
      loop_numbers;  // the scalars among them are those of the call where `scalars` has an input, else constants
  std::size_t items = 1;
  std::vector<int> parts;  // of `inputs`, which of the numbers carried each of them is

  bool launches() const { return handle != nullptr || loop != nullptr; }
};

// What has become of codes in R's memory.
class StagedCodes {
 public:
  ~StagedCodes() { release(); }
  // Those of this vector, which is looked through only if it is another one than before.
  std::shared_ptr<const openclPort::Grouping> groups_of(SEXP codes, std::size_t groups, std::size_t block);

 private:
  void release();
  SEXP kept_ = nullptr;
  std::shared_ptr<const openclPort::Grouping> grouping_;
};

// What a device has of calls at many points: by input the elements, of all points, that no one but it reads.
struct PointsMemory {
  openclPort::SharedDevice device;
  std::vector<openclPort::Buffer> elements;
};

// What a device has of it between calls. Destroyed in reverse order.
struct StagedMemory {
  openclPort::SharedDevice device;
  std::size_t bytes = 0;
  openclPort::Buffer results, given;                     // what comes back, what goes there
  openclPort::Buffer landing, departing;                 // the same in this machine's memory
  std::vector<std::vector<openclPort::Buffer>> outputs;  // by step and output
  std::vector<openclPort::Buffer> flags;                 // by step
  std::vector<openclPort::Buffer> columns;               // by input, those that go there
  std::vector<openclPort::QueuedCall> calls;             // by step
};

// A part of a column of the Hessian: see openclPort::expression::Curve.
struct StagedCurve {
  std::size_t column, slope;  // from 0
  int node;
};

struct StagedPlan;
// Room for all that the plan needs there; its words of flags are 0.
std::unique_ptr<StagedMemory> make_staged_memory(const StagedPlan& plan, const openclPort::SharedDevice& device);

struct StagedPlan {
  static const char* name() { return "nmathopencl stages"; }
  int n_given = 0;               // inputs of the function; the others are computed
  std::vector<double> measures;  // of the given ones
  std::vector<int> shapes;       // which attributes each of them has
  std::vector<int> named_inputs, named_places;
  std::vector<std::string> named;  // elements that are taken by name, and where they are
  std::vector<StagedNode> nodes;   // by number of the node
  std::vector<StagedStep> steps;   // the last one has the values of `root` and `slopes`
  int root = 0;
  std::vector<int> slopes, slope_inputs;
  std::vector<std::string> slope_names;
  std::vector<StagedCurve> curves;   // of the Hessian; without any there is none
  SEXP labels = nullptr;             // an environment, which keeps the gradient's names
  bool warns = false;                // whether a value that is missing may be one that R warns of
  std::size_t series = 0;            // how many the value has a number for; 0: it is one number
  std::vector<std::size_t> travels;  // by input: its first byte among what goes to the device; SIZE_MAX: it does not
  std::vector<std::size_t> sizes;    // by input, of those that travel: numbers
  std::vector<char> whole;           // and whether they are integers
  std::size_t back_bytes = 0, there_bytes = 0;

  std::unique_ptr<StagedMemory> memory;
  std::unique_ptr<PointsMemory> points;
  std::vector<std::unique_ptr<StagedCodes>> codes;  // by step
};

// The sorted codes of a step of a call; null where R has to say what is wrong with them, or to make them.
std::shared_ptr<const openclPort::Grouping> groups_of_step(StagedPlan& plan, std::size_t s, SEXP inputs);
// The device of the call's vectors that stay, or the one that is asked for. Null where it is none for a plan: there are
// several.
openclPort::SharedDevice device_of_staged(const StagedPlan& plan, SEXP inputs, const std::vector<std::string>& asked);

// Whether a call is one that the plan is for.
bool fits_staged(const StagedPlan& plan, SEXP inputs);

// What such a call gives, not protected, or NULL where R has to look at it: it has raised flags, or would take too long
// for one launch.
SEXP run_staged(StagedPlan& plan, SEXP inputs, const std::vector<std::string>& device, SEXP progress,
                openclPort::RunReport& report);

// Which attributes an input has that a value may get of it: bits.
int shape_of_input(SEXP input);

// staged_values.cpp: whether values may call a function of one argument, and the values of a step, of those that are
// known. False where R has to compute them.
struct StagedNumbers {
  const double* data = nullptr;
  std::size_t count = 0;
};
bool has_elementary(const std::string& name);
bool has_sum(const std::string& name);                  // whether values may be reduced so
using StagedValues = std::vector<std::vector<double>>;  // by number of the node
bool compute_values(const StagedPlan& plan, const StagedStep& step,
                    const std::function<bool(int input, std::vector<double>& value)>& input, StagedValues& known);

// staged_result.cpp: the number with its gradient; of `series` list(value, slopes), a number for each and a column for
// each slope. `found`: by input, what launches have left.
SEXP staged_value(const StagedPlan& plan, SEXP inputs, const StagedValues& values,
                  const std::vector<StagedNumbers>& found);
SEXP series_value(const StagedPlan& plan, const StagedValues& values, const std::vector<StagedNumbers>& found);

#endif
