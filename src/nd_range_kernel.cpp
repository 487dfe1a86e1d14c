// nd_range_kernel -- matches arguments to parameters, and keeps the memory behind them.
#include "nd_range_kernel.h"

#include <algorithm>
#include <memory>

#include "base/memory_limit.h"
#include "base/nmath_error.h"
#include "base/sizes.h"
#include "base/stopwatch.h"
#include "engine/transfer.h"
#include "kernel_arguments.h"

using openclPort::Column;
using openclPort::KernelCall;
using openclPort::KernelParameter;
using openclPort::KernelSignature;
using openclPort::NmathError;
using Kind = openclPort::KernelParameter::Kind;

namespace {

// What R said, by name.
struct Named {
  std::vector<std::string> names;
  std::vector<double> sizes;  // elements

  // -1: it is not there.
  int find(const std::string& name) const {
    const auto found = name.empty() ? names.end() : std::find(names.begin(), names.end(), name);
    return found == names.end() ? -1 : static_cast<int>(found - names.begin());
  }
};

struct KernelDescription {
  std::vector<KernelArgument> args;
  std::vector<std::string> arg_names;
  Named out, local;
  std::vector<std::size_t> range, group;
  bool draws = false, keep = false;
  double seed[2] = {0, 0};
};

std::vector<std::size_t> sizes_of(SEXP x, const char* what) {
  std::vector<std::size_t> sizes;
  for (R_xlen_t k = 0; k < Rf_xlength(x); ++k) {
    sizes.push_back(openclPort::size_of_number(REAL(x)[k], what));
    if (sizes.back() == 0) throw NmathError(std::string(what) + " is 0", "KernelCall");
  }
  return sizes;
}
std::vector<double> numbers_of(SEXP x) { return std::vector<double>(REAL(x), REAL(x) + Rf_xlength(x)); }

KernelDescription description_of(SEXP list) {
  KernelDescription given;
  given.args = kernel_arguments(VECTOR_ELT(list, 0));
  given.arg_names = r::strings_of(VECTOR_ELT(list, 1));
  given.out = {r::strings_of(VECTOR_ELT(list, 2)), numbers_of(VECTOR_ELT(list, 3))};
  given.local = {r::strings_of(VECTOR_ELT(list, 4)), numbers_of(VECTOR_ELT(list, 5))};
  given.range = sizes_of(VECTOR_ELT(list, 6), "a number of work-items");
  given.group = sizes_of(VECTOR_ELT(list, 7), "the size of a group");
  SEXP const seed = VECTOR_ELT(list, 8);
  given.draws = Rf_xlength(seed) == 2;
  if (given.draws) std::copy(REAL(seed), REAL(seed) + 2, given.seed);
  given.keep = LOGICAL(VECTOR_ELT(list, 9))[0] != 0;
  return given;
}

// Gives each parameter what is its own.
class Binding {
 public:
  // `list`: where resident results have R's memory, where that is the device's.
  Binding(const KernelDescription& given, const KernelSignature& signature, const std::string& kernel, SEXP list)
      : resident(given.out.names.size()),
        given_(given),
        signature_(signature),
        kernel_(kernel),
        list_(list),
        used_(given.args.size(), false),
        results_(given.out.names.size(), -1),
        given_local_(given.local.names.size(), false) {
    memory_->buffers.reserve(signature.size());  // what a call was given stays in its place
  }

  void bind(KernelCall& call) {
    for (std::size_t k = 0; k < signature_.size(); ++k) {
      check_known(signature_[k], k + 1);
      bind_one(call, k);
    }
    for (std::size_t k = 0; k < used_.size(); ++k)
      if (!used_[k]) fail(argument_name(k) + " is not a parameter of it, or one too many");
    for (std::size_t k = 0; k < results_.size(); ++k)
      if (results_[k] < 0) fail("`out` names '" + given_.out.names[k] + "', which is not a parameter of it");
    for (std::size_t k = 0; k < given_local_.size(); ++k)
      if (!given_local_[k]) fail("`local` has more than its parameters in local memory");
    if (given_.draws && !drew_) fail("it has no parameter 'seed', which random = TRUE gives");
  }

  const std::shared_ptr<ArgumentMemory>& memory() const { return memory_; }
  const std::vector<int>& results() const { return results_; }  // parameter of each, and its buffer of memory
  const std::vector<unsigned char>& buffer(int parameter) const {
    return memory_->buffers[buffer_of_[static_cast<std::size_t>(parameter)]];
  }

  std::vector<std::unique_ptr<handles::Vector>> resident;  // one for each result, where results stay

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw NmathError("kernel '" + kernel_ + "': " + what, "KernelCall", "",
                     "Its parameters: " + (signature_.empty() ? "none" : signature_text(signature_)));
  }

  std::string argument_name(std::size_t k) const {
    return given_.arg_names[k].empty() ? "argument " + std::to_string(k + 1) : "argument '" + given_.arg_names[k] + "'";
  }

