// test_kernel_bundle -- bundles on OpenCL devices: constants, joining, linking with nmath, the disk cache under them.
#include <filesystem>

#include "base/program_cache.h"
#include "loader/kernel_loader.h"
#include "loader/nmath_library.h"
#include "opencl_test.h"
#include "scratch.h"

using namespace opencl_test;

namespace {

const char* const kScaleKernel =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#ifndef TILE\n#define TILE 8\n#endif\n"
    "__kernel void scale(__global const double* x, __global double* out, const int len) {\n"
    "  int i = (int)get_global_id(0);\n"
    "  if (i < len) out[i] = FACTOR * x[i] + TILE;\n"
    "}\n";

std::string numbered_kernel(const std::string& name, int number) {
  return "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n__kernel void " + name +
         "(__global const double* x, __global double* out, const int len) { int i = (int)get_global_id(0); if (i < "
         "len) out[i] = x[i] + " +
         std::to_string(number) + "; }\n";
}

std::vector<double> run(const KernelBundle& bundle, const std::string& kernel, const std::vector<double>& x) {
  std::vector<double> out(x.size());
  kernel_call(bundle, kernel)
      .input("x", x)
      .output("out", out.data(), out.size())
      .value("len", static_cast<int>(x.size()))
      .items(x.size())
      .run();
  return out;
}

const std::vector<double> kX = {0.25, 1.0, 3.5};

class Bundles : public OnEveryDevice {};

class BundlesOnDisk : public OnEveryDevice {
 protected:
  void SetUp() override {
    OnEveryDevice::SetUp();
    folder_ = make_scratch_folder("nmathopencl-cache");
    set_program_cache_folder(folder_);
  }
  void TearDown() override {
    set_program_cache_folder("");
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  std::string folder_;
};

// The key of the one entry in the folder: eight bytes of magic, eight of its length, eight more, the key.
std::string only_key(const std::string& folder) {
  std::string path;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".program") path = entry.path().string();
  EXPECT_NE("", path);
  const std::string entry = read_file(path);
  std::size_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(entry.at(8 + i));
  return entry.substr(24, length);
}

}  // namespace

TEST_F(Bundles, specialization_constants_reach_the_program_exactly) {
  for (const DeviceInfo& device : working_devices()) {
    const KernelBundle open = KernelBundle::from_source(device, kScaleKernel);
    EXPECT_TRUE(has(error_of([&] { open.build(); }), "FACTOR"));
    for (const double factor : {0.1, -1.0 / 3.0, 1e300, 5e-324}) {
      const KernelBundle set = open.with_specialization_constant("FACTOR", factor);
      EXPECT_EQ(1u, set.specialization_constants().size());
      const std::vector<double> out =
          run(set.with_specialization_constant("TILE", std::int32_t{0}).build(), "scale", kX);
      for (std::size_t i = 0; i < kX.size(); ++i) EXPECT_EQ(factor * kX[i], out[i]);
    }
    const KernelBundle two = open.with_specialization_constant("FACTOR", std::int64_t{2});
    EXPECT_EQ(10.0, run(two.build(), "scale", {1.0})[0]);  // TILE by default
    EXPECT_EQ(5.0, run(two.with_specialization_constant("FACTOR", true)
                           .with_specialization_constant("TILE", std::int32_t{4})
                           .build(),
                       "scale", {1.0})[0]);
    EXPECT_TRUE(open.specialization_constants().empty());  // a bundle never changes
    EXPECT_TRUE(open.has_specialization_constant("TILE"));
    EXPECT_FALSE(open.has_specialization_constant("TILES"));
    EXPECT_TRUE(has(error_of([&] { open.with_specialization_constant("FACTR", 1.0); }), "does not mention 'FACTR'"));
    EXPECT_TRUE(has(error_of([&] { two.build().with_specialization_constant("FACTOR", 1.0); }),
                    "needs a bundle in state 'source'"));
  }
}

TEST_F(Bundles, joining_unites_images_and_the_first_of_a_name_is_meant) {
  for (const DeviceInfo& device : working_devices()) {
    const KernelBundle a = KernelBundle::from_source(device, numbered_kernel("a", 1));
    const KernelBundle b = KernelBundle::from_source(device, numbered_kernel("b", 2));
    const KernelBundle other_a = KernelBundle::from_source(device, numbered_kernel("a", 3));
    const KernelBundle joined = KernelBundle::join({a, b, other_a, a, KernelBundle::join({b, a})});
    EXPECT_EQ(3u, joined.image_count());
    const KernelBundle executable = joined.build();
    EXPECT_EQ((std::vector<std::string>{"a", "b"}), executable.kernel_names());
    EXPECT_TRUE(executable.has_kernel("b"));
    EXPECT_EQ(1.25, run(executable, "a", kX)[0]);
    EXPECT_EQ(2.25, run(executable, "b", kX)[0]);
    EXPECT_EQ(3.25, run(KernelBundle::join({other_a.build(), executable}), "a", kX)[0]);
    EXPECT_EQ(3u, executable.kernel_info("b").arguments);
    EXPECT_TRUE(has(error_of([&] { executable.kernel_info("c"); }), "its kernels: a, b"));

    RunReport report;
    joined.build_once(report);
    EXPECT_EQ(3, report.built + report.disk_hits);
    KernelBundle::join({other_a, b}).build_once(report);
    EXPECT_EQ(3, report.built + report.disk_hits);
    EXPECT_EQ(2, report.cache_hits - report.disk_hits);

    EXPECT_TRUE(has(error_of([&] { KernelBundle::join({a, b.build()}); }), "needs a bundle in state 'source'"));
    EXPECT_TRUE(has(error_of([&] { a.kernel_names(); }), "needs a bundle in state 'executable'"));
  }
  EXPECT_TRUE(has(error_of([] { KernelBundle::join({}); }), "no bundle to join"));
}

