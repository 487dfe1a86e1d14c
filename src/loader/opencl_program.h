// opencl_program -- a kernel's whole program, with what it consists of.
//
// Reads files only; reentrant. Every failure is an NmathError.
#pragma once

#include <string>
#include <vector>

namespace openclPort {

struct ProgramFile {
  std::string name;   // below inst/cl, as build logs name it
  std::string layer;  // "preload", "library" or "kernel"
  std::size_t first;  // the line of the program that is the file's line 1, counted from 1
  std::size_t lines;
  std::size_t bytes;
};

struct OpenclProgram {
  std::string text;
  std::vector<ProgramFile> files;    // in program order
  std::vector<std::string> kernels;  // that the kernel's file defines
};

// The layers, of each library that the kernel's tags depends_<lib> and all_depends_<lib> name what it needs, the
// kernel. Without such a tag, of nmath what provides the functions that the kernel calls. Libraries are folders of
// `package` or else of nmathopencl.
OpenclProgram opencl_program(const std::string& kernel_relative_path, const std::string& package);

// The same for a kernel's file anywhere, with libraries of nmathopencl.
OpenclProgram opencl_program_of_file(const std::string& kernel_path);

}  // namespace openclPort
