// plain_kernel_wrappers -- R's vectors in the types that a user's kernel takes, and back.
#include "plain_kernel.h"

#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>

#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "vector_columns.h"

using openclPort::Column;
using openclPort::KernelParameter;
using openclPort::KernelSignature;
using openclPort::NmathError;
using Kind = openclPort::KernelParameter::Kind;

namespace {

// The memory of the arguments; it outlives the call if the kernel does.
struct ArgumentMemory {
  std::vector<std::vector<unsigned char>> pieces;
};

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

[[noreturn]] void refuse(const std::string& what, const KernelParameter& parameter, const std::string& why) {
  throw NmathError(what + " cannot be given to '" + parameter_text(parameter) + "': " + why, "KernelCall");
}

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

std::vector<unsigned char> converted(const Column& x, std::size_t n, const KernelParameter& parameter,
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
        refuse(what, parameter, "element " + std::to_string(i + 1) + " is not a whole number of its range");
      put_whole(bytes, i, width, static_cast<std::int64_t>(value));
    }
  }
  return bytes;
}

std::string signature_text(const KernelSignature& signature) {
  std::string text;
  for (const KernelParameter& parameter : signature) text += (text.empty() ? "" : ", ") + parameter_text(parameter);
  return text;
}

// Why a parameter cannot be what the plain shape needs.
void check_known(const KernelParameter& parameter, std::size_t number) {
  const std::string which = "parameter " + std::to_string(number) + ", '" + parameter_text(parameter) + "',";
  const char* hint =
      "Parameters are __global or __constant pointers to double, float or whole numbers, or such scalars.";
  if (parameter.kind == Kind::image || parameter.kind == Kind::sampler)
    throw NmathError(which + " is an image or a sampler, which R has no value for", "KernelCall", "", hint);
  if (parameter.kind == Kind::local)
    throw NmathError(which + " is local memory, which the plain shape does not give", "KernelCall", "", hint);
  if (parameter.kind == Kind::unknown)
    throw NmathError(which + " is of a type that R has no value for, or one that cannot be read from the program",
                     "KernelCall", "",
                     std::string(hint) +
                         " Types hidden in macros are told by a driver where the program "
                         "is built by kernel_bundle(program, options = \"-cl-kernel-arg-info\").");
}

void check_signature(const KernelSignature& signature, std::size_t columns, const std::string& kernel_name) {
  if (signature.size() != columns + 2)
    throw NmathError("kernel '" + kernel_name + "' takes " + std::to_string(signature.size()) + " arguments, but " +
                         std::to_string(columns + 2) + " are given: the columns, out and len",
                     "clSetKernelArg", "CL_INVALID_KERNEL_ARGS",
                     "Its parameters: " + (signature.empty() ? "none" : signature_text(signature)));
  for (std::size_t k = 0; k < signature.size(); ++k) check_known(signature[k], k + 1);
  const KernelParameter &out = signature[columns], &len = signature[columns + 1];
  if (out.kind != Kind::buffer || out.read_only)
    refuse("the result", out, "it must be a __global pointer that the kernel may write to");
  if (len.kind != Kind::value) refuse("the number of elements", len, "it must be a number");
}

// The result as R's doubles, or integers; not protected.
SEXP result_vector(const std::vector<unsigned char>& bytes, int n, const KernelParameter& out) {
  const std::string type = openclPort::scalar_type_name(out.type);
  const bool whole = type == "int";
  SEXP const result = r::enter([&] { return Rf_allocVector(whole ? INTSXP : REALSXP, n); });
  if (whole || type == "double") {
    std::memcpy(whole ? static_cast<void*>(INTEGER(result)) : REAL(result), bytes.data(), bytes.size());
    return result;
  }
  double* const to = REAL(result);
  const auto fill = [&](auto value) {
    for (int i = 0; i < n; ++i) {
      std::memcpy(&value, bytes.data() + static_cast<std::size_t>(i) * sizeof value, sizeof value);
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

// Gives the columns to the kernel, in the types that it asks for.
void add_columns(openclPort::KernelCall& call, const std::vector<Column>& columns, std::size_t n,
                 const KernelSignature& signature, ArgumentMemory& memory) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::string what = "columns[[" + std::to_string(k + 1) + "]]";
    const bool scalar = signature[k].kind == Kind::value;
    if (scalar && columns[k].length != 1)
      refuse(what, signature[k], "it has " + std::to_string(columns[k].length) + " elements");
    memory.pieces.push_back(converted(columns[k], scalar ? 1 : n, signature[k], what));
    const std::vector<unsigned char>& piece = memory.pieces.back();
    if (scalar)
      call.value_bytes(what, piece.data(), piece.size());
    else
      call.input_bytes(what, piece.data(), piece.size());
  }
}

SEXP compute(const std::function<openclPort::KernelCall()>& make_call, const std::string& kernel_name,
             const std::vector<Column>& columns, int n) {
  openclPort::KernelCall call = make_call();
  const KernelSignature signature = call.program()->signature(kernel_name);
  check_signature(signature, columns.size(), kernel_name);
  const std::size_t items = static_cast<std::size_t>(n);
  auto memory = std::make_shared<ArgumentMemory>();
  add_columns(call, columns, items, signature, *memory);
  const KernelParameter &out = signature[columns.size()], &len = signature[columns.size() + 1];
  memory->pieces.emplace_back(items * openclPort::scalar_bytes(out.type));
  std::vector<unsigned char>& result = memory->pieces.back();
  const std::vector<unsigned char> length = converted({&n, 1, Column::Type::i32}, 1, len, "the number of elements");
  call.output_bytes("out", result.data(), result.size());
  call.value_bytes("len", length.data(), length.size()).items(items);
  CallMonitor monitor(R_NilValue, items);
  try {
    call.run_interruptible([&] { return monitor.poll(); }, memory);
  } catch (const openclPort::DeviceGivenUp&) {
    r::forget_jump();  // the error tells of the interrupt
    throw;
  }
  return result_vector(result, n, out);
}

}  // namespace

SEXP run_plain_kernel(const std::function<openclPort::KernelCall()>& make_call, const std::string& kernel_name,
                      SEXP columns, int n, openclPort::RunReport& report) {
  openclPort::Stopwatch watch;
  const std::vector<Column> inputs = columns_of(columns, R_NilValue);
  const r::Keep value(n > 0 ? compute(make_call, kernel_name, inputs, n)
                            : r::enter([] { return Rf_allocVector(REALSXP, 0); }));
  report.total = watch.lap();
  return result_list(value, {}, report);
}