TEST_F(Bundles, contexts_do_not_mix_and_a_reset_leaves_sources_usable) {
  for (const DeviceInfo& device : working_devices()) {
    const KernelBundle source = KernelBundle::from_source(device, numbered_kernel("a", 1));
    const KernelBundle executable = source.build();
    EXPECT_TRUE(executable.compatible_with(device));
    drop_session(device);
    const KernelBundle later = KernelBundle::from_source(device, numbered_kernel("b", 2));
    EXPECT_TRUE(has(error_of([&] { KernelBundle::join({source, later}); }), "different contexts or devices"));
    EXPECT_TRUE(has(error_of([&] {
                      KernelBundle::link({source.compile(), later.compile()});
                    }),
                    "different contexts or devices"));
    EXPECT_FALSE(executable.compatible_with(device));
    EXPECT_TRUE(executable.has_kernel("a"));
    EXPECT_TRUE(has(error_of([&] { run(executable, "a", kX); }), "before its device was reset"));
    EXPECT_TRUE(has(error_of([&] { source.images().front()->build_once(nullptr); }), "before its device was reset"));
    EXPECT_EQ(2u, KernelBundle::join({source.renewed(), later}).image_count());
    RunReport report;
    EXPECT_EQ(1.25, run(source.build_once(report), "a", kX)[0]);
  }
}

TEST_F(Bundles, kernels_say_what_they_need_and_devices_whether_they_have_it) {
  for (const DeviceInfo& device : working_devices()) {
    const KernelBundle fitting =
        KernelBundle::from_source(
            device,
            "__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void grouped(__global int* x) "
            "{ __local int y[64]; y[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE); x[0] = y[0]; }\n")
            .build();
    const KernelInfo info = fitting.kernel_info("grouped");
    EXPECT_EQ(4u, info.required_group[0]);
    EXPECT_EQ(2u, info.required_group[1]);
    EXPECT_EQ(1u, info.required_group[2]);
    EXPECT_GE(info.local_mem, 64 * sizeof(int));
    EXPECT_GE(info.work_group_size, 1u);
    EXPECT_TRUE(fitting.compatible_with(device, {"grouped"}));
    EXPECT_TRUE(has(error_of([&] { fitting.compatible_with(device, {"none"}); }), "no kernel 'none'"));
    DeviceInfo smaller = device;  // as if its driver had built what the device cannot run
    smaller.max_work_group = 7;
    EXPECT_FALSE(fitting.compatible_with(smaller));
    smaller.max_work_group = 8;
    EXPECT_TRUE(fitting.compatible_with(smaller));
    smaller.local_mem = info.local_mem - 1;
    EXPECT_FALSE(fitting.compatible_with(smaller));
    EXPECT_TRUE(KernelBundle::from_source(device, "text").compatible_with(smaller));  // it has a compiler
    smaller.device = nullptr;
    EXPECT_FALSE(fitting.compatible_with(smaller));
    EXPECT_FALSE(KernelBundle::from_source(device, "text").compatible_with(smaller));
  }
}

TEST_F(Bundles, headers_are_given_by_name) {
  for (const DeviceInfo& device : working_devices()) {
    const KernelBundle source = KernelBundle::from_source(
        device, "#include \"parts/two.h\"\n" + numbered_kernel("a", 1) + "int unused(void) { return TWO; }\n");
    try {
      const KernelBundle object = source.compile({{"parts/two.h", "#define TWO 2\n"}});
      EXPECT_EQ(1.25, run(KernelBundle::link({object}), "a", kX)[0]);
    } catch (const NmathError& error) {
      EXPECT_TRUE(has(error.status(), "NOT_AVAILABLE")) << error.what();  // a device without compiler or linker
    }
    EXPECT_TRUE(has(error_of([&] { source.compile(); }), "two.h"));
  }
}

