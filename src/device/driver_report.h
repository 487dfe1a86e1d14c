// driver_report -- what a kind of device found of what it needs on this machine, for people who look for a fault.
#pragma once

#include <string>
#include <vector>

namespace openclPort {

struct PlatformReport {
  int index = -1;  // from 0, as the driver lists them
  std::string name, vendor, version;
  int devices = 0;      // that it tells of, those that were left out too
  std::string problem;  // why it is not used
};

struct DriverReport {
  bool headers = false;         // the kind's headers were there when the package was built, which does not need them
  bool built = true;            // false: this package was built without what the kind needs
  std::string library;          // the file that was opened; "" where there is none
  std::string library_version;  // as it tells of itself
  std::string problem;          // why there is no library, or why it cannot be used here
  std::vector<PlatformReport> platforms;
};

}  // namespace openclPort
