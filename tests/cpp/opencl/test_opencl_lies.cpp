// test_opencl_lies -- drivers that claim what is not so: double precision, group sizes, memory.
#include "base/program_cache.h"
#include "device/functions.h"
#include "engine/expression_runner.h"
#include "engine/fused.h"
#include "fault_test.h"
#include "loader/nmath_library.h"
#include "sanitizers.h"

using namespace fault_test;

TEST_F(UnderFaults, claimed_double_precision_that_is_single_is_found_out) {
  Lies lies;
  lies.single_precision = true;
  for (const bool gpu : {false, true}) {
    lies.gpu = gpu;
    lie(lies);
    const DeviceInfo device = first_device();
    EXPECT_TRUE(device.fp64_extension);
    const Fp64Probe probe = fp64_probe(device);
    EXPECT_FALSE(probe.works);
    EXPECT_TRUE(has(probe.reason, "wrong results")) << probe.reason;
    EXPECT_EQ("host", select_device("auto").type);
    const std::string text = error_of([] { select_device("opencl"); });
    EXPECT_TRUE(has(text, "working double precision") && has(text, device.name) && has(text, "wrong results")) << text;
    EXPECT_TRUE(has(text, "device = \"host\"")) << text;
    EXPECT_FALSE(opencl_ensure_fp64_selection(false));
    EXPECT_FALSE(opencl_fp64_selection().reason.empty());
  }
  lie(Lies());
  EXPECT_EQ("", use_function());
}

TEST_F(UnderFaults, claimed_double_precision_that_does_not_build_is_found_out) {
  const DeviceInfo device = first_device();
  fault_layer::fail_call({"clBuildProgram", 1, CL_BUILD_PROGRAM_FAILURE, false});
  const Fp64Probe probe = fp64_probe(device);
  EXPECT_FALSE(probe.works);
  EXPECT_TRUE(has(probe.reason, "does not build")) << probe.reason;
  EXPECT_TRUE(has(probe.log, "injected.cl:3:1")) << probe.log;
  // A compiler that rejects doubles once does so always; the driver is asked again only after a reset.
  fault_layer::stop_failing();
  EXPECT_FALSE(fp64_probe(device).works);
  const std::string text = error_of([] { select_device("opencl"); });
  EXPECT_TRUE(has(text, "does not build")) << text;
  opencl_reset_fp64_selection();
  EXPECT_EQ("", use_function());
}

TEST_F(UnderFaults, a_probe_that_fails_for_the_moment_is_repeated) {
  const DeviceInfo device = first_device();
  fault_layer::fail_call({"clCreateBuffer", 1, CL_INVALID_BUFFER_SIZE, false});
  EXPECT_FALSE(fp64_probe(device).works);
  EXPECT_TRUE(fp64_probe(device).works);
}

TEST_F(UnderFaults, double_precision_need_not_be_declared_to_be_denied) {
  Lies lies;
  lies.no_fp64 = true;
  lie(lies);
  EXPECT_FALSE(first_device().fp64_extension);
  lies.single_precision = true;
  lie(lies);
  const std::string text = error_of([] { select_device("opencl"); });
  EXPECT_TRUE(has(text, "working double precision")) << text;
}

TEST_F(UnderFaults, small_groups_are_kept_to) {
  for (const bool gpu : {false, true}) {
    for (const std::size_t limit : {1, 3, 16}) {
      if (kSanitizer && limit != 3) continue;
      Lies lies;
      lies.gpu = gpu;
      lies.group_limit = limit;
      lie(lies);
      for (const Use& use : all_uses()) {
        if (use.name == "kernel call" || use.name == "bundles") continue;  // they ask for groups of 8
        EXPECT_EQ("", attempt_text(use)) << use.name << " in groups of " << limit << (gpu ? " on a GPU" : "");
      }
    }
  }
  Lies lies;
  lies.group_limit = 4;
  lie(lies);
  const std::string text = attempt_text({"kernel call", use_kernel_call});
  EXPECT_TRUE(has(text, "CL_INVALID_WORK_GROUP_SIZE") && has(text, "sum_k")) << text;
}

