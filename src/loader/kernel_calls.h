// kernel_calls -- finds in the text of a kernel which names of a library it uses.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "loader/c_outline.h"
#include "loader/kernel_index.h"

namespace openclPort {

// Where a name that the files of a library @provide comes from.
struct ProvidedName {
  std::string stem;
  bool called;  // a function or a macro with parameters: a use of it is a call
};

// Of several files that provide a name, one that defines it; else the first in the order given.
std::map<std::string, ProvidedName> provided_by(const std::vector<LibraryFile>& files);

// The names of `provided` that a text uses and does not define itself, with the first line of each.
std::map<std::string, std::size_t> names_used(const COutline& text,
                                              const std::map<std::string, ProvidedName>& provided);

bool is_opencl_builtin(const std::string& name);   // work-items, synchronization, atomics, vectors, special functions
bool is_opencl_function(const std::string& name);  // these and C's mathematics, which OpenCL C has too

}  // namespace openclPort
