// host_compiler_wrappers -- R boundary of the host device's C compiler.
#include <sstream>

#include "base/nmath_error.h"
#include "base/shared_object.h"
#include "device/host_compiler.h"
#include "r_boundary.h"

namespace {

// Fields between tabs.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream in(line);
  for (std::string word; std::getline(in, word, '\t');)
    if (!word.empty()) words.push_back(word);
  return words;
}

// host_compiler_setting() of R/host_compiler.R: the reason why there is none, or five lines.
openclPort::HostCompiler setting_of_r() {
  openclPort::HostCompiler compiler;
  std::istringstream lines(r::string_from("nmathopencl", "host_compiler_setting", {}));
  std::string command, flags, link_flags;
  std::getline(lines, compiler.missing);
  std::getline(lines, command);
  std::getline(lines, flags);
  std::getline(lines, link_flags);
  std::getline(lines, compiler.folder);
  compiler.command = words_of(command);
  compiler.flags = words_of(flags);
  compiler.link_flags = words_of(link_flags);
  return compiler;
}

}  // namespace

// Asked each time a program's text is to be run: options may change.
// [[Rcpp::init]]
void host_compiler_connect_to_r(DllInfo* dll) {
  (void)dll;
  openclPort::set_host_compiler_resolver(setting_of_r);
}

// Why nothing that the compiler makes can be run here, tried with next to nothing; "" where it can.
// [[Rcpp::export(rng = false)]]
SEXP host_compiler_problem_cpp() {
  return guard_core([] {
    std::string problem;
    try {
      openclPort::HostCompiler compiler = openclPort::host_compiler();
      constexpr double kPatience = 20;  // a text of one line
      compiler.seconds = kPatience;
      problem = compiler.missing;
      if (problem.empty())
        openclPort::SharedObject(openclPort::compile_host_object(compiler, "int nmath_probe;\n", ""), compiler.folder);
    } catch (const openclPort::NmathError& error) {
      problem = error.what();
    }
    return r::enter([&] { return r::value(problem); });
  });
}

// What the host device would compile with, and how often it did; `missing`: why it does not.
// [[Rcpp::export(rng = false)]]
SEXP host_compiler_cpp() {
  return guard_core([] {
    const openclPort::HostCompiler compiler = openclPort::host_compiler();
    const int compilations = static_cast<int>(openclPort::host_compilations());
    return r::enter([&] {
      r::List list(5);
      list.add("missing", compiler.missing).add("command", compiler.command).add("flags", compiler.flags);
      return list.add("link_flags", compiler.link_flags).add("compilations", compilations).done();
    });
  });
}
