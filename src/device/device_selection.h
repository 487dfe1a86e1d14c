// device_selection -- which device a call runs on: from "auto", "gpu", an index or a name to one device.
//
// The environment variables NMATHOPENCL_PLATFORM_INDEX and NMATHOPENCL_DEVICE_INDEX (from 0) restrict every choice.
// Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "device/devices.h"

namespace openclPort {

// What doubles are on a device: by itself what it has, and pairs of floats where it has none; single: floats, and sums
// of them pairs.
enum class Arithmetic { automatic, doubles, pairs, single };

Arithmetic parse_arithmetic(const std::string& name);  // "double", "pair", "single"; "auto" and ""

// What a device computes with where it is asked to: "double", "pair", "single", or "" where it cannot.
std::string arithmetic_of(DeviceInfo device, Arithmetic asked);

struct DeviceSpec {
  enum class Kind { automatic, host, opencl, type, index, name };
  Kind kind = Kind::automatic;
  Arithmetic arithmetic = Arithmetic::automatic;
  int index = 0;     // Kind::index, from 1
  std::string text;  // Kind::type: the label; Kind::name: part of a name, lower case
};

DeviceSpec parse_device_spec(const std::string& spec);  // throws NmathError for an empty text or an index below 1

// The device that `spec` means. "auto": the best GPU with working double precision, else the host. "host": the host.
// "opencl": the best of GPUs, else accelerators, else CPUs. "gpu", "accelerator", "cpu": the best of that type. A
// number: that index. Else: a part of one device's name or of "platform device". Whatever was asked for by name and is
// not there, is ambiguous or lacks double precision, is an NmathError that lists what there is. A device without
// doubles is taken where it computes with pairs of floats in their place, but not by "auto"; "gpu|double", "host|pair"
// ask for one or the other.
DeviceInfo select_device(const std::string& spec);

// Those that several specifications mean, the host first and then by index: naming one twice is an error. "all" alone:
// every GPU that "auto" could take, or, where it would take the host, that.
std::vector<DeviceInfo> select_devices(const std::vector<std::string>& specs);
std::vector<SharedDevice> open_devices(const std::vector<std::string>& specs);  // the same, opened

}  // namespace openclPort
