// kernel_values -- R's vectors in the types that a user's kernel takes, and back.
#ifndef NMATHOPENCL_KERNEL_VALUES_H
#define NMATHOPENCL_KERNEL_VALUES_H

#include <string>
#include <vector>

#include "base/columns.h"
#include "loader/kernel_signature.h"
#include "r_boundary.h"

// The memory of the arguments; it outlives the call if the kernel does.
struct ArgumentMemory {
  std::vector<std::vector<unsigned char>> pieces;
};

[[noreturn]] void refuse_value(const std::string& what, const openclPort::KernelParameter& parameter,
                               const std::string& why);

// `n` elements for a parameter of a scalar type or a pointer to one, from as many or one. What the type cannot hold is
// an NmathError that speaks of `what`; NA is R's missing integer for an int, and NA for a double.
std::vector<unsigned char> kernel_values(const openclPort::Column& x, std::size_t n,
                                         const openclPort::KernelParameter& parameter, const std::string& what);

// What a kernel left in the memory of this parameter: R's doubles, or integers where it is a pointer to int; not
// protected.
SEXP result_vector(const std::vector<unsigned char>& bytes, std::size_t n, const openclPort::KernelParameter& out);

std::string signature_text(const openclPort::KernelSignature& signature);

// Why a parameter cannot be given by R.
void check_known(const openclPort::KernelParameter& parameter, std::size_t number);

#endif