// Buffers kept for reuse give way to those that are needed, and what does not fit is an error that says so.
TEST_F(UnderFaults, little_memory_is_enough_or_an_error) {
  Lies lies;
  lies.gpu = true;
  lies.memory_limit = std::size_t{24} << 20;
  lie(lies);
  const std::vector<double> one{1.0};
  const std::vector<int> flag{1};
  const DeviceInfo device = first_device();
  const auto run = [&](std::size_t n, std::size_t budget) {
    std::vector<double> x(n, 2.0), out(n, -1.0);
    ElementwiseOptions options;
    options.memory_budget = budget;
    RunReport report;
    run_elementwise(device, kAffine, affine_text, {column(x), column(one), column(one), column(flag)}, n, out.data(),
                    report, {}, options);
    for (const double value : out) ASSERT_EQ(3.0, value);
  };
  // Each leaves buffers of another size behind, more in all than there is room for.
  for (const std::size_t mebibytes : {16, 9, 16, 5, 9, 16})
    EXPECT_EQ("no error", error_of([&] { run(3000000, mebibytes << 20); })) << mebibytes;
  drop_sessions();  // with the buffers that would do
  lies.memory_limit = 100000;
  fault_layer::set_lies(lies);
  const std::string text = error_of([&] { run(3000000, std::size_t{5} << 20); });
  EXPECT_TRUE(has(text, "CL_MEM_OBJECT_ALLOCATION_FAILURE") && has(text, "too little free memory")) << text;
  lies.memory_limit = std::size_t{24} << 20;
  fault_layer::set_lies(lies);
  EXPECT_EQ("no error", error_of([&] { run(3000000, std::size_t{5} << 20); }));
  EXPECT_EQ("no error", error_of([&] { run(100, 0); }));
}

// The device's memory stays within the budget however long the vectors are.
TEST_F(UnderFaults, device_memory_keeps_to_the_budget) {
  Lies lies;
  lies.gpu = true;
  lie(lies);
  const DeviceInfo device = first_device();
  fault_layer::start_counting();
  const std::size_t n = 3000000, budget = std::size_t{6} << 20;
  std::vector<double> x(n, 2.0), out(n);
  const std::vector<double> one{1.0};
  const std::vector<int> flag{1};
  ElementwiseOptions options;
  options.memory_budget = budget;
  RunReport report;
  run_elementwise(device, kAffine, affine_text, {column(x), column(x), column(one), column(flag)}, n, out.data(),
                  report, {}, options);
  EXPECT_EQ(5.0, out[n - 1]);
  EXPECT_GT(report.chunks, 5u);
  // Buffers come in whole MiB: at most one more for each of two columns and the results, in two slots.
  EXPECT_LE(fault_layer::peak_device_bytes(), budget + 6 * (std::size_t{1} << 20));
}

