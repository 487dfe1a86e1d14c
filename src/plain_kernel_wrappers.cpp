// plain_kernel_wrappers -- R's vectors in the types that a user's kernel takes, and back.
#include "plain_kernel.h"

#include <climits>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>

#include "nmath_error.h"

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
constexpr WholeType kWholeTypes[] = {{"char", -128, 127},
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

// Element i of an R vector as a double, NA as NA.
double element(SEXP x, R_xlen_t i) {
  if (TYPEOF(x) == REALSXP) return REAL(x)[i];
  const int value = TYPEOF(x) == INTSXP ? INTEGER(x)[i] : LOGICAL(x)[i];
  return value == NA_INTEGER ? NA_REAL : value;
}

template <typename T>
void put(std::vector<unsigned char>& bytes, R_xlen_t i, T value) {
  std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof value, &value, sizeof value);
}

// A whole number in a type of its width; C's conversion to unsigned keeps the bits.
void put_whole(std::vector<unsigned char>& bytes, R_xlen_t i, std::size_t width, std::int64_t value) {
  if (width == 1) put(bytes, i, static_cast<std::uint8_t>(value));
  if (width == 2) put(bytes, i, static_cast<std::uint16_t>(value));
  if (width == 4) put(bytes, i, static_cast<std::uint32_t>(value));
  if (width == 8) put(bytes, i, static_cast<std::uint64_t>(value));
}

std::vector<unsigned char> converted(SEXP x, R_xlen_t n, const KernelParameter& parameter, const std::string& what) {
  const std::string type = openclPort::scalar_type_name(parameter.type);
  const std::size_t width = openclPort::scalar_bytes(type);
  const bool one = Rf_xlength(x) == 1;
  std::vector<unsigned char> bytes(static_cast<std::size_t>(n) * width);
  if (type == "double" && TYPEOF(x) == REALSXP && !one) {
    std::memcpy(bytes.data(), REAL(x), bytes.size());
    return bytes;
  }
  const WholeType* whole = nullptr;
  for (const WholeType& known : kWholeTypes)
    if (type == known.name) whole = &known;
  for (R_xlen_t i = 0; i < n; ++i) {
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
  const char* hint = "Parameters are __global or __constant pointers to double, float or whole numbers, or such scalars.";
  if (parameter.kind == Kind::image || parameter.kind == Kind::sampler)
    throw NmathError(which + " is an image or a sampler, which R has no value for", "KernelCall", "", hint);
  if (parameter.kind == Kind::local)
    throw NmathError(which + " is local memory, which the plain shape does not give", "KernelCall", "", hint);
  if (parameter.kind == Kind::unknown)
    throw NmathError(which + " is of a type that R has no value for, or one that cannot be read from the program",
                     "KernelCall", "", std::string(hint) + " Types hidden in macros are told by a driver where the program "
                     "is built by kernel_bundle(program, options = \"-cl-kernel-arg-info\").");
}

void check_signature(const KernelSignature& signature, std::size_t columns, const std::string& kernel_name) {
  if (signature.size() != columns + 2)
    throw NmathError("kernel '" + kernel_name + "' takes " + std::to_string(signature.size()) + " arguments, but " +
                         std::to_string(columns + 2) + " are given: the columns, out and len",
                     "KernelCall", "CL_INVALID_KERNEL_ARGS",
                     "Its parameters: " + (signature.empty() ? "none" : signature_text(signature)));
  for (std::size_t k = 0; k < signature.size(); ++k) check_known(signature[k], k + 1);
  const KernelParameter &out = signature[columns], &len = signature[columns + 1];
  if (out.kind != Kind::buffer || out.read_only)
    refuse("the result", out, "it must be a __global pointer that the kernel may write to");
  if (len.kind != Kind::value) refuse("the number of elements", len, "it must be a number");
}

SEXP result_vector(const std::vector<unsigned char>& bytes, int n, const KernelParameter& out) {
  const std::string type = openclPort::scalar_type_name(out.type);
  if (type == "int") {
    Rcpp::IntegerVector result(n);
    std::memcpy(result.begin(), bytes.data(), bytes.size());
    return result;
  }
  Rcpp::NumericVector result(n);
  const auto fill = [&](auto sample) {
    for (int i = 0; i < n; ++i) {
      auto value = sample;
      std::memcpy(&value, bytes.data() + static_cast<std::size_t>(i) * sizeof value, sizeof value);
      result[i] = static_cast<double>(value);
    }
  };
  if (type == "double") std::memcpy(result.begin(), bytes.data(), bytes.size());
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

}  // namespace

Rcpp::List run_plain_kernel(const std::function<openclPort::KernelCall()>& make_call, const std::string& kernel_name,
                            const Rcpp::List& columns, int n, openclPort::RunReport& report) {
  openclPort::Stopwatch watch;
  Rcpp::RObject value = Rcpp::NumericVector(0);
  if (n > 0) {
    openclPort::KernelCall call = make_call();
    const KernelSignature signature = call.bundle().signature(kernel_name);
    const std::size_t count = static_cast<std::size_t>(columns.size());
    check_signature(signature, count, kernel_name);
    auto memory = std::make_shared<ArgumentMemory>();
    for (std::size_t k = 0; k < count; ++k) {
      const std::string what = "columns[[" + std::to_string(k + 1) + "]]";
      SEXP column = columns[static_cast<R_xlen_t>(k)];
      const bool scalar = signature[k].kind == Kind::value;
      if (scalar && Rf_xlength(column) != 1) refuse(what, signature[k], "it has " + std::to_string(Rf_xlength(column)) + " elements");
      memory->pieces.push_back(converted(column, scalar ? 1 : n, signature[k], what));
      const std::vector<unsigned char>& piece = memory->pieces.back();
      if (scalar)
        call.value_bytes(what, piece.data(), piece.size());
      else
        call.input_bytes(what, piece.data(), piece.size());
    }
    const KernelParameter &out = signature[count], &len = signature[count + 1];
    std::vector<unsigned char> result(static_cast<std::size_t>(n) * openclPort::scalar_bytes(out.type));
    const std::vector<unsigned char> length = converted(Rf_ScalarInteger(n), 1, len, "the number of elements");
    unsigned char* const target = result.data();
    memory->pieces.push_back(std::move(result));
    call.output_bytes("out", target, memory->pieces.back().size());
    call.value_bytes("len", length.data(), length.size()).items(static_cast<std::size_t>(n));
    call.run_interruptible(interrupt_pending, memory);
    value = result_vector(memory->pieces.back(), n, out);
  }
  report.total = watch.lap();
  return Rcpp::List::create(Rcpp::Named("value") = value, Rcpp::Named("warnings") = Rcpp::CharacterVector(),
                            Rcpp::Named("report") = report_to_list(report));
}