// nmath compiled once, linked with a user's kernel: to the bit what one program gives.
TEST_F(Bundles, nmath_is_compiled_once_and_linked_with_a_users_kernel) {
  set_cl_root("nmathopencl", NMATHOPENCL_CL_DIR);
  const std::vector<std::string> functions = {"dnorm", "pgamma", "qbeta", "sign", "R_pow"};
  const std::string kernel =
      "__kernel void mine(__global const double* x, __global double* out, const int len) {\n"
      "  int i = (int)get_global_id(0);\n"
      "  if (i >= len) return;\n"
      "  double q = qbeta(x[i] / (1.0 + x[i]), 2.5, 0.7, 1, 0);\n"
      "  out[i] = dnorm(x[i], 0.5, 2.0, 1) + pgamma(x[i], 2.5, 1.0, 0, 0) * sign(x[i] - 1.0) + R_pow(x[i], q);\n"
      "}\n";
  const std::vector<std::string> of_nmath(functions.begin(), functions.end() - 1);  // R_pow is of a layer
  std::string whole = nmath_library_program(of_nmath);
  whole = whole.substr(whole.find('\n') + 1) + kernel;  // the same without NMATH_OBJECT
  for (const DeviceInfo& device : working_devices()) {
    const KernelBundle user = KernelBundle::from_source(device, nmath_library_header(of_nmath) + kernel);
    try {
      const KernelBundle nmath = KernelBundle::from_source(device, nmath_library_program(of_nmath)).compile();
      const KernelBundle linked = KernelBundle::link({nmath, user.compile()});
      EXPECT_EQ(std::vector<std::string>{"mine"}, linked.kernel_names());
      EXPECT_EQ(run(KernelBundle::from_source(device, whole).build(), "mine", kX), run(linked, "mine", kX));
      EXPECT_NE("no error", error_of([&] { run(KernelBundle::link({user.compile()}), "mine", kX); }));
    } catch (const NmathError& error) {
      EXPECT_TRUE(has(error.status(), "NOT_AVAILABLE")) << error.what();
    }
  }
  set_cl_root("nmathopencl", "");
}

TEST_F(BundlesOnDisk, a_second_build_reads_what_the_first_one_stored) {
  for (const DeviceInfo& device : working_devices()) {
    clear_program_cache();
    const KernelBundle source = KernelBundle::from_source(device, numbered_kernel("a", 17));
    EXPECT_FALSE(source.build().from_disk());
    if (program_cache_info().entries == 0) continue;  // a driver that does not give its programs out
    const KernelBundle again = source.build();
    EXPECT_TRUE(again.from_disk());
    EXPECT_EQ(17.25, run(again, "a", kX)[0]);
    EXPECT_TRUE(again.has_kernel("a"));
    EXPECT_FALSE(KernelBundle::from_source(device, numbered_kernel("a", 17), "-DOTHER").build().from_disk());
    EXPECT_FALSE(KernelBundle::from_source(device, numbered_kernel("a", 18)).build().from_disk());
    EXPECT_EQ(3u, program_cache_info().entries);

    RunReport report;
    const auto fresh = std::make_shared<Session>(device);
    EXPECT_TRUE(fresh->program(numbered_kernel("a", 17), "", &report)->from_disk());
    EXPECT_EQ(0, report.built);
    EXPECT_EQ(1, report.disk_hits);
    EXPECT_EQ(1, report.cache_hits);
    set_program_cache_folder("");
    EXPECT_FALSE(source.build().from_disk());
    set_program_cache_folder(folder_);
  }
}

TEST_F(BundlesOnDisk, kernels_from_disk_have_the_same_limits) {
  const std::string grouped =
      "__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void grouped(__global int* x, __global int* z) {\n"
      "  __local int y[64]; y[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE); x[0] = y[0] + z[0]; }\n";
  for (const DeviceInfo& device : working_devices()) {
    clear_program_cache();
    const KernelBundle source = KernelBundle::from_source(device, grouped, "-w");
    const KernelInfo built = source.build().kernel_info("grouped");
    const KernelBundle again = source.build();
    EXPECT_EQ(program_cache_info().entries == 1, again.from_disk());
    const KernelInfo read = again.kernel_info("grouped");
    EXPECT_EQ(built.arguments, read.arguments);
    EXPECT_EQ(built.work_group_size, read.work_group_size);
    EXPECT_EQ(built.local_mem, read.local_mem);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(built.required_group[i], read.required_group[i]);
  }
}

TEST_F(BundlesOnDisk, what_the_driver_refuses_is_built_from_source_and_replaced) {
  for (const DeviceInfo& device : working_devices()) {
    clear_program_cache();
    const KernelBundle source = KernelBundle::from_source(device, numbered_kernel("a", 19));
    source.build();
    if (program_cache_info().entries == 0) continue;
    const std::string key = only_key(folder_);
    for (const std::string& refused : {std::string("x"), std::string(5000, '\0'), std::string(5000, '\xff')}) {
      ASSERT_TRUE(store_cached_program(key, refused));
      const KernelBundle built = source.build();
      EXPECT_FALSE(built.from_disk());
      EXPECT_EQ(19.25, run(built, "a", kX)[0]);
      EXPECT_TRUE(source.build().from_disk());  // replaced
    }
  }
}
