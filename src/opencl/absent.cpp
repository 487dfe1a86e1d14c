// absent -- what stands in for all other files of opencl/ in a package built --without-opencl.
//
// There are no devices; every way to one throws. What could only be done to something that such a way had made is never
// reached, and does nothing.
#include "opencl/opencl_device.h"
#include "opencl/opencl_kind.h"
#include "opencl/session.h"

namespace openclPort {

// ---- OpenCL_helper

bool has_opencl() noexcept { return false; }
bool opencl_forked() noexcept { return false; }
NmathError opencl_fork_error(const std::string& step) { return NmathError("OpenCL is absent", step); }

void enter_opencl(const char* step) {
  throw NmathError("this installation of nmathopencl was built without OpenCL (--without-opencl)", step, "",
                   "Use device = \"host\", or install nmathopencl again without that option; it needs nothing else.");
}

namespace {

class AbsentKind : public DeviceKind {
 public:
  void enter(const char* step) override { enter_opencl(step); }
  bool ready() noexcept override { return false; }
  std::vector<DeviceInfo> list() override { return {}; }
  Fp64Probe probe(const DeviceInfo&, bool) override { return {}; }
  SharedDevice open(const DeviceInfo&) override {
    enter_opencl("open_device");
    return nullptr;
  }
};

}  // namespace

DeviceKind* opencl_kind() {
  static AbsentKind* const kind = new AbsentKind;
  return kind;
}

// ---- session

std::shared_ptr<Session> session_for(const DeviceInfo&) {
  enter_opencl("session_for");
  return nullptr;
}

KernelBundle build_once(const KernelBundle& source, RunReport&) {
  enter_opencl("build");
  return source;
}

void drop_sessions() {}

// ---- kernel_bundle

struct ProgramImage {
  DeviceInfo device;
};

KernelBundle KernelBundle::from_source(const DeviceInfo&, const std::string&, const std::string&) {
  enter_opencl("from_source");
  return KernelBundle(Images());
}
KernelBundle KernelBundle::link(const std::vector<KernelBundle>&, const std::string&) {
  enter_opencl("link");
  return KernelBundle(Images());
}
KernelBundle KernelBundle::join(const std::vector<KernelBundle>&) {
  enter_opencl("join");
  return KernelBundle(Images());
}
KernelBundle KernelBundle::renewed() const { return *this; }
KernelBundle KernelBundle::with_specialization_constant(const std::string&, const SpecializationValue&) const {
  return *this;
}
KernelBundle KernelBundle::compile(const ProgramHeaders&) const { return *this; }
KernelBundle KernelBundle::build() const { return *this; }
BundleState KernelBundle::state() const { return BundleState::source; }
const DeviceInfo& KernelBundle::device() const { return images_.front()->device; }
std::size_t KernelBundle::image_count() const { return 0; }
std::string KernelBundle::build_log() const { return ""; }
std::string KernelBundle::options() const { return ""; }
SpecializationConstants KernelBundle::specialization_constants() const { return {}; }
bool KernelBundle::has_specialization_constant(const std::string&) const { return false; }
bool KernelBundle::from_disk() const { return false; }
std::vector<std::string> KernelBundle::kernel_names() const { return {}; }
bool KernelBundle::has_kernel(const std::string&) const { return false; }
KernelInfo KernelBundle::kernel_info(const std::string&) const { return {}; }
KernelSignature KernelBundle::signature(const std::string&) const { return {}; }
bool KernelBundle::compatible_with(const DeviceInfo&, const std::vector<std::string>&) const { return false; }

SharedProgram program_of_bundle(const KernelBundle&) {
  enter_opencl("KernelCall");
  return nullptr;
}

}  // namespace openclPort