// Forms that a GPU's work-items share give what the functions give; other devices have forms of their own.
TEST_F(UnderFaults, forms_in_local_memory_are_a_gpus) {
  const char* const text = R"(
// @library_deps: nmath
// @depends_nmath: pgamma_fixed, pbeta_fixed, pt_fixed, bessel_j_fixed
__kernel void forms(__global const double *x, const nmath_i64 at, __global double *y, const double a, const int len)
{
    int needs_general = 0;
#ifdef NMATH_LOCAL_FORMS
    const int shared = 1;
    __local pgamma_fixed f;
    __local pbeta_fixed g;
    __local pt_fixed h;
    __local bessel_j_fixed j;
    if (get_local_id(0) == 0) {
        f = pgamma_fixed_of(a, 1.0, &needs_general);
        g = pbeta_fixed_of(a, 3.0, &needs_general);
        h = pt_fixed_of(a, &needs_general);
        j = bessel_j_fixed_of(a, &needs_general);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    const int shared = 0;
    const pgamma_fixed f = pgamma_fixed_of(a, 1.0, &needs_general);
    const pbeta_fixed g = pbeta_fixed_of(a, 3.0, &needs_general);
    const pt_fixed h = pt_fixed_of(a, &needs_general);
    const bessel_j_fixed j = bessel_j_fixed_of(a, &needs_general);
#endif
    for (int i = get_global_id(0); i < len; i += get_global_size(0)) {
        const double v = x[at + i];
        const double p = pgamma_fixed_at(3.0 * v, f, 1, 0, &needs_general), q = pbeta_fixed_at(v, g, 1, 0, &needs_general);
        const double r = pt_fixed_at(8.0 * v - 4.0, h, 1, 0, &needs_general), s = bessel_j_fixed_at(20.0 * v, j, &needs_general);
        y[i] = needs_general ? -1.0 : p + 2.0 * q + 4.0 * r + 8.0 * s + 100.0 * shared;
    }
}
)";
  const std::size_t n = 5000;
  const double a = 2.5;
  std::vector<double> x(n), want(n, 0.0);
  for (std::size_t i = 0; i < n; ++i) x[i] = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
  const double factors[] = {3.0, 1.0, 8.0, 20.0}, shifts[] = {0.0, 0.0, -4.0, 0.0}, three = 3.0, one = 1.0;
  const char* const names[] = {"pgamma", "pbeta", "pt", "besselJ"};
  double weight = 1.0;
  for (int k = 0; k < 4; ++k, weight *= 2.0) {
    const KernelSpec& spec = find_kernel_spec(names[k]);
    std::vector<double> scaled(n), value(n);
    for (std::size_t i = 0; i < n; ++i) scaled[i] = factors[k] * x[i] + shifts[k];
    const int flags[] = {1, 0};
    std::vector<Column> columns{column(scaled), {&a, 1, Column::Type::f64}};
    if (spec.n_real == 3) columns.push_back({k == 0 ? &one : &three, 1, Column::Type::f64});
    for (int j = 0; j < spec.n_flags; ++j) columns.push_back({flags + j, 1, Column::Type::i32});
    RunReport report;
    run_elementwise("host", spec, columns, n, value.data(), report);
    for (std::size_t i = 0; i < n; ++i) want[i] += weight * value[i];
  }
  FusedSpec spec;
  spec.function = "forms";
  spec.program = {"test/local_forms", [text] { return user_program(text); }, ""};
  spec.kernel = "forms";
  spec.least = 2;
  spec.local_forms = true;
  spec.items = {{FusedItem::Kind::column, 0},
                {FusedItem::Kind::offset, 0},
                {FusedItem::Kind::output, 0},
                {FusedItem::Kind::f64, 0},
                {FusedItem::Kind::len, 0}};
  spec.roles = {FusedRole::full};
  spec.outputs = {ElementType::f64};
  spec.scalars = 1;
  for (const bool gpu : {false, true}) {
    Lies lies;
    lies.gpu = gpu;
    lie(lies);
    FusedKernel kernel(spec);
    std::vector<double> y(n);
    FusedCall call;
    call.n = n;
    call.columns = {{column(x), nullptr}};
    call.scalars = {a};
    call.values = {y.data()};
    RunReport report;
    run_fused(open_device(first_device()), kernel, call, report);
    for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(want[i], y[i] - (gpu ? 100.0 : 0.0), 1e-12) << i;
  }
  lie(Lies());
}

// Where a GPU has tables of counts, log-likelihoods and their gradients are what they are without. Most elements are in
// a table, some are beyond its end, some no counts.
TEST_F(UnderFaults, tables_of_counts_change_no_likelihood) {
  const std::size_t n = (std::size_t{1} << 22) + 1;  // the least whose blocks are worth a table
  std::vector<double> y(n), x(n);
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = static_cast<double>(i % 997 == 0 ? 250 + i % 20 : (i * 7919) % 31);
    x[i] = static_cast<double>((i * 104729) % n) / static_cast<double>(n) - 0.5;
  }
  const std::vector<double> b = {0.3}, s = {0.9};
  const auto argument = [](const std::vector<double>& values) {
    ExpressionArgument made;
    made.column.column = {values.data(), values.size(), Column::Type::f64};
    return made;
  };
  struct Case {
    const char *function, *more;  // with `more`, an argument besides
  };
  const Case cases[] = {
      {"function(y, x, b, s) dnbinom(y, s, mu = exp(2 + b * x), log = TRUE)", "s"},
      {"function(y, x, b) dpois(y, exp(2 + b * x), log = TRUE)", nullptr},
      {"function(y, x, b, s) lgamma(y + s) - lgamma(s) - lfactorial(y + 0.5) + y * b * x - log1p(exp(b * x))", "s"}};
  for (const Case& one : cases) {
    std::vector<ExpressionArgument> arguments = {argument(y), argument(x), argument(b)};
    std::vector<std::string> names = {"b"};
    if (one.more != nullptr) {
      arguments.push_back(argument(s));
      names.push_back(one.more);
    }
    double value[2], gradient[2][2] = {};
    for (const bool gpu : {false, true}) {
      Lies lies;
      lies.gpu = gpu;
      lie(lies);
      ExpressionRunner runner(one.function, "sum", false, names);
      RunReport report;
      runner.run(open_device(first_device()), arguments, &value[gpu], gradient[gpu], report);
    }
    EXPECT_NEAR(1.0, value[1] / value[0], 1e-13) << one.function;
    for (std::size_t k = 0; k < names.size(); ++k)
      EXPECT_NEAR(1.0, gradient[1][k] / gradient[0][k], 1e-12) << one.function;
  }
  lie(Lies());
}
