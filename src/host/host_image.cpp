// host_image -- the states of a text on the host device: compiled as a part, linked with others, or built by itself.
#include "host/host_image.h"

#include <utility>

#include "host/host_program.h"
#include "host/host_text.h"
#include "loader/c_tokens.h"

namespace openclPort {

namespace {

class HostImage : public ProgramImage {
 public:
  HostImage(BundleState state, ImageSource source, const DeviceInfo& device)
      : ProgramImage(state, std::move(source)), device_(device) {}

  // Of an object: the text with its headers, and what was made of it. Of an executable: the program.
  std::string text;
  HostPart part;
  std::shared_ptr<const CompiledProgram> program;

  const DeviceInfo& device() const override { return device_; }
  void enter(const char*) const override {}
  bool current() const override { return true; }  // the host is not reset
  bool beside(const ProgramImage& other) const override { return dynamic_cast<const HostImage*>(&other) != nullptr; }
  std::string build_log() const override { return part.log; }

  SharedImage with_source(ImageSource source) const override { return host_source_image(device_, std::move(source)); }
  bool builds_on(const DeviceInfo& device) const override { return device.compiles || device.kind == device_.kind; }

  SharedImage compile(const ProgramHeaders& headers) const override {
    auto object = std::make_shared<HostImage>(BundleState::object, source(), device_);
    object->text = with_headers(*source().text, headers);
    object->part = compiled_part(object->text, source().all_options());
    return object;
  }
  SharedImage build() const override { return executable(built_program(*source().text, source().all_options())); }
  SharedImage build_once(RunReport* report) const override {
    return executable(program_built_once(*source().text, source().all_options(), false, report));
  }

  // What calls a function of another text that has its caller wait is compiled again: its kernels have to be fibres.
  SharedImage link(const std::vector<SharedImage>& objects, const std::string& options) const override {
    ImageSource linked{nullptr, options};
    auto texts = std::make_shared<std::string>();
    std::vector<HostPart> parts;
    for (const SharedImage& object : objects) {
      const HostImage& own = static_cast<const HostImage&>(*object);
      parts.push_back(own.part);
      *texts += own.text + "\n";
      linked.constants.insert(own.source().constants.begin(), own.source().constants.end());
    }
    linked.text = std::move(texts);
    std::vector<std::set<std::string>> known(parts.size());
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const HostImage& own = static_cast<const HostImage&>(*objects[k]);
        const std::set<std::string> waiting = waiting_elsewhere(own, k, parts);
        if (waiting == known[k]) continue;
        parts[k] = compiled_part(own.text, own.source().all_options(), waiting);
        known[k] = waiting;
        changed = true;
      }
    }
    auto image = std::make_shared<HostImage>(BundleState::executable, std::move(linked), device_);
    image->program = linked_program(parts);
    return image;
  }

  bool from_disk() const override { return program != nullptr && program->from_disk(); }
  std::vector<std::string> kernel_names() const override { return program->kernel_names(); }
  std::unique_ptr<Launch> launch(const std::string& kernel) const override {
    return program->has(kernel) ? program->launch(kernel) : nullptr;
  }
  NmathError no_kernel(const std::string& message) const override {
    return NmathError(message, "clCreateKernel", "CL_INVALID_KERNEL_NAME", "Name one of the program's kernels.",
                      device_.name);
  }
  KernelSignature signature(const std::string& kernel, std::size_t) const override {
    return program->signature(kernel);
  }

 private:
  SharedImage executable(std::shared_ptr<const CompiledProgram> built) const {
    auto image = std::make_shared<HostImage>(BundleState::executable, source(), device_);
    image->program = std::move(built);
    return image;
  }

  // Functions of the parts but `own_part` that this text names and that wait.
  static std::set<std::string> waiting_elsewhere(const HostImage& own, std::size_t own_part,
                                                 const std::vector<HostPart>& parts) {
    std::set<std::string> others, found;
    for (std::size_t k = 0; k < parts.size(); ++k)
      if (k != own_part) others.insert(parts[k].waits.begin(), parts[k].waits.end());
    if (others.empty()) return found;
    for (const CToken& token : c_tokens(own.text))
      if (others.count(token.text) > 0) found.insert(token.text);
    return found;
  }

  const DeviceInfo device_;
};

}  // namespace

SharedImage host_source_image(const DeviceInfo& device, ImageSource source) {
  const std::string missing = host_compiler().missing;
  if (!missing.empty())
    throw NmathError("the host device has no compiler, which a kernel bundle needs: " + missing, "from_source", "",
                     "Choose an OpenCL device, e.g. device = \"opencl\".", device.name);
  if (source.text->empty()) throw NmathError("the program text is empty", "from_source", "", "", device.name);
  return std::make_shared<const HostImage>(BundleState::source, std::move(source), device);
}

}  // namespace openclPort
