// device_speed -- measured rates of devices, and guesses for those that are not measured yet.
#include "engine/device_speed.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/process_mutex.h"

namespace openclPort {

namespace {

constexpr double kAlike = 1.25;  // devices of one name are as fast as each other but for such a factor

struct Speed {
  double rate = 0;  // elements a second
  int times = 0;    // the first time a driver may have had more to do
};

using SpeedKey = std::pair<std::string, std::pair<std::string, int>>;  // work; the device's name and index

// Never destroyed, like all state of the process.
struct Speeds {
  ProcessMutex mutex;
  std::map<SpeedKey, Speed> known;
};

Speeds& speeds() {
  static Speeds* const instance = new Speeds;
  return *instance;
}

SpeedKey key_of(const std::string& work, const DeviceInfo& device) { return {work, {device.name, device.index}}; }

Speed known_speed(const std::string& work, const DeviceInfo& device) {
  const std::lock_guard<ProcessMutex> lock(speeds().mutex);
  const auto found = speeds().known.find(key_of(work, device));
  return found == speeds().known.end() ? Speed() : found->second;
}

// Speeds that differ by chance are made equal, so that equal devices have equal ranges.
void even_out(const std::vector<SharedDevice>& devices, std::vector<double>& rates) {
  for (std::size_t a = 0; a < rates.size(); ++a) {
    std::vector<std::size_t> like;
    double fastest = 0, slowest = rates[a], sum = 0;
    for (std::size_t b = 0; b < rates.size(); ++b) {
      if (devices[b]->info().name != devices[a]->info().name) continue;
      like.push_back(b);
      fastest = std::max(fastest, rates[b]);
      slowest = std::min(slowest, rates[b]);
      sum += rates[b];
    }
    if (fastest > kAlike * slowest) continue;
    for (const std::size_t b : like) rates[b] = sum / static_cast<double>(like.size());
  }
}

}  // namespace

std::vector<double> guessed_rates(const std::vector<SharedDevice>& devices) {
  std::vector<double> rates;
  for (const SharedDevice& device : devices) {
    const DeviceInfo& info = device->info();
    rates.push_back(std::max(info.compute_units, 1u) * info.unit_speed * std::sqrt(std::max(info.unit_range, 1.0)));
  }
  even_out(devices, rates);
  return rates;
}

DeviceRates rates_of(const std::vector<SharedDevice>& devices, const std::string& work) {
  DeviceRates rates;
  for (const SharedDevice& device : devices) {
    const Speed speed = known_speed(work, device->info());
    rates.of.push_back(speed.rate);
    rates.settled.push_back(speed.times > 1);
    rates.measured = rates.measured && speed.times > 0;
  }
  if (!rates.measured)
    rates.of = guessed_rates(devices);
  else
    even_out(devices, rates.of);
  return rates;
}

void note_rate(const std::string& work, const DeviceInfo& device, double elements, double seconds) {
  if (seconds <= 0) return;
  const double rate = elements / seconds;
  const std::lock_guard<ProcessMutex> lock(speeds().mutex);
  Speed& speed = speeds().known[key_of(work, device)];
  speed.rate = speed.times < 2 ? rate : (speed.rate + rate) / 2;
  ++speed.times;
}

void trust_more(const std::string& work, const DeviceInfo& device) {
  const std::lock_guard<ProcessMutex> lock(speeds().mutex);
  speeds().known[key_of(work, device)].rate *= 1.1;
}

void forget_rates() {
  const std::lock_guard<ProcessMutex> lock(speeds().mutex);
  speeds().known.clear();
}

}  // namespace openclPort
