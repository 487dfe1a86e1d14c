// elementwise_user_kernel_wrappers -- a user's kernel with a work-item for each element of its columns.
#include "elementwise_user_kernel.h"

#include <memory>

#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "kernel_arguments.h"
#include "vector_columns.h"

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

// Gives the columns to the kernel, in the types that it asks for.
void add_columns(openclPort::KernelCall& call, const std::vector<KernelArgument>& columns, std::size_t n,
                 const KernelSignature& signature, ArgumentMemory& memory) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::string what = "columns[[" + std::to_string(k + 1) + "]]";
    const bool scalar = signature[k].kind == Kind::value;
    const Column& column = columns[k].column;
    if (scalar && column.length != 1)
      refuse_value(what, signature[k], "it has " + std::to_string(column.length) + " elements");
    if (columns[k].handle != R_NilValue) {
      add_resident(call, columns[k], signature[k], what, memory);
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
             const std::vector<KernelArgument>& columns, int n, bool keep) {
  openclPort::KernelCall call = make_call();
  const KernelSignature signature = call.program()->signature(kernel_name);
  check_signature(signature, columns.size(), kernel_name);
  const std::size_t items = static_cast<std::size_t>(n);
  auto memory = std::make_shared<ArgumentMemory>();
  add_columns(call, columns, items, signature, *memory);
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
  const r::Keep value(n > 0 ? compute(make_call, kernel_name, inputs, n, keep)
                            : r::enter([] { return Rf_allocVector(REALSXP, 0); }));
  report.total = watch.lap();
  return result_list(value, {}, report);
}
