// test_bundles_of_a_kind -- kernel bundles on a kind of device that is not OpenCL: what such a kind has to implement.
//
// Its "compiler" takes a text for the name of one kernel and refuses a text with "error" in it.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/nmath_error.h"
#include "base/report.h"
#include "device/device_selection.h"
#include "device/kernel_bundle.h"

using namespace openclPort;

namespace {

struct Generation {};  // what a reset of the device replaces
std::shared_ptr<const Generation>& present() {
  static std::shared_ptr<const Generation> own = std::make_shared<const Generation>();
  return own;
}

class NamedLaunch : public Launch {
 public:
  NamedLaunch(const std::string& kernel, unsigned arguments) : kernel_(kernel) {
    info_.arguments = arguments;
    info_.work_group_size = 1;
  }
  const std::string& kernel() const override { return kernel_; }
  const KernelInfo& info() const override { return info_; }
  void set_value(unsigned, const void*, std::size_t) override {}
  void set_buffer(unsigned, const Buffer&) override {}
  void set_local(unsigned, std::size_t) override {}
  void items(std::size_t, Cost) override {}

 private:
  const std::string kernel_;
  KernelInfo info_;
};

class NamedImage : public ProgramImage {
 public:
  NamedImage(BundleState state, ImageSource source, const DeviceInfo& device, std::vector<std::string> kernels = {})
      : ProgramImage(state, std::move(source)), device_(device), kernels_(std::move(kernels)) {}

  const DeviceInfo& device() const override { return device_; }
  void enter(const char*) const override {}
  bool current() const override { return made_in_ == present(); }
  bool beside(const ProgramImage& other) const override {
    const NamedImage* const own = dynamic_cast<const NamedImage*>(&other);
    return own != nullptr && own->made_in_ == made_in_;
  }
  std::string build_log() const override { return state() == BundleState::source ? "" : "a warning"; }

  SharedImage with_source(ImageSource source) const override {
    return std::make_shared<const NamedImage>(BundleState::source, std::move(source), device_);
  }
  bool builds_on(const DeviceInfo& device) const override { return device.compiles; }
  SharedImage compile(const ProgramHeaders&) const override { return compiled(BundleState::object); }
  SharedImage build() const override { return compiled(BundleState::executable); }
  SharedImage build_once(RunReport* report) const override {
    if (report != nullptr) ++report->built;
    return build();
  }
  SharedImage link(const std::vector<SharedImage>& objects, const std::string& options) const override {
    std::vector<std::string> kernels;
    for (const SharedImage& object : objects) kernels.push_back(*object->source().text);
    return std::make_shared<const NamedImage>(BundleState::executable, ImageSource{source().text, options}, device_,
                                              std::move(kernels));
  }

  bool from_disk() const override { return false; }
  std::vector<std::string> kernel_names() const override { return kernels_; }
  std::unique_ptr<Launch> launch(const std::string& kernel) const override {
    if (std::find(kernels_.begin(), kernels_.end(), kernel) == kernels_.end()) return nullptr;
    return std::make_unique<NamedLaunch>(kernel, 2);
  }
  NmathError no_kernel(const std::string& message) const override { return NmathError(message, "launch"); }
  KernelSignature signature(const std::string&, std::size_t arguments) const override {
    return KernelSignature(arguments);
  }

 private:
  SharedImage compiled(BundleState state) const {
    if (source().text->find("error") != std::string::npos) throw NmathError("it does not compile", "compile");
    return std::make_shared<const NamedImage>(state, source(), device_, std::vector<std::string>{*source().text});
  }

