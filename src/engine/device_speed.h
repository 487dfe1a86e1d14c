// device_speed -- measured speed of devices, by the name of the work; calls on several devices are divided by it.
// Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "device/device.h"

namespace openclPort {

// Elements a second, or what stands for them.
struct DeviceRates {
  std::vector<double> of;     // each device
  bool measured = true;       // all of them; else all are guesses
  std::vector<bool> settled;  // measured more than once
};

// Devices of one name have one rate unless they differ by more than chance.
DeviceRates rates_of(const std::vector<SharedDevice>& devices, const std::string& work);
// By what they say of themselves, whatever was measured.
std::vector<double> guessed_rates(const std::vector<SharedDevice>& devices);

void note_rate(const std::string& work, const DeviceInfo& device, double elements, double seconds);
// A device was left out: in the long run it is tried again.
void trust_more(const std::string& work, const DeviceInfo& device);
void forget_rates();  // for tests

}  // namespace openclPort
