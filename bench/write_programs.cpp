// write_programs -- writes every program of the package, assembled as a host would build it, into a folder.
//
//   write_programs ROOT FOLDER    FOLDER/dnorm_kernel.cl ...; for offline compilers (tools/check_sources.sh)
#include <fstream>
#include <iostream>

#include "elementwise.h"
#include "ex_glmbayes_opencl.h"
#include "kernel_loader.h"
#include "nmath_error.h"

namespace {

void write(const std::string& folder, const std::string& name, const std::string& text) {
  std::ofstream file(folder + "/" + name + ".cl", std::ios::binary);
  file << text;
  if (!file.flush()) throw openclPort::NmathError("cannot write " + folder + "/" + name + ".cl");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: write_programs ROOT FOLDER\n";
    return 2;
  }
  try {
    openclPort::set_cl_root("nmathopencl", std::string(argv[1]) + "/inst/cl");
    for (const auto& spec : openclPort::kernel_registry())
      write(argv[2], spec.kernel_name, openclPort::build_rmath_opencl_program(spec.kernel_file));
    for (const auto& spec : ex_glmbayes::opencl::glm_kernel_registry())
      write(argv[2], spec.kernel_name, ex_glmbayes::opencl::build_glm_program(spec));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "write_programs: " << error.what() << "\n";
    return 1;
  }
}
