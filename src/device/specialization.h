// specialization -- constants that a program text leaves open and a bundle fills in before it is built.
//
// In the text a constant is a macro; `#ifndef NAME` / `#define NAME 8` / `#endif` gives it a default. The value that a
// bundle sets reaches the compiler as -DNAME=literal, exactly: doubles as hexadecimal literals.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace openclPort {

using SpecializationValue = std::variant<bool, std::int32_t, std::int64_t, double>;
using SpecializationConstants = std::map<std::string, SpecializationValue>;  // by name: one order, one program

// Throws NmathError unless `name` is an identifier that a program may define: letters, digits and _, no digit in front,
// not `defined`, and not one of the compiler's own that begin with two underscores.
void check_specialization_name(const std::string& name);

std::string specialization_literal(const SpecializationValue& value);  // as OpenCL C writes it: "0x18p-3", "7", "7L"

// NmathError where -D, -U or -I has nothing to define, forget or look in: some drivers crash of it.
void check_compiler_options(const std::string& options);

// `options` and, after them, a -D for each constant.
std::string with_specialization_options(const std::string& options, const SpecializationConstants& constants);

bool mentions_identifier(const std::string& text, const std::string& name);  // as a whole word

}  // namespace openclPort
