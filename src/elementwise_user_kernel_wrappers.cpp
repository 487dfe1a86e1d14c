// elementwise_user_kernel_wrappers -- a user's kernel with a work-item for each element of its columns.
#include "elementwise_user_kernel.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "kernel_arguments.h"

using openclPort::Column;
using openclPort::KernelParameter;
using openclPort::KernelSignature;
using openclPort::NmathError;
using Kind = openclPort::KernelParameter::Kind;

namespace {

void check_signature(const KernelSignature& signature, std::size_t columns, const std::string& kernel_name) {
  if (signature.size() != columns + 2)
    throw NmathError("kernel '" + kernel_name + "' takes " + std::to_string(signature.size()) + " arguments, but " +
                         std::to_string(columns + 2) + " are given: the columns, out and len",
                     "clSetKernelArg", "CL_INVALID_KERNEL_ARGS",
                     "Its parameters: " + (signature.empty() ? "none" : signature_text(signature)));
  for (std::size_t k = 0; k < signature.size(); ++k) {
    check_known(signature[k], k + 1);
    if (signature[k].kind == Kind::local)
      throw NmathError("parameter " + std::to_string(k + 1) + ", '" + parameter_text(signature[k]) +
                           "', is local memory, which an elementwise kernel cannot have",
                       "KernelCall", "", "Say what the results are, by `out`, and how much local memory, by `local`.");
  }
  const KernelParameter &out = signature[columns], &len = signature[columns + 1];
  if (out.kind != Kind::buffer || out.read_only)
    refuse_value("the result", out, "it must be a __global pointer that the kernel may write to");
  if (len.kind != Kind::value) refuse_value("the number of elements", len, "it must be a number");
}

// "" where a column has no name.
std::vector<std::string> names_of_list(SEXP list) {
  std::vector<std::string> names(static_cast<std::size_t>(Rf_xlength(list)));
  SEXP const given = Rf_getAttrib(list, R_NamesSymbol);
  for (std::size_t k = 0; given != R_NilValue && k < names.size(); ++k) {
    SEXP const name = STRING_ELT(given, static_cast<R_xlen_t>(k));
    if (name != NA_STRING) names[k] = CHAR(name);
  }
  return names;
}

// Which column each parameter takes: the one of its place, unless a column has the name of another place's parameter.
// Then columns go by name, as in kernels over ranges, and those without names to what is left, in order.
std::vector<std::size_t> columns_in_order(const KernelSignature& signature, const std::vector<std::string>& names,
                                          const std::string& kernel_name) {
  const std::size_t none = names.size();
  std::vector<std::size_t> order(none);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto place_of = [&](const std::string& name) {
    for (std::size_t k = 0; k < none; ++k)
      if (signature[k].name == name) return k;
    return none;
  };
  const auto elsewhere = [&](std::size_t k) {
    const std::size_t place = names[k].empty() ? none : place_of(names[k]);
    return place != none && place != k;
  };
  if (std::none_of(order.begin(), order.end(), elsewhere)) return order;
  std::fill(order.begin(), order.end(), none);
  for (std::size_t k = 0; k < none; ++k) {
    if (names[k].empty()) continue;
    const std::size_t place = place_of(names[k]);
    if (place == none || order[place] != none)
      throw NmathError("columns[[" + std::to_string(k + 1) + "]] is named '" + names[k] + "', " +
                           (place == none ? "which is no parameter of" : "as another column is, of one parameter of") +
                           " kernel '" + kernel_name + "'",
                       "KernelCall", "", "Its parameters: " + signature_text(signature));
    order[place] = k;
  }
  std::size_t next = 0;
  for (std::size_t k = 0; k < none; ++k) {
    if (!names[k].empty()) continue;
    while (order[next] != none) ++next;
    order[next] = k;
  }
  return order;
}

// Gives the columns to the kernel, in the types that it asks for. `order`: which one each parameter takes.
void add_columns(openclPort::KernelCall& call, const std::vector<KernelArgument>& columns,
                 const std::vector<std::size_t>& order, std::size_t n, const KernelSignature& signature,
                 ArgumentMemory& memory) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const KernelArgument& given = columns[order[k]];
    const std::string what = "columns[[" + std::to_string(order[k] + 1) + "]]";
    const bool scalar = signature[k].kind == Kind::value;
    const Column& column = given.column;
    if (scalar && column.length != 1)
      refuse_value(what, signature[k], "it has " + std::to_string(column.length) + " elements");
    if (given.handle != R_NilValue) {
      add_resident(call, given, signature[k], what, memory);
      continue;
    }
    memory.buffers.push_back(argument_bytes(column, scalar ? 1 : n, signature[k], what));
    const std::vector<unsigned char>& buffer = memory.buffers.back();
    if (scalar)
      add_value(call, signature[k], what, buffer);
    else
      call.input_bytes(what, buffer.data(), buffer.size(), element_type(signature[k]));
  }
}

SEXP compute(const std::function<openclPort::KernelCall()>& make_call, const std::string& kernel_name,
             const std::vector<KernelArgument>& columns, const std::vector<std::string>& names, int n, bool keep) {
  openclPort::KernelCall call = make_call();
  const KernelSignature signature = call.program()->signature(kernel_name);
  check_signature(signature, columns.size(), kernel_name);
  const std::size_t items = static_cast<std::size_t>(n);
  auto memory = std::make_shared<ArgumentMemory>();
  add_columns(call, columns, columns_in_order(signature, names, kernel_name), items, signature, *memory);
  const KernelParameter &out = signature[columns.size()], &len = signature[columns.size() + 1];
  const r::Keep list(r::enter([] { return Rf_allocVector(VECSXP, 1); }));
  std::unique_ptr<handles::Vector> stays;
  if (keep) {
    stays = resident_result(call.device(), out, items, list, 0);
    memory->vectors.push_back(stays->resident);
    memory->kept.push_back(VECTOR_ELT(list, 0));
    call.memory("out", stays->resident->buffer());
  }
  memory->buffers.emplace_back(keep ? 0 : items * openclPort::scalar_bytes(out.type));
  std::vector<unsigned char>& result = memory->buffers.back();
  const std::vector<unsigned char> length =
      argument_bytes({&n, 1, Column::Type::i32}, 1, len, "the number of elements");
  if (!keep) call.output_bytes("out", result.data(), result.size(), element_type(out));
  call.value_bytes("len", length.data(), length.size()).items(items);
  run_interruptible(call, items, memory);
  if (keep) {
    handles::hand_over(std::move(stays), list, 0);
    return VECTOR_ELT(list, 0);
  }
  return result_vector(result, n, out);
}

}  // namespace

SEXP run_elementwise_user_kernel(const std::function<openclPort::KernelCall()>& make_call,
                                 const std::string& kernel_name, SEXP columns, int n, bool keep,
                                 openclPort::RunReport& report) {
  openclPort::Stopwatch watch;
  release_left_memory();
  const std::vector<KernelArgument> inputs = kernel_arguments(columns);
  const r::Keep value(n > 0 ? compute(make_call, kernel_name, inputs, names_of_list(columns), n, keep)
                            : r::enter([] { return Rf_allocVector(REALSXP, 0); }));
  report.total = watch.lap();
  return result_list(value, {}, report);
}