  // The argument for a parameter: of its name, else the next without one; -1: there is none.
  int argument_of(const std::string& name, bool by_order) {
    for (std::size_t k = 0; k < used_.size(); ++k)
      if (!used_[k] && !name.empty() && given_.arg_names[k] == name) return static_cast<int>(k);
    for (std::size_t k = 0; by_order && k < used_.size(); ++k)
      if (!used_[k] && given_.arg_names[k].empty()) return static_cast<int>(k);
    return -1;
  }

  std::vector<unsigned char>& keep(std::vector<unsigned char> bytes) {
    buffer_of_.resize(signature_.size());
    buffer_of_[present_] = memory_->buffers.size();
    memory_->buffers.push_back(std::move(bytes));
    return memory_->buffers.back();
  }

  void bind_one(KernelCall& call, std::size_t k) {
    present_ = k;
    const KernelParameter& parameter = signature_[k];
    const int result = given_.out.find(parameter.name);
    if (result >= 0)
      bind_result(call, parameter, result);
    else if (parameter.kind == Kind::local)
      bind_local(call, parameter);
    else if (given_.draws && takes_seed(parameter))
      bind_seed(call, parameter);
    else
      bind_argument(call, parameter);
  }

  void bind_result(KernelCall& call, const KernelParameter& parameter, int result) {
    if (parameter.kind != Kind::buffer || parameter.read_only)
      refuse_value("the result '" + parameter.name + "'", parameter,
                   "it must be a __global pointer that may be written to");
    const std::size_t size = result_size(call, parameter, static_cast<std::size_t>(result));
    const int argument = argument_of(parameter.name, false);
    std::vector<unsigned char> bytes(size * openclPort::scalar_bytes(parameter.type));
    if (argument >= 0) {
      const std::size_t number = static_cast<std::size_t>(argument);
      const Column& column = given_.args[number].column;
      if (column.length != size && column.length != 1)
        fail(argument_name(number) + " has " + std::to_string(column.length) + " elements, the result " +
             std::to_string(size));
      if (given_.args[number].handle != R_NilValue)
        refuse_value(argument_name(number), parameter,
                     "a vector on a device never changes: as.vector() brings it back for a result to begin with");
      bytes = argument_bytes(column, size, parameter, argument_name(number));
      used_[number] = true;
    }
    if (given_.keep) return bind_resident(call, parameter, result, bytes);
    results_[static_cast<std::size_t>(result)] = static_cast<int>(present_);
    std::vector<unsigned char>& kept = keep(std::move(bytes));
    call.changed_bytes(parameter.name, kept.data(), kept.size(), element_type(parameter));
  }

  // Refused before memory is asked for: a system may give more than it has.
  std::size_t result_size(const KernelCall& call, const KernelParameter& parameter, std::size_t result) const {
    const std::string what = "the result '" + parameter.name + "'";
    const std::size_t size = openclPort::size_of_number(given_.out.sizes[result], "the size of " + what);
    const std::size_t width = openclPort::scalar_bytes(parameter.type);
    const std::size_t bytes = openclPort::product_of_sizes(size, width, "the size of " + what + " in bytes");
    const std::uint64_t most = call.device()->info().max_alloc, here = openclPort::memory_limit();
    if (bytes > most || (here > 0 && bytes > here))
      fail(what + " has " + std::to_string(bytes) + " bytes, more than " +
           (bytes > most ? "the device allows in one buffer" : "this machine has"));
    return size;
  }

  void bind_resident(KernelCall& call, const KernelParameter& parameter, int result,
                     const std::vector<unsigned char>& bytes) {
    const std::size_t number = static_cast<std::size_t>(result);
    const std::size_t size = static_cast<std::size_t>(given_.out.sizes[number]);
    auto vector = resident_result(call.device(), parameter, size, list_, result);
    send_bytes(call.device(), vector->resident->buffer(), 0, bytes.data(), bytes.size());
    memory_->vectors.push_back(vector->resident);
    memory_->kept.push_back(VECTOR_ELT(list_, result));
    call.memory(parameter.name, vector->resident->buffer());
    results_[number] = static_cast<int>(present_);
    resident[number] = std::move(vector);
  }

  void bind_local(KernelCall& call, const KernelParameter& parameter) {
    int given = given_.local.find(parameter.name);
    for (std::size_t k = 0; given < 0 && k < given_local_.size(); ++k)
      if (!given_local_[k] && given_.local.names[k].empty()) given = static_cast<int>(k);
    if (given < 0) fail("nothing is said of its local memory '" + parameter_text(parameter) + "': use `local`");
    given_local_[static_cast<std::size_t>(given)] = true;
    const std::string what = "the local memory '" + parameter.name + "'";
    const std::size_t elements =
        openclPort::size_of_number(given_.local.sizes[static_cast<std::size_t>(given)], "the size of " + what);
    call.local(parameter.name, openclPort::product_of_sizes(elements, openclPort::scalar_bytes(parameter.type),
                                                            "the size of " + what + " in bytes"));
  }

