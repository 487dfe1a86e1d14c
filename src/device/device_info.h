// device_info -- properties of a device that are known without opening it, and those that engines ask for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace openclPort {

class DeviceKind;

struct DeviceInfo {
  int index = 0;            // from 1, over all devices but the host: what users name a device by; 0: the host
  int platform_index = -1;  // from 0, as the driver lists them
  int device_index = -1;    // from 0, within the platform
  std::string platform_name, platform_vendor, platform_version;
  std::string name, vendor, version, driver_version;
  std::string type;  // "gpu", "accelerator", "cpu", "other" or "host": for people, and for `device =`
  unsigned compute_units = 0;
  std::uint64_t global_mem = 0, max_alloc = 0, local_mem = 0;  // bytes
  std::size_t max_work_group = 0;
  std::size_t max_work_items[3] = {0, 0, 0};  // of a group in each dimension; 0: not known
  bool fp64_extension = false;                // declared by the driver; fp64_probe() tells whether it works

  // ---- what an engine asks ----
  bool host_memory = false;  // works on the caller's memory: nothing needs to be copied
  bool compiles = true;      // can compile program text, as far as is known before a compiler has been tried; if
                             // false, only the package's own kernels run
  bool immediate = false;    // a launch is over when it returns: whatever threads there are may launch at once
  bool recycles = true;      // its elementwise kernels recycle short columns and take columns of flags (OPENCL.cl)
  bool wide_cores = false;   // few wide cores: a work-item for several elements at a time suits it; else tiles do
  bool pairs = false;        // its doubles are pairs of floats (pair_device.h)
  bool single = false;       // and the values of expressions floats
  int matrix_units = 0;     // generation of its matrix units for doubles, as compute capability; 0: none; -1: pretended
  double unit_speed = 1.0;  // how many cores of the host a compute unit stands for: a low guess
  double unit_range = 1.0;  // how many times as fast as that it may be

  // Programs of expressions use matrix units, or, in tests, code that computes the same without them (EXPR_MULTIPLY in
  // arithmetic.cl).
  static constexpr int kPretendedMatrixUnits = -1, kMatrixUnits = 8;
  bool multiplies_matrices() const { return matrix_units >= kMatrixUnits || matrix_units == kPretendedMatrixUnits; }

  const char* arithmetic() const { return single ? "single" : pairs ? "pair" : "double"; }

  // ---- its kind's own ----
  void* platform = nullptr;
  void* device = nullptr;
  DeviceKind* kind = nullptr;
};

}  // namespace openclPort
