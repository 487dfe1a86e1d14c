// opencl_kind -- OpenCL among the kinds of devices: what the other files of this folder do, by the names of the
// interface.
#include "opencl/opencl_kind.h"

#include "opencl/OpenCL_helper.h"
#include "opencl/discovery.h"
#include "opencl/opencl_device.h"
#include "opencl/session.h"

namespace openclPort {

namespace {

class OpenCLKind : public DeviceKind {
 public:
  void enter(const char* step) override { enter_opencl(step); }
  bool installed() noexcept override { return has_opencl(); }
  bool forked() const noexcept override { return opencl_forked(); }
  std::vector<DeviceInfo> list() override { return list_opencl_devices(); }
  std::vector<std::string> skipped() override { return skipped_opencl_devices(); }
  DriverReport report() override { return opencl_report(); }
  Fp64Probe probe(const DeviceInfo& device, bool keep_open) override { return opencl_fp64_probe(device, keep_open); }
  SharedDevice open(const DeviceInfo& device) override { return open_opencl_device(device); }
  SharedImage source_image(const DeviceInfo& device, ImageSource source) override {
    return opencl_source_image(session_for(device)->where(), std::move(source));
  }
  void close() override { drop_sessions(); }
  void reset() override { reset_opencl_devices(); }
};

}  // namespace

DeviceKind* opencl_kind() {
  static OpenCLKind* const kind = new OpenCLKind;
  return kind;
}

}  // namespace openclPort
