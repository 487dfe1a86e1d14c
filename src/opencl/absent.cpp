// absent -- what stands in for all other files of opencl/ in a package built --without-opencl.
//
// There are no devices; every way to one throws. What could only be done to something that such a way had made is never
// reached, and does nothing.
#include "engine/ex_glmbayes_pieces.h"
#include "engine/opencl_kernel_runners.h"
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

// ---- discovery

std::vector<DeviceInfo> list_devices() { return {}; }
std::vector<std::string> skipped_devices() { return {}; }
void reset_devices() {}
std::string describe_devices(const std::vector<DeviceInfo>&) { return "none"; }
int nvidia_capability(const DeviceInfo&) { return 0; }
int detect_num_gpus_internal() { return 0; }
int get_opencl_core_count() { return 1; }

Fp64Probe fp64_probe(const DeviceInfo&, bool) {
  enter_opencl("fp64_probe");
  return {};
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

void set_user_programs(int) {}
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

// ---- kernel_call

KernelCall::KernelCall(std::shared_ptr<Session>, const KernelBundle& executable, const std::string& kernel_name,
                       RunReport* report)
    : bundle_(executable), kernel_name_(kernel_name), report_(report) {
  enter_opencl("KernelCall");
}
KernelCall::KernelCall(const KernelBundle& executable, const std::string& kernel_name, RunReport* report)
    : KernelCall(nullptr, executable, kernel_name, report) {}
KernelCall::KernelCall(const DeviceInfo& device, const std::string& program_text, const std::string& kernel_name,
                       const std::string& options, RunReport* report)
    : KernelCall(nullptr, KernelBundle::from_source(device, program_text, options), kernel_name, report) {}
KernelCall::KernelCall(const DeviceInfo& device, const std::string&, const ProgramText&, const std::string& kernel_name,
                       const std::string& options, RunReport* report)
    : KernelCall(nullptr, KernelBundle::from_source(device, "", options), kernel_name, report) {}

KernelCall& KernelCall::input(const std::string&, const double*, std::size_t) { return *this; }
KernelCall& KernelCall::input(const std::string&, const int*, std::size_t) { return *this; }
KernelCall& KernelCall::input(const std::string&, const std::vector<double>&) { return *this; }
KernelCall& KernelCall::input(const std::string&, const std::vector<int>&) { return *this; }
KernelCall& KernelCall::output(const std::string&, double*, std::size_t) { return *this; }
KernelCall& KernelCall::value(const std::string&, int) { return *this; }
KernelCall& KernelCall::value(const std::string&, std::int64_t) { return *this; }
KernelCall& KernelCall::value(const std::string&, double) { return *this; }
KernelCall& KernelCall::local(const std::string&, std::size_t) { return *this; }
KernelCall& KernelCall::input_bytes(const std::string&, const void*, std::size_t) { return *this; }
KernelCall& KernelCall::output_bytes(const std::string&, void*, std::size_t) { return *this; }
KernelCall& KernelCall::value_bytes(const std::string&, const void*, std::size_t) { return *this; }
KernelCall& KernelCall::items(std::size_t) { return *this; }
KernelCall& KernelCall::nd_range(const std::vector<std::size_t>&, const std::vector<std::size_t>&) { return *this; }
void KernelCall::run() {}
void KernelCall::run_interruptible(const InterruptCheck&, std::shared_ptr<void>) {}

// ---- the engines' own ways

void run_elementwise_opencl(const DeviceInfo&, const KernelSpec&, const ProgramText&, const std::vector<Column>&,
                            std::size_t, double*, RunReport&, const CallHooks&, const ElementwiseOptions&,
                            std::uint64_t) {
  enter_opencl("run_elementwise_opencl");
}

}  // namespace openclPort

namespace ex_glmbayes {
namespace opencl {

bool run_glm_groups(const openclPort::DeviceInfo&, const GlmKernelSpec&, const nmath_host_glm_launch&, const GlmTuning&,
                    openclPort::RunReport&, const openclPort::InterruptCheck&) {
  openclPort::enter_opencl("run_glm_grid");
  return false;
}

}  // namespace opencl
}  // namespace ex_glmbayes
