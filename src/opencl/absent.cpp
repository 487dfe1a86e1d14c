// absent -- replaces all other files of opencl/ in a package built --without-opencl: a kind without devices.
#include "base/nmath_error.h"
#include "opencl/opencl_kind.h"

namespace openclPort {

namespace {

class AbsentKind : public DeviceKind {
 public:
  void enter(const char* step) override {
    throw NmathError("this installation of nmathopencl was built without OpenCL (--without-opencl)", step, "",
                     "Use device = \"host\", or install nmathopencl again without that option; it needs nothing else.");
  }
  bool installed() noexcept override { return false; }
  std::vector<DeviceInfo> list() override { return {}; }
  DriverReport report() override {
    DriverReport report;
    report.built = false;
    report.problem = "this installation of nmathopencl was built without OpenCL (--without-opencl)";
    return report;
  }
  Fp64Probe probe(const DeviceInfo&, bool) override { return {}; }
  SharedDevice open(const DeviceInfo&) override {
    enter("open_device");
    return nullptr;
  }
  SharedImage source_image(const DeviceInfo&, ImageSource) override {
    enter("from_source");
    return nullptr;
  }
};

}  // namespace

DeviceKind* opencl_kind() {
  static AbsentKind* const kind = new AbsentKind;
  return kind;
}

}  // namespace openclPort
