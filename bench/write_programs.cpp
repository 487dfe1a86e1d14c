// write_programs -- writes every program of the package, assembled as a host would build it, into a folder.
//
//   write_programs ROOT FOLDER    FOLDER/dnorm_kernel.cl ...; for offline compilers (tools/check_sources.sh)
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/nmath_error.h"
#include "engine/elementwise.h"
#include "glm/ex_glmbayes_grid.h"
#include "loader/kernel_loader.h"

namespace {

void write(const std::string& folder, const std::string& name, const std::string& text) {
  std::ofstream file(folder + "/" + name + ".cl", std::ios::binary);
  file << text;
  if (!file.flush()) throw openclPort::NmathError("cannot write " + folder + "/" + name + ".cl");
}

// The plain program, that for CPUs, and those for GPUs with specialization constants for a few and for many
// coefficients.
void write_glm(const std::string& folder, const ex_glmbayes::opencl::GlmKernelSpec& spec) {
  using namespace ex_glmbayes::opencl;
  const std::string name = spec.kernel_name;
  write(folder, name, build_glm_program(spec));
  write(folder, name + "_lanes", build_glm_grid_program(spec, GlmMethod::lanes));
  openclPort::DeviceInfo device;
  device.local_mem = 48 << 10;
  GlmTuning tuning;
  tuning.method = GlmMethod::tile;
  for (const int l2 : {5, 70}) {
    std::istringstream options(plan_glm_grid(device, 100, l2, 100, tuning).options);
    std::string text;
    for (std::string option; options >> option;) {
      option.replace(option.find('='), 1, " ");
      text += "#define " + option.substr(2) + "\n";
    }
    write(folder, name + "_tile_" + std::to_string(l2), text + build_glm_grid_program(spec, GlmMethod::tile));
  }
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
    for (const auto& spec : ex_glmbayes::opencl::glm_kernel_registry()) write_glm(argv[2], spec);
    // What a user gets who takes the whole library for one kernel.
    write(argv[2], "whole_nmath",
          openclPort::load_program_preload() + openclPort::load_kernel_library("nmath") +
              openclPort::load_kernel_source("src/dnorm_kernel.cl"));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "write_programs: " << error.what() << "\n";
    return 1;
  }
}
