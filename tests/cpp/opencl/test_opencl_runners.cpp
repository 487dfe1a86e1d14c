// test_opencl_runners -- KernelCall and the documented runners, on every OpenCL device found.
#include "opencl_test.h"

using namespace opencl_test;

TEST_F(OnEveryDevice, documented_runners) {
  const std::string text =
      "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
      "__kernel void sum_k(__global const double* a, __global const double* b, __global double* out, const int len)\n"
      "{ int i = get_global_id(0); if (i < len) out[i] = a[i] + b[i]; }\n"
      "__kernel void p_k(__global const double* q, __global const double* m, __global const double* s,\n"
      "                  __global const int* lower, __global const int* lg, __global double* out, const int len)\n"
      "{ int i = get_global_id(0); if (i < len) out[i] = (q[i] - m[i]) / s[i] + 10 * lower[i] + 100 * lg[i]; }\n"
      "__kernel void d_k(__global const double* x, __global const int* lg, __global double* out, const int len)\n"
      "{ int i = get_global_id(0); if (i < len) out[i] = lg[i] ? -x[i] : x[i]; }\n"
      "__kernel void s_k(const double a, const double b, __global double* out, const int n)\n"
      "{ for (int i = 0; i < n; ++i) out[i] = a + b * i; }\n";
  std::vector<double> out{9.0, 9.0, 9.0, 9.0, 9.0};
  opencl_numeric_cols_kernel_runner(text, "sum_k", 3, {{1, 2, 3}, {10, 20, 30}}, out);
  EXPECT_EQ((std::vector<double>{11, 22, 33}), out);
  opencl_pq_tail_kernel_runner(text, "p_k", 2, {{3, 5}, {1, 1}, {2, 4}}, {1, 0}, {0, 1}, out);
  EXPECT_EQ((std::vector<double>{11, 101}), out);
  opencl_d_givelog_kernel_runner(text, "d_k", 2, {{3, 5}}, {1, 0}, out);
  EXPECT_EQ((std::vector<double>{-3, 5}), out);
  opencl_dbl_scalar_kernel_runner(text, "s_k", {1, 2}, 4, out);
  EXPECT_EQ((std::vector<double>{1, 3, 5, 7}), out);
  opencl_numeric_cols_kernel_runner(text, "sum_k", 0, {{}, {}}, out);
  EXPECT_TRUE(out.empty());
  opencl_dbl_scalar_kernel_runner(text, "s_k", {1, 2}, 0, out);
  EXPECT_TRUE(out.empty());

  const auto sums = [&](int len, const std::vector<std::vector<double>>& columns) {
    return error_of([&] { opencl_numeric_cols_kernel_runner(text, "sum_k", len, columns, out); });
  };
  EXPECT_TRUE(has(sums(3, {{1, 2, 3}, {1}}), "column 2 of arg_cols has 1 elements, but len is 3"));
  EXPECT_TRUE(has(sums(-1, {}), "len must not be negative"));
  EXPECT_TRUE(has(sums(1, {{1}}), "takes 4 arguments, but 3 are given"));
  EXPECT_TRUE(has(error_of([&] {
                    opencl_pq_tail_kernel_runner(text, "p_k", 1, {{1}, {1}, {1}}, {1}, {}, out);
                  }),
                  "log_p has 0 elements, but len is 1"));
  EXPECT_TRUE(has(error_of([&] { opencl_dbl_scalar_kernel_runner(text, "none", {}, 1, out); }),
                  "its kernels: d_k, p_k, s_k, sum_k"));
  EXPECT_TRUE(has(error_of([&] { opencl_dbl_scalar_kernel_runner(text, nullptr, {}, 1, out); }),
                  "kernel_name must not be empty"));
}

TEST_F(OnEveryDevice, kernel_call) {
  const std::string text =
      "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
      "__kernel void k(__global const double* x, __global const double* y, __global const int* w, const double c,\n"
      "                const long shift, const int n, __local double* scratch, __global double* sums,\n"
      "                __global double* items)\n"
      "{\n"
      "  int i = get_global_id(0), l = get_local_id(0);\n"
      "  scratch[l] = i < n ? c * x[i] * w[i] + y[i] + (double)shift : 0.0;\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  if (i < n) items[i] = scratch[l];\n"
      "  if (l == 0) { double s = 0.0; for (int j = 0; j < 8; ++j) s += scratch[j]; sums[get_group_id(0)] = s; }\n"
      "}\n";
  for (const DeviceInfo& device : working_devices()) {
    std::vector<double> x{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, sums(2), items(10);
    const std::vector<int> w{1, 1, 1, 1, 1, 2, 2, 2, 2, 2};
    RunReport report;
    KernelCall call = kernel_call(device, text, "k", "", &report);
    call.input("x", x).input("y", x).input("w", w).value("c", 2.0).value("shift", std::int64_t{1} << 40).value("n", 10);
    call.local("scratch", 8 * sizeof(double)).output("sums", sums.data(), 2).output("items", items.data(), 10);
    EXPECT_TRUE(has(error_of([&] { call.run(); }), "no range"));
    EXPECT_TRUE(has(error_of([&] { call.nd_range({1, 1}, {1}); }), "one to three"));
    call.nd_range({16}, {8}).run();
    double first = 0, second = 0;
    for (int i = 0; i < 10; ++i) {
      const double item = 2.0 * x[i] * w[i] + x[i] + 0x1p40;
      EXPECT_EQ(item, items[i]);
      (i < 8 ? first : second) += item;
    }
    EXPECT_EQ(first, sums[0]);
    EXPECT_EQ(second, sums[1]);
    x[0] = 100.0;
    call.run();
    EXPECT_EQ(300.0 + 0x1p40, items[0]);
    EXPECT_EQ(1, report.built + report.cache_hits);
    EXPECT_EQ(device.name, report.device);
    EXPECT_TRUE(has(error_of([&] { kernel_call(device, text, "k").input("x", static_cast<double*>(nullptr), 3); }),
                    "argument 'x' of kernel 'k' has no data"));
    EXPECT_TRUE(
        has(error_of([&] { kernel_call(device, text, "k").input("x", x).items(1).run(); }), "takes 9 arguments"));
    const std::string wrong_type = error_of([&] {
      kernel_call(device, text, "k")
          .value("x", 1)
          .input("y", x)
          .input("w", w)
          .value("c", 2.0)
          .value("shift", std::int64_t{1})
          .value("n", 10)
          .local("scratch", 64)
          .output("sums", sums.data(), 2)
          .output("items", items.data(), 10)
          .items(8)
          .run();
    });
    EXPECT_TRUE(has(wrong_type, "argument 1") || has(wrong_type, "clEnqueue")) << wrong_type;
    const std::string too_large =
        error_of([&] { call.nd_range({device.max_work_group * 4}, {device.max_work_group * 2}).run(); });
    EXPECT_TRUE(has(too_large, "kernel 'k'") && has(too_large, "CL_INVALID_WORK_")) << too_large;
    call.nd_range({16}, {8}).run();
    EXPECT_EQ(300.0 + 0x1p40, items[0]);
    const std::string too_long = error_of([&] {
      kernel_call(device, text, "k")
          .input("x", x.data(), device.max_alloc / 8 + 1)
          .input("y", x)
          .input("w", w)
          .value("c", 2.0)
          .value("shift", std::int64_t{1})
          .value("n", 10)
          .local("scratch", 64)
          .output("sums", sums.data(), 2)
          .output("items", items.data(), 10)
          .items(8)
          .run();
    });
    EXPECT_TRUE(has(too_long, "argument 'x' of kernel 'k' has")) << too_long;
  }
}