  // What random = TRUE gives.
  static bool takes_seed(const KernelParameter& parameter) {
    return parameter.kind == Kind::value && (parameter.name == "seed" || parameter.name == "first");
  }

  void bind_seed(KernelCall& call, const KernelParameter& parameter) {
    const std::uint64_t seed =
        static_cast<std::uint64_t>(given_.seed[0]) << 32 | static_cast<std::uint64_t>(given_.seed[1]);
    if (openclPort::scalar_bytes(parameter.type) != sizeof seed)
      refuse_value("the seed", parameter, "it has 64 bits: ulong");
    const std::uint64_t value = parameter.name == "seed" ? seed : 0;
    drew_ = drew_ || parameter.name == "seed";
    call.value_bytes(parameter.name, &value, sizeof value);
  }

  void bind_argument(KernelCall& call, const KernelParameter& parameter) {
    const int argument = argument_of(parameter.name, parameter.name != "len" || parameter.kind != Kind::value);
    const bool value = parameter.kind == Kind::value;
    if (argument < 0 && value && parameter.name == "len") {
      double items = 1;
      for (const std::size_t size : given_.range) items *= static_cast<double>(size);
      const std::vector<unsigned char>& kept =
          keep(argument_bytes({&items, 1, Column::Type::f64}, 1, parameter, "the number of work-items"));
      call.value_bytes(parameter.name, kept.data(), kept.size());
      return;
    }
    if (argument < 0)
      fail("nothing is given for parameter " + std::to_string(present_ + 1) + ", '" + parameter_text(parameter) + "'" +
           (takes_seed(parameter) ? ": random = TRUE gives it" : ""));
    const std::size_t number = static_cast<std::size_t>(argument);
    used_[number] = true;
    const Column& column = given_.args[number].column;
    if (value && column.length != 1)
      refuse_value(argument_name(number), parameter, "it has " + std::to_string(column.length) + " elements");
    if (!value && !parameter.read_only)
      refuse_value(argument_name(number), parameter, "the kernel may write to it: make it const, or name it in `out`");
    if (given_.args[number].handle != R_NilValue)
      return add_resident(call, given_.args[number], parameter, argument_name(number), *memory_);
    const std::vector<unsigned char>& kept =
        keep(argument_bytes(column, column.length, parameter, argument_name(number)));
    if (value)
      add_value(call, parameter, argument_name(number), kept);
    else
      call.input_bytes(argument_name(number), kept.data(), kept.size(), element_type(parameter));
  }

  const KernelDescription& given_;
  const KernelSignature& signature_;
  const std::string& kernel_;
  SEXP const list_;
  const std::shared_ptr<ArgumentMemory> memory_ = std::make_shared<ArgumentMemory>();
  std::vector<bool> used_;
  std::vector<int> results_;
  std::vector<bool> given_local_;
  std::vector<std::size_t> buffer_of_;
  std::size_t present_ = 0;  // parameter that is bound
  bool drew_ = false;
};

// Whole groups that cover the range.
std::vector<std::size_t> covering(const KernelDescription& given) {
  std::vector<std::size_t> range = given.range;
  for (std::size_t d = 0; d < given.group.size(); ++d)
    range[d] = (range[d] + given.group[d] - 1) / given.group[d] * given.group[d];
  return range;
}

}  // namespace

SEXP run_nd_range_kernel(const std::function<KernelCall()>& make_call, const std::string& kernel_name, SEXP list,
                         openclPort::RunReport& report) {
  openclPort::Stopwatch watch;
  release_left_memory();
  const KernelDescription given = description_of(list);
  std::size_t elements = 1;
  for (const std::size_t size : given.range)
    elements = openclPort::product_of_sizes(elements, size, "the number of work-items");
  KernelCall call = make_call();
  const KernelSignature signature = call.program()->signature(kernel_name);
  const r::Keep value(r::enter([&] { return Rf_allocVector(VECSXP, static_cast<R_xlen_t>(given.out.names.size())); }));
  Binding binding(given, signature, kernel_name, value);
  binding.bind(call);
  call.nd_range(covering(given), given.group);  // exactly, where no group is told: the kernel may have no guard
  report.elements = elements;
  run_interruptible(call, report.elements, binding.memory());
  for (std::size_t k = 0; k < given.out.names.size(); ++k) {
    if (given.keep) {
      handles::hand_over(std::move(binding.resident[k]), value, static_cast<R_xlen_t>(k));
      continue;
    }
    const int parameter = binding.results()[k];
    const r::Keep one(result_vector(binding.buffer(parameter), static_cast<std::size_t>(given.out.sizes[k]),
                                    signature[static_cast<std::size_t>(parameter)]));
    SET_VECTOR_ELT(value, static_cast<R_xlen_t>(k), one);
  }
  report.total = watch.lap();
  const std::vector<std::string> warnings;
  return r::enter(
      [&] { return r::List(3).add("value", value).add("warnings", warnings).add("report", report).done(); });
}
