// kernel_arguments -- converts R's vectors to the types of a user's kernel's parameters, and results back.
#include "kernel_arguments.h"

#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/nmath_error.h"
#include "r_boundary.h"
#include "result_memory.h"
#include "vector_columns.h"

using openclPort::Column;
using openclPort::KernelParameter;
using openclPort::KernelSignature;
using openclPort::NmathError;
using Kind = openclPort::KernelParameter::Kind;

namespace {

struct WholeType {
  const char* name;
  double least, greatest;
};
constexpr WholeType kWholeTypes[] = {
    {"char", -128, 127},
    {"uchar", 0, 255},
    {"short", -32768, 32767},
    {"ushort", 0, 65535},
    {"int", -2147483648.0, 2147483647},
    {"uint", 0, 4294967295.0},
    {"long", -9007199254740992.0, 9007199254740992.0},  // whole doubles are exact to here
    {"ulong", 0, 9007199254740992.0}};

// Element i of a column as a double, NA as NA.
double element(const Column& x, std::size_t i) {
  if (x.type == Column::Type::f64) return static_cast<const double*>(x.data)[i];
  const int value = static_cast<const int*>(x.data)[i];
  return value == NA_INTEGER ? NA_REAL : value;
}

template <typename T>
void put(std::vector<unsigned char>& bytes, std::size_t i, T value) {
  std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
}

// A whole number in a type of its width; C's conversion to unsigned keeps the bits.
void put_whole(std::vector<unsigned char>& bytes, std::size_t i, std::size_t width, std::int64_t value) {
  if (width == 1) put(bytes, i, static_cast<std::uint8_t>(value));
  if (width == 2) put(bytes, i, static_cast<std::uint16_t>(value));
  if (width == 4) put(bytes, i, static_cast<std::uint32_t>(value));
  if (width == 8) put(bytes, i, static_cast<std::uint64_t>(value));
}

}  // namespace

void refuse_value(const std::string& what, const KernelParameter& parameter, const std::string& why) {
  throw NmathError(what + " cannot be given to '" + parameter_text(parameter) + "': " + why, "KernelCall");
}

namespace {

// What kernels that were left running have of R's; never destroyed.
std::vector<std::shared_ptr<ArgumentMemory>>& left_memory() {
  static auto* const left = new std::vector<std::shared_ptr<ArgumentMemory>>;
  return *left;
}

// Without r::enter(), since a jump of R may wait: R's list of preserved objects is a vector that was made before.
void leave_behind(const std::shared_ptr<ArgumentMemory>& memory) {
  for (const SEXP kept : memory->kept) R_PreserveObject(kept);
  left_memory().push_back(memory);
}

}  // namespace

void run_interruptible(openclPort::KernelCall& call, std::size_t elements,
                       const std::shared_ptr<ArgumentMemory>& memory) {
  CallMonitor monitor(R_NilValue, elements);
  try {
    call.run_interruptible([&] { return monitor.poll(); }, memory);
  } catch (const openclPort::KernelLeft&) {
    leave_behind(memory);
    throw;
  } catch (const openclPort::DeviceGivenUp&) {
    r::forget_jump();  // the error tells of the interrupt
    leave_behind(memory);
    throw;
  }
}

