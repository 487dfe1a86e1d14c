// host_compiler -- the C compiler by which the host device compiles programs from their text.
//
// Declared here for programs that register a compiler; the host device (host/host_compiler.cpp) defines it.
//
// The embedding program registers a compiler, or a function that finds one when a program has to be compiled. Without
// either, programs cannot be compiled on the host. Thread-safe.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace openclPort {

constexpr const char* kHostName = "host";  // the host device in errors

// Compiling and linking is one command: command, flags, -o OBJECT, SOURCE, link_flags.
struct HostCompiler {
  std::vector<std::string> command;  // the program, by name or full path (find_program()), and words that go with it
  std::vector<std::string> flags, link_flags;
  std::string folder;    // where temporary folders are made; "": where the system has them
  double seconds = 300;  // that one run of it may take
  std::string missing;   // why there is none; "" where there is one
};

void set_host_compiler(const HostCompiler& compiler);
// Asked at each use, on the thread that set it only; elsewhere its last answer holds.
void set_host_compiler_resolver(std::function<HostCompiler()> resolver);

// `command` by its full path; or `missing` says why there is none.
HostCompiler host_compiler();
bool host_compiler_expected();  // false: there is none; true: one was found, or nobody looked yet

// What tells the object of a program from every other: its text, how it is compiled, and for which processor.
std::string host_object_key(const HostCompiler& compiler, const std::string& text, const std::string& options);
// The shared object of a C text, `options` being -D and -U words. A text that does not compile is an NmathError with
// the compiler's words.
std::string compile_host_object(const HostCompiler& compiler, const std::string& c_text, const std::string& options);
// The same in two steps: a part of a program, with the compiler's warnings in `log`, if they are wanted; and the shared
// object of such.
std::string compile_host_part(const HostCompiler& compiler, const std::string& c_text, const std::string& options,
                              std::string* log = nullptr);
std::string link_host_parts(const HostCompiler& compiler, const std::vector<const std::string*>& parts);
// The same text with its macros followed.
std::string expand_host_text(const HostCompiler& compiler, const std::string& c_text, const std::string& options);

unsigned host_compilations();  // how often the compiler made an object in this process

}  // namespace openclPort
