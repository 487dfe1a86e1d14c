// fault_layer -- a shared library in the place of OpenCL's: fails chosen calls, lies about the device, counts handles.
//
// It defines every function of OpenCL 1.2 (images, samplers and graphics apart) and passes each on to the real library,
// which it opens itself. A test program gives its file() to use_opencl_library(). Any other program on the core meets
// it as a link libOpenCL.so.1 in a folder of LD_LIBRARY_PATH, and the environment gives the orders:
//   NMATH_FAULT_NEXT=FILE    the real library; libOpenCL.so.1 where it is not set
//   NMATH_FAULT=function:k:status[:lasting]    as fail_call(); `*` for any function
//   NMATH_FAULT_LIE=single,no_fp64,gpu,group=N,memory=BYTES    as set_lies()
// Thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace fault_layer {

std::string file();  // of this library

struct Fault {
  std::string function;  // "clFinish"; "" or "*": any
  long call = 0;         // which of its calls from now on, from 1; 0: none
  int status = 0;
  bool lasting =
      false;  // the device is lost: every later call but queries and releases fails too, until a context is made
};

// What a fault did.
struct Fired {
  std::string function;   // "": it did not happen yet
  bool harmless = false;  // a queue without work was finished, or host memory for staging was denied
};

void fail_call(const Fault& fault);  // forgets the one before
void stop_failing();                 // a lost device stays lost
Fired fired();

// From now on a context on the same device, and a program of the same text in it, is the one that the driver has made
// already, whatever was released meanwhile: it takes a driver longer to build a program than to do all else that tests
// count. Calls, failures and handles are those of contexts and programs made anew. A program is built with other
// options than before by the driver.
void keep_builds(bool keep);

void start_counting();  // calls so far: none
long calls();
std::map<std::string, long> calls_by_function();

enum class Kind { context, queue, program, kernel, memory, event, mapping };

// References made less references released, and mappings not unmapped.
struct Live {
  long count[7] = {0, 0, 0, 0, 0, 0, 0};
  long total() const;
  std::string text() const;  // "2 kernels, 1 event"; "nothing"
};
Live live();

// Bytes of buffers in the device's own memory: now, and at the most since start_counting().
std::size_t device_bytes();
std::size_t peak_device_bytes();

struct Lies {
  bool single_precision = false;  // what the device computes arrives rounded to floats
  bool no_fp64 = false;           // double precision is not declared
  bool gpu = false;               // every device is a GPU with memory of its own: no sharing, the kernels for GPUs
  std::size_t group_limit = 0;    // work-items of a group at most; 0: the driver's own
  std::size_t memory_limit = 0;   // bytes of all buffers in the device's memory; 0: the driver's own
};
void set_lies(const Lies& lies);

}  // namespace fault_layer
