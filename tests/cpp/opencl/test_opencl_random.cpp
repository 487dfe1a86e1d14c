// test_opencl_random -- draws on every OpenCL device: published answers, and the host device's draws in whatever
// chunks.
#include <cmath>

#include "draw_cases.h"
#include "engine/elementwise.h"
#include "engine/multinomial.h"
#include "host_test.h"
#include "loader/kernel_loader.h"
#include "opencl_test.h"
#include "sanitizers.h"

using namespace opencl_test;

class Draws : public OnEveryDevice {
 protected:
  void SetUp() override {
    set_cl_root("nmathopencl", NMATHOPENCL_CL_DIR);
    OnEveryDevice::SetUp();
  }
};

namespace {

// The draws of a function whose host device and OpenCL kernels get the same arguments.
class Drawn {
 public:
  Drawn(const std::string& name, std::size_t n)
      : spec_(find_kernel_spec(name)), parameters_(draw_parameters(name)), n_(n) {
    for (const std::vector<double>& one : parameters_) columns_.push_back(column(one));
  }

  std::vector<double> on_host() const {
    std::vector<double> out(n_);
    RunReport report;
    run_on_host(spec_, columns_, n_, out.data(), report, {}, kSeed);
    return out;
  }

  std::vector<double> on(const DeviceInfo& device, const ElementwiseOptions& options) const {
    std::vector<double> out(n_);
    RunReport report;
    const auto text = [this] { return kernel_program_text(spec_); };
    run_elementwise(device, spec_, text, columns_, n_, out.data(), report, {}, options, kSeed);
    return out;
  }

 private:
  static constexpr std::uint64_t kSeed = 0xfedcba9876543210u;
  const KernelSpec& spec_;
  std::vector<std::vector<double>> parameters_;
  std::vector<Column> columns_;
  std::size_t n_;
};

}  // namespace

TEST_F(Draws, philox_answers_of_its_authors) {
  const std::string text =
      prelude() + read_file(std::string(NMATHOPENCL_CL_DIR) + "/nmath/sunif.cl") +
      "\n__kernel void philox(const nmath_i64 key, __global const int* c, __global double* halves) {\n"
      "  nmath_u64 low, high;\n"
      "  nmath_philox((nmath_u64)key, (nmath_u32)c[0], (nmath_u32)c[1], (nmath_u32)c[2], (nmath_u32)c[3], &low, "
      "&high);\n"
      "  halves[0] = (double)(low >> 32); halves[1] = (double)(low & 0xffffffffUL);\n"
      "  halves[2] = (double)(high >> 32); halves[3] = (double)(high & 0xffffffffUL);\n"
      "}\n";
  for (const DeviceInfo& device : working_devices()) {
    for (const PhiloxAnswer& known : kPhiloxAnswers) {
      std::vector<int> counter;
      for (const std::uint32_t word : known.counter) counter.push_back(static_cast<int>(word));
      double half[4] = {};
      kernel_call(device, text, "philox")
          .value("key", static_cast<std::int64_t>(known.key))
          .input("c", counter)
          .output("halves", half, 4)
          .nd_range({1})
          .run();
      EXPECT_EQ(known.low, static_cast<std::uint64_t>(half[0]) << 32 | static_cast<std::uint64_t>(half[1]));
      EXPECT_EQ(known.high, static_cast<std::uint64_t>(half[2]) << 32 | static_cast<std::uint64_t>(half[3]));
    }
  }
}

TEST_F(Draws, do_not_depend_on_device_chunks_lanes_or_transfer) {
  using Transfer = ElementwiseOptions::Transfer;
  for (const DeviceInfo& device : working_devices()) {
    int number = 0;
    for (const KernelSpec& spec : kernel_registry()) {
      // Under sanitizers, PoCL compiles slowly, and chunks are the same for all functions.
      if (!spec.draws() || (kSanitizer && number++ % 4 != 0)) continue;
      const Drawn drawn(spec.name, 5003);
      const std::vector<double> host = drawn.on_host(), whole = drawn.on(device, {});
      for (std::size_t i = 0; i < host.size(); ++i)
        ASSERT_NEAR(host[i], whole[i], 1e-12 * std::fabs(host[i])) << spec.name << " draw " << i;
      for (const std::size_t chunk_size : {std::size_t{64}, std::size_t{1000}, std::size_t{4096}}) {
        for (const int workers : {0, 1, 3}) {
          ElementwiseOptions options;
          options.chunk_size = chunk_size;
          options.workers = workers;
          options.transfer = workers == 0 ? Transfer::zero_copy : Transfer::copy;
          ASSERT_EQ(whole, drawn.on(device, options)) << spec.name << " chunk " << chunk_size << " workers " << workers;
        }
      }
    }
  }
}

TEST_F(Draws, multinomial_columns_are_those_of_the_host) {
  const std::vector<double> prob{1, 2, 0, 5, 1e-3};
  const KernelSpec& spec = find_kernel_spec("rmultinom");
  for (const DeviceInfo& device : working_devices()) {
    const std::size_t n = 3001;
    std::vector<int> here(n * prob.size()), there(n * prob.size());
    RunReport report;
    run_multinomial("host", spec, {500, prob.data(), prob.size()}, n, here.data(), report, {}, 9);
    run_multinomial(device.name, spec, {500, prob.data(), prob.size()}, n, there.data(), report, {}, 9);
    EXPECT_EQ(device.name, report.device);
    EXPECT_EQ(here, there);
  }
}