  const DeviceInfo device_;
  const std::vector<std::string> kernels_;
  const std::shared_ptr<const Generation> made_in_ = present();
};

class NamingKind : public DeviceKind {
 public:
  void enter(const char*) override {}
  bool installed() noexcept override { return true; }
  std::vector<DeviceInfo> list() override {
    DeviceInfo device;
    device.name = "a device that names";
    device.type = "accelerator";
    device.max_work_group = 1;
    return {device};
  }
  Fp64Probe probe(const DeviceInfo&, bool) override { return {true, "", ""}; }
  SharedDevice open(const DeviceInfo&) override { return nullptr; }
  SharedImage source_image(const DeviceInfo& device, ImageSource source) override {
    return std::make_shared<const NamedImage>(BundleState::source, std::move(source), device);
  }
  void keep_programs(int most) override { kept_ = most; }
  void close() override { present() = std::make_shared<const Generation>(); }
  int kept_ = 0;
};

class BundlesOfAKind : public ::testing::Test {
 protected:
  void SetUp() override { add_device_kind(&kind_); }
  void TearDown() override { remove_device_kind(&kind_); }
  KernelBundle bundle(const std::string& text) const {
    return KernelBundle::from_source(select_device("a device that names"), text);
  }

  NamingKind kind_;
};

template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const NmathError& error) {
    return error.what();
  }
  return "no error";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_F(BundlesOfAKind, states_joining_and_linking) {
  const KernelBundle a = bundle("a"), b = bundle("b");
  EXPECT_EQ(BundleState::source, a.state());
  const KernelBundle both = KernelBundle::join({a, b, a});
  EXPECT_EQ(2u, both.image_count());
  const KernelBundle built = both.build();
  EXPECT_EQ((std::vector<std::string>{"a", "b"}), built.kernel_names());
  EXPECT_EQ("b", built.program()->launch("b")->kernel());
  EXPECT_EQ(2u, built.kernel_info("a").arguments);
  EXPECT_EQ(2u, built.signature("b").size());
  EXPECT_EQ("a warning\na warning", built.build_log());
  EXPECT_TRUE(has(error_of([&] { built.launch("c"); }), "no kernel 'c'; its kernels: a, b"));
  EXPECT_TRUE(has(error_of([&] { built.build(); }), "needs a bundle in state 'source'"));
  EXPECT_TRUE(has(error_of([&] { KernelBundle::join({a, built}); }), "needs a bundle in state 'source'"));
  EXPECT_TRUE(has(error_of([&] { bundle("error").compile(); }), "it does not compile"));
  const KernelBundle linked = KernelBundle::link({a.compile(), b.compile()}, "-x");
  EXPECT_EQ(1u, linked.image_count());
  EXPECT_EQ("-x", linked.options());
  EXPECT_TRUE(linked.has_kernel("b"));
  RunReport report;
  EXPECT_TRUE(both.build_once(report).has_kernel("a"));
  EXPECT_EQ(2, report.built);
}

TEST_F(BundlesOfAKind, constants_only_where_a_text_mentions_them) {
  const KernelBundle both = KernelBundle::join({bundle("TILE"), bundle("b")});
  EXPECT_TRUE(both.has_specialization_constant("TILE"));
  EXPECT_EQ(1u, both.with_specialization_constant("TILE", 2.0).specialization_constants().size());
  EXPECT_TRUE(both.specialization_constants().empty());
  EXPECT_TRUE(has(error_of([&] { both.with_specialization_constant("N", 1.0); }), "does not mention 'N'"));
}

TEST_F(BundlesOfAKind, a_reset_leaves_sources_usable) {
  const KernelBundle source = bundle("a"), built = source.build();
  EXPECT_TRUE(built.compatible_with(built.device()));
  EXPECT_NE(nullptr, program_of_bundle(built));
  close_devices();
  EXPECT_FALSE(built.compatible_with(built.device()));
  EXPECT_TRUE(has(error_of([&] { program_of_bundle(built); }), "before its device was reset"));
  EXPECT_TRUE(has(error_of([&] { KernelBundle::join({source, bundle("b")}); }), "different contexts or devices"));
  EXPECT_EQ(2u, KernelBundle::join({source.renewed(), bundle("b")}).image_count());
}

TEST_F(BundlesOfAKind, other_kinds_are_other_devices) {
  EXPECT_FALSE(bundle("a").build().compatible_with(host_device()));
  EXPECT_FALSE(bundle("a").compatible_with(host_device()));  // it has no compiler
  EXPECT_TRUE(has(error_of([] { KernelBundle::from_source(host_device(), "a"); }), "the host device has no compiler"));
  EXPECT_TRUE(devices_installed());
  keep_user_programs(7);
  EXPECT_EQ(7, kind_.kept_);
}
