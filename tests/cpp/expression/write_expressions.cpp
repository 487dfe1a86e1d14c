// write_expressions -- writes programs of expressions of every kind into a folder, for offline compilers.
//
//   write_expressions ROOT FOLDER    FOLDER/real_sum_by.cl ...; those that may share forms once more, sharing them
#include <fstream>
#include <iostream>
#include <iterator>

#include "base/nmath_error.h"
#include "expression_test.h"
#include "loader/kernel_loader.h"
#include "loader/nmath_library.h"

namespace {

void write(const std::string& file, const std::string& text) {
  std::ofstream to(file, std::ios::binary);
  to << text;
  if (!to.flush()) throw openclPort::NmathError("cannot write " + file);
}

std::string read(const std::string& file) {
  std::ifstream from(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(from), std::istreambuf_iterator<char>()};
}

// Without a tag the loader finds what a C text calls; one that calls nothing of the library needs its layers.
std::string program_of(const std::string& text) {
  const std::string program = openclPort::user_program(text);
  if (program.find("OPENCLPORT_OPENCL_CL") != std::string::npos) return program;
  return openclPort::user_program("// @depends_nmath: nmath\n" + text);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: write_expressions ROOT FOLDER\n";
    return 2;
  }
  try {
    const std::string library = std::string(argv[1]) + "/inst/cl";
    openclPort::set_cl_root("nmathopencl", library);
    const std::string arithmetic = read(library + "/expression/arithmetic.cl");
    for (const expression_test::Case& one : expression_test::all_cases()) {
      const auto made = expression_test::compiled(one, arithmetic);
      const std::string program = program_of(made.text.text), file = std::string(argv[2]) + '/' + one.name;
      write(file + ".cl", program);
      if (made.text.local_forms) write(file + "_shared.cl", "#define NMATH_LOCAL_FORMS\n" + program);
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "write_expressions: " << error.what() << "\n";
    return 1;
  }
}
