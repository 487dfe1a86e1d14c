// devices -- lists the devices of all kinds.
//
// A kind of device is a folder that implements DeviceKind and Device, and a line in registration.cpp. The host is the
// first kind, with one device; the devices of all others are listed, from 1. Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "device/device.h"
#include "device/driver_report.h"
#include "device/program_image.h"
#include "device/program_store.h"

namespace openclPort {

struct Fp64Probe {
  bool works = false;
  std::string reason;  // why not
  std::string log;     // build log or error text of the probe
  bool busy = false;   // not now: a kernel that was interrupted runs on it
};

class DeviceKind {
 public:
  virtual ~DeviceKind() = default;
  // Throws NmathError where this process cannot use such devices, and says why.
  virtual void enter(const char* step) = 0;
  virtual bool installed() noexcept = 0;  // what it needs of this machine is there; says nothing about devices
  // What is there belongs to the process that this one was forked from: it must not be touched.
  virtual bool forked() const noexcept { return false; }
  bool ready() noexcept { return installed() && !forked(); }  // enter() would not throw
  virtual std::vector<DeviceInfo> list() = 0;                 // `kind` and `index` are filled in by who asks
  virtual std::vector<std::string> skipped() { return {}; }   // what the last list() left out, and why
  virtual DriverReport report() { return {}; }                // looks, opens nothing, and does not throw
  // Whether it really computes in double precision. Unless `keep_open`, nothing that was made for the probe stays.
  virtual Fp64Probe probe(const DeviceInfo& device, bool keep_open) = 0;
  virtual SharedDevice open(const DeviceInfo& device) = 0;
  virtual bool compiles() { return true; }  // as DeviceInfo has it, where that can change
  // The program of a text that is still to be built, for a bundle; throws where devices of this kind have no compiler.
  virtual SharedImage source_image(const DeviceInfo& device, ImageSource source);
  virtual void keep_programs(int most) { (void)most; }  // of users' texts, built; the least recently used leave first
  virtual void close() {}                               // drops what is open; the next use opens it again
  virtual void reset() {}                               // the same, and the next use looks again for devices
};

// ---- registration.cpp ----

std::vector<DeviceKind*> device_kinds();  // the host's first
void add_device_kind(DeviceKind* kind);   // for good; the caller never destroys it
void remove_device_kind(DeviceKind* kind);

// ---- devices.cpp ----

DeviceInfo host_device();
SharedDevice open_device(const DeviceInfo& device);
SharedImage source_image(const DeviceInfo& device, ImageSource source);

// All devices but the host. What cannot be queried is left out, with the reason in skipped_devices(). Empty where no
// kind is at hand; throws NmathError in a forked child of a process that had used them.
std::vector<DeviceInfo> list_devices();
std::vector<std::string> skipped_devices();
std::vector<DriverReport> driver_reports();  // one for each kind but the host's
Fp64Probe fp64_probe(const DeviceInfo& device, bool keep_open = false);
// What list_devices() gives, and which of them can be used, is the same as long as this number is; a kind notes what
// changes by itself.
unsigned long device_changes() noexcept;
void note_device_change() noexcept;
void close_devices();  // drops what is open
// Who keeps programs or memory of devices from call to call lets go of them where what is open is dropped: `let_go` is
// called then, from now on.
void when_devices_close(void (*let_go)());
void let_go_of_devices();  // calls all of these
void reset_devices();      // drops what is open, the lists and the probes

void keep_user_programs(int most);  // on each device, built from users' texts

// Those of kinds other than the host's: what they need is installed, says nothing about devices.
bool devices_installed() noexcept;
bool devices_ready() noexcept;         // some kind but the host's can be used
bool devices_forked() noexcept;        // and some other one is the parent's
void enter_devices(const char* step);  // throws where there is none to use, and says why

// "3: NVIDIA H200 (NVIDIA CUDA, gpu)" per device, joined by "; ".
std::string describe_devices(const std::vector<DeviceInfo>& devices);

}  // namespace openclPort
