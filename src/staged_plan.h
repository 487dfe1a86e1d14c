// staged_plan -- a function in stages, for calls whose arguments are as long as those of one before: its launches and
// the values between them, and what is resident on its device from call to call.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "compiled_stages.h"
#include "device/resident.h"
#include "engine/fused_queue.h"
#include "loop_run.h"
#include "r_door.h"
#include "sorted_codes.h"
#include "staged_reductions.h"

// The part of a device's memory that a plan keeps from call to call, as one over it.
constexpr std::size_t kLeastPartOfMemory = 32;

// Where an output of a launch goes.
struct StagedOutput {
  int input = 0;           // that it defines, 0: nobody reads it
  double divisor = 1.0;    // of a mean: how many elements
  StagedReduction joined;  // of other reductions than sums and means of doubles, which
  openclPort::ElementType type = openclPort::ElementType::f64;
  std::size_t numbers = 0;  // that it has
  bool comes_back = false;  // else it stays where it is
  std::size_t first = 0;    // if so, its first byte among all that come back
};

// What a node has to be for the plan to be one for the call: the value that the function was compiled for, or, where
// there is none, TRUE.
struct StagedCheck {
  int node;
  std::vector<double> value;
};

// A node between launches, as it is computed of others. Numbers of nodes; 0: none, or one of vectors alone.
struct StagedOperation {
  openclPort::expression::Op op;
  double (*function)(double) = nullptr;  // of an operation of one number
  int id = 0, first = 0, second = 0, third = 0;
  bool whole = false, computed = false;  // it is an integer; it is no value that was given
};

struct StagedStep {
  std::vector<StagedOperation> operations;  // those of `order`
  std::vector<int> order, inputs, nodes;    // values: nodes in the order in which they are computed; of the inputs that
                                            // they define, their nodes
  std::vector<StagedCheck> checks;          // of values, what has to hold, or R computes all
  SEXP handle = nullptr;                    // of a launch; else nullptr
  std::vector<int> columns, scalars;        // numbers of inputs
  std::vector<int> over;                    // at many points, the inputs that a point\'s numbers are
  // Of sums, the arguments that they are computed from, where their launch is not needed as long as these are the same
  // resident vectors; empty: it is.
  std::vector<int> sources;
  std::vector<double> lengths;  // behind the scalars
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

// What a device has of calls at many points: by input the elements, of all points, that no one but it reads.
struct PointsMemory {
  openclPort::SharedDevice device;
  std::vector<openclPort::Buffer> elements;
};

// The sums of a step, and what they are of: resident vectors, which never change.
struct StoredSums {
  std::vector<std::weak_ptr<openclPort::Resident>> of;
  std::vector<std::vector<double>> values;  // by output
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
  std::size_t column, slope;  // from 0; of a diagonal there is no column
  int node;
  bool diagonal;
};

struct StagedPlan;
// Room for all that the plan needs there; its words of flags are 0.
std::unique_ptr<StagedMemory> make_staged_memory(const StagedPlan& plan, const openclPort::SharedDevice& device);

struct StagedPlan {
  static const char* name() { return "nmathopencl stages"; }
  int n_given = 0;               // inputs of the function; the others are computed
  std::vector<double> measures;  // of the given ones
  std::vector<int> attributes;   // which attributes each of them has
  std::vector<int> named_inputs, named_places;
  std::vector<std::string> named;        // elements and columns that are taken by name, and where they are
  std::vector<char> named_columns;       // which of them are columns
  const CompiledStages* made = nullptr;  // values between launches are nodes of its graph, computed as doubles
  std::vector<int> nodes;                // those that are computed
  std::vector<char> is_slope;  // by number of the node: an input that only the gradient has, which takes it as it lies
  std::vector<StagedStep> steps;       // the last one has the values of `root` and `slopes`
  std::unique_ptr<StagedStep> result;  // of a function that gives elements the launch of these, and no such step
  int root = 0;
  std::vector<int> slopes, slope_inputs;
  std::vector<std::string> slope_names;
  std::vector<StagedCurve> curves;   // of the Hessian; without any there is none
  SEXP labels = nullptr;             // an environment, which keeps the gradient's names, and that of a number
  SEXP dim = nullptr;                // dimensions of the elements; NULL: they have none
  bool warns = false;                // whether a value that is missing may be one that R warns of
  std::size_t series = 0;            // how many the value has a number for; 0: it is one number
  std::vector<std::size_t> travels;  // by input: its first byte among what goes to the device; SIZE_MAX: it does not
  std::vector<std::size_t> sizes;    // by input, of those that travel: numbers
  std::vector<char> whole;           // and whether they are integers
  std::size_t back_bytes = 0, there_bytes = 0;

  const openclPort::expression::Graph& graph() const { return made->graph; }

  std::unique_ptr<StagedMemory> memory;
  std::vector<std::vector<double>> values;  // of the last call, by node: their memory serves the next one
  std::unique_ptr<PointsMemory> points;
  std::vector<StoredSums> kept;                     // by step
  std::vector<std::unique_ptr<SortedCodes>> codes;  // by step
};

// Which inputs nothing but the gradient has.
void find_slopes(StagedPlan& plan);
// Says where everything goes: what values, and kernels by value, are made of comes back; columns that are not on the
// device go there. False where a launch reads what R makes of another one's parts.
bool place_staged(StagedPlan& plan);

// The sorted codes of a step of a call; null where R has to say what is wrong with them, or to make them.
std::shared_ptr<const openclPort::Grouping> groups_of_step(StagedPlan& plan, std::size_t s, SEXP inputs);
// The device of the call's resident vectors, or the one that is asked for. Null where it is none for a plan: there are
// several.
openclPort::SharedDevice device_of_staged(const StagedPlan& plan, SEXP inputs, const std::vector<std::string>& asked);

// Whether a call is one that the plan is for.
bool fits_staged(const StagedPlan& plan, SEXP inputs);

// What such a call gives, not protected, or NULL where R has to look at it: it has raised flags, or would take too long
// for one launch. `keep`: whether elements are to be resident.
SEXP run_staged(StagedPlan& plan, SEXP inputs, const std::vector<std::string>& device, SEXP progress, bool keep,
                openclPort::RunReport& report);

// Which attributes an input has that a value may get of it: bits.
int attributes_of_input(SEXP input);

// staged_values.cpp: the values of a step, of those that are known. False where R has to compute them.
struct StagedNumbers {
  const double* data = nullptr;
  std::size_t count = 0;
};
bool has_value(const openclPort::expression::Graph& graph, int id);  // whether values may be such nodes
void find_operations(StagedPlan& plan);                              // once find_slopes() has found which it has
using StagedValues = std::vector<std::vector<double>>;               // by number of the node
bool compute_values(const StagedPlan& plan, const StagedStep& step,
                    const std::function<bool(int input, std::vector<double>& value)>& input, StagedValues& known);

// staged_result.cpp: the number with its gradient; of `series` list(value, slopes), a number for each and a column for
// each slope. `found`: by input, what launches have left.
SEXP staged_value(const StagedPlan& plan, SEXP inputs, const StagedValues& values,
                  const std::vector<StagedNumbers>& found);
SEXP series_value(const StagedPlan& plan, const StagedValues& values, const std::vector<StagedNumbers>& found);
