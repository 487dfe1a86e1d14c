// kernel_arguments -- converts R's vectors to the types of a user's kernel's parameters, and results back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/columns.h"
#include "device/kernel_call.h"
#include "loader/kernel_signature.h"
#include "r_boundary.h"
#include "r_handles.h"

// The memory of the arguments; it outlives the call if the kernel does.
struct ArgumentMemory {
  std::vector<std::vector<unsigned char>> buffers;
  std::vector<std::shared_ptr<openclPort::Resident>> vectors;  // that are resident on the device
  std::vector<SEXP> kept;                                      // R's memory behind some of them
};

// Runs the kernel, of so many elements, where Ctrl-C reaches it. One that is left running keeps the memory, R's own
// too, until release_left_memory() finds that it has ended. Both on R's thread.
void release_left_memory();
void run_interruptible(openclPort::KernelCall& call, std::size_t elements,
                       const std::shared_ptr<ArgumentMemory>& memory);

// An argument: an R vector or one that is resident on a device.
struct KernelArgument {
  openclPort::Column column;  // of a vector on a device: its length and type
  SEXP handle = R_NilValue;   // of such a vector, else NULL
};

// `list`: doubles, integers and logicals, and handles of vectors.
std::vector<KernelArgument> kernel_arguments(SEXP list);

// Of the elements of a buffer: f64 for doubles, else bytes.
openclPort::ElementType element_type(const openclPort::KernelParameter& parameter);

// A scalar argument from its bytes.
void add_value(openclPort::KernelCall& call, const openclPort::KernelParameter& parameter, const std::string& what,
               const std::vector<unsigned char>& bytes);

// Gives the call a vector that is resident on its device, for a parameter that must be a pointer to const elements of
// the vector's own type: nothing travels, so nothing is converted.
void add_resident(openclPort::KernelCall& call, const KernelArgument& argument,
                  const openclPort::KernelParameter& parameter, const std::string& what, ArgumentMemory& memory);

// What a kernel leaves on its device: `elements` for this parameter, of a type that R has. Element `at` of `list` gets
// R's memory, where that is the device's.
std::unique_ptr<handles::Vector> resident_result(const openclPort::SharedDevice& device,
                                                 const openclPort::KernelParameter& parameter, std::size_t elements,
                                                 SEXP list, R_xlen_t at);

[[noreturn]] void refuse_value(const std::string& what, const openclPort::KernelParameter& parameter,
                               const std::string& why);

// `n` elements for a parameter of a scalar type or a pointer to one, from as many or one. What the type cannot hold is
// an NmathError that speaks of `what`; NA is R's missing integer for an int, and NA for a double.
std::vector<unsigned char> argument_bytes(const openclPort::Column& x, std::size_t n,
                                          const openclPort::KernelParameter& parameter, const std::string& what);

// What a kernel left in the memory of this parameter: R's doubles, or integers where it is a pointer to int; not
// protected.
SEXP result_vector(const std::vector<unsigned char>& bytes, std::size_t n, const openclPort::KernelParameter& out);

std::string signature_text(const openclPort::KernelSignature& signature);

// Why a parameter cannot be given by R.
void check_known(const openclPort::KernelParameter& parameter, std::size_t number);
