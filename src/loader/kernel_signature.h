// kernel_signature -- the parameters of a kernel: as the driver tells them, else as the program's text has them.
//
// Plain data and text only: what asks a driver is in kernel_bundle.cpp. Everything is reentrant.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "loader/c_tokens.h"

namespace openclPort {

struct KernelParameter {
  enum class Kind { buffer, local, value, image, sampler, unknown };
  Kind kind = Kind::unknown;
  std::string type;  // of the value, or of a buffer's elements: "double", "int", ...; as written where it is no scalar
  std::string name;
  bool read_only = false;  // a buffer that the kernel does not write
};

using KernelSignature = std::vector<KernelParameter>;
using KernelSignatures = std::map<std::string, KernelSignature>;  // by kernel

// "__global const double* x": how messages name a parameter.
std::string parameter_text(const KernelParameter& parameter);

// Bytes of a scalar type of OpenCL C that the host has too, "double", "unsigned int", "ulong", ...; 0 for any other
// type.
std::size_t scalar_bytes(const std::string& type);

// The one name of a scalar type, "uint" for "unsigned int"; any other text as it is.
std::string scalar_type_name(const std::string& type);

// What the text of a program says of a kernel, comments and directives left aside; names that the text gives to a
// scalar type by typedef or a macro are followed. Nothing if the text does not define such a kernel; a parameter that
// cannot be read (a struct, a macro) is `unknown`.
std::optional<KernelSignature> parse_kernel_signature(const std::string& text, const std::string& kernel);

// A kernel among the tokens of a text, by their numbers: `keyword` is "__kernel", `open` and `close` are the
// parentheses of its parameters, `end` is the brace behind its body; 0 where it is only declared.
struct KernelDefinition {
  std::string name;
  std::size_t keyword, open, close, end;
  KernelSignature signature;
};
// Those that do not stand in a directive.
std::vector<KernelDefinition> kernel_definitions(const std::vector<CToken>& tokens);
bool is_kernel_word(const std::string& word);  // "__kernel", "kernel"

// All signatures as one text, and back; nothing for a text that is no such list.
std::string write_signatures(const KernelSignatures& signatures);
std::optional<KernelSignatures> read_signatures(const std::string& text);

}  // namespace openclPort