void release_left_memory() {
  std::vector<std::shared_ptr<ArgumentMemory>>& left = left_memory();
  for (std::size_t k = left.size(); k-- > 0;) {
    if (left[k].use_count() > 1) continue;
    for (const SEXP kept : left[k]->kept) R_ReleaseObject(kept);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

std::vector<KernelArgument> kernel_arguments(SEXP list) {
  std::vector<KernelArgument> all(static_cast<std::size_t>(Rf_xlength(list)));
  for (std::size_t k = 0; k < all.size(); ++k) {
    SEXP const x = VECTOR_ELT(list, static_cast<R_xlen_t>(k));
    if (TYPEOF(x) == EXTPTRSXP) {
      const openclPort::Resident& resident = handles::resident_of(x);
      const bool real = resident.type() == openclPort::ElementType::f64;
      all[k].handle = x;
      all[k].column = {nullptr, resident.elements(), real ? Column::Type::f64 : Column::Type::i32};
    } else {
      r::enter([&] {
        all[k].column = column_of(x);
        return R_NilValue;
      });
    }
  }
  return all;
}

openclPort::ElementType element_type(const KernelParameter& parameter) {
  return openclPort::scalar_type_name(parameter.type) == "double" ? openclPort::ElementType::f64
                                                                  : openclPort::ElementType::bytes;
}

void add_value(openclPort::KernelCall& call, const KernelParameter& parameter, const std::string& what,
               const std::vector<unsigned char>& bytes) {
  if (element_type(parameter) == openclPort::ElementType::bytes) {
    call.value_bytes(what, bytes.data(), bytes.size());
    return;
  }
  double value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  call.value(what, value);
}

void add_resident(openclPort::KernelCall& call, const KernelArgument& argument, const KernelParameter& parameter,
                  const std::string& what, ArgumentMemory& memory) {
  openclPort::SharedDevice device = call.device();
  handles::resident_on(argument.handle, device);
  const std::string type = openclPort::scalar_type_name(parameter.type);
  const bool real = argument.column.type == Column::Type::f64;
  if (parameter.kind != Kind::buffer || type != (real ? "double" : "int"))
    refuse_value(what, parameter,
                 std::string("it is resident on a device, where it holds ") + (real ? "doubles" : "integers") +
                     "; as.vector() brings it back for other types");
  if (!parameter.read_only)
    refuse_value(what, parameter, "a vector on a device never changes, and the kernel may write to it: make it const");
  const std::shared_ptr<openclPort::Resident>& resident = handles::object_of<handles::Vector>(argument.handle).resident;
  memory.vectors.push_back(resident);
  memory.kept.push_back(R_ExternalPtrProtected(argument.handle));
  call.memory(what, resident->buffer());
}

std::unique_ptr<handles::Vector> resident_result(const openclPort::SharedDevice& device,
                                                 const KernelParameter& parameter, std::size_t elements, SEXP list,
                                                 R_xlen_t at) {
  const std::string type = openclPort::scalar_type_name(parameter.type);
  if (type != "double" && type != "int")
    throw NmathError(
        "the result '" + parameter_text(parameter) + "' cannot be resident on the device: R has no such type",
        "KernelCall", "", "Resident results are pointers to double or int.");
  return handles::make_vector(device, type == "int" ? handles::integers : handles::doubles, elements, list, at);
}

std::vector<unsigned char> argument_bytes(const Column& x, std::size_t n, const KernelParameter& parameter,
                                          const std::string& what) {
  const std::string type = openclPort::scalar_type_name(parameter.type);
  const std::size_t width = openclPort::scalar_bytes(type);
  const bool one = x.length == 1;
  std::vector<unsigned char> bytes(n * width);
  if (type == "double" && x.type == Column::Type::f64 && !one) {
    std::memcpy(bytes.data(), x.data, bytes.size());
    return bytes;
  }
  const WholeType* whole = nullptr;
  for (const WholeType& known : kWholeTypes)
    if (type == known.name) whole = &known;
  for (std::size_t i = 0; i < n; ++i) {
    const double value = element(x, one ? 0 : i);
    if (type == "double") {
      put(bytes, i, value);
    } else if (type == "float") {
      put(bytes, i, static_cast<float>(value));
    } else if (type == "int" && R_IsNA(value)) {
      put_whole(bytes, i, width, INT_MIN);  // R's own missing integer
    } else {
      if (!(value >= whole->least && value <= whole->greatest && value == std::trunc(value)))
        refuse_value(what, parameter, "element " + std::to_string(i + 1) + " is not a whole number of its range");
      put_whole(bytes, i, width, static_cast<std::int64_t>(value));
    }
  }
  return bytes;
}

SEXP result_vector(const std::vector<unsigned char>& bytes, std::size_t n, const KernelParameter& out) {
  const std::string type = openclPort::scalar_type_name(out.type);
  const bool whole = type == "int";
  SEXP const result = new_result(whole ? INTSXP : REALSXP, static_cast<R_xlen_t>(n));
  if (whole || type == "double") {
    if (n > 0) std::memcpy(whole ? static_cast<void*>(INTEGER(result)) : REAL(result), bytes.data(), bytes.size());
    return result;
  }
  double* const to = REAL(result);
  const auto fill = [&](auto value) {
    for (std::size_t i = 0; i < n; ++i) {
      std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
      to[i] = static_cast<double>(value);
    }
  };
  if (type == "float") fill(float());
  if (type == "char") fill(std::int8_t());
  if (type == "uchar") fill(std::uint8_t());
  if (type == "short") fill(std::int16_t());
  if (type == "ushort") fill(std::uint16_t());
  if (type == "uint") fill(std::uint32_t());
  if (type == "long") fill(std::int64_t());
  if (type == "ulong") fill(std::uint64_t());
  return result;
}

std::string signature_text(const KernelSignature& signature) {
  std::string text;
  for (const KernelParameter& parameter : signature) text += (text.empty() ? "" : ", ") + parameter_text(parameter);
  return text;
}

void check_known(const KernelParameter& parameter, std::size_t number) {
  const std::string which = "parameter " + std::to_string(number) + ", '" + parameter_text(parameter) + "',";
  const char* hint =
      "Parameters are __global or __constant pointers to double, float or whole numbers, or such scalars.";
  if (parameter.kind == Kind::image || parameter.kind == Kind::sampler)
    throw NmathError(which + " is an image or a sampler, which R has no value for", "KernelCall", "", hint);
  if (parameter.kind == Kind::unknown)
    throw NmathError(which + " is of a type that R has no value for, or one that cannot be read from the program",
                     "KernelCall", "",
                     std::string(hint) +
                         " Types hidden in macros are told by a driver where the program "
                         "is built by kernel_bundle(program, options = \"-cl-kernel-arg-info\").");
}
