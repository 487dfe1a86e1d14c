// test_opencl_glm -- every method of computing a GLM grid, on every OpenCL device found.
#include "device/resident.h"
#include "engine/transfer.h"
#include "glm/ex_glmbayes_grid.h"
#include "glm_problem.h"
#include "loader/kernel_loader.h"
#include "opencl_test.h"

using namespace ex_glmbayes::opencl;
using namespace glm_test;
using namespace opencl_test;

namespace {

void check(const DeviceInfo& device, const GlmKernelSpec& spec, const GlmTuning& tuning, int l1, int l2, int m1,
           bool weighted) {
  const Problem a = random_problem(spec.kernel_name, l1, l2, m1, weighted, 11 + l2);
  Result got;
  const GlmProblem launch = problem_of(a, got);
  RunReport report;
  run_glm_grid(device, spec, launch, report, {}, tuning);
  EXPECT_EQ(device.name, report.device);
  expect_same(got, plain_result(spec, a), device.name + " " + label_of(spec, a));
}

}  // namespace

TEST_F(OnEveryDevice, glm_methods_agree) {
  set_cl_root("nmathopencl", NMATHOPENCL_CL_DIR);
  for (const DeviceInfo& device : working_devices())
    for (const GlmKernelSpec& spec : glm_kernel_registry()) {
      check(device, spec, {}, 100, 5, 70, true);
      check(device, spec, {}, 40, 13, 130, false);
      GlmTuning tile;
      tile.method = GlmMethod::tile;
      check(device, spec, tile, 77, 7, 130, true);
      tile.splits = 3;
      check(device, spec, tile, 77, 7, 130, false);
      check(device, spec, tile, 70, 40, 65, true);
    }
}

// One block of coefficients per work-item, several, several passes; observations fewer than a step.
TEST_F(OnEveryDevice, glm_tiles_of_all_shapes) {
  set_cl_root("nmathopencl", NMATHOPENCL_CL_DIR);
  GlmTuning tile;
  tile.method = GlmMethod::tile;
  for (const DeviceInfo& device : working_devices())
    for (const GlmKernelSpec& spec : glm_kernel_registry()) {
      if (std::string(spec.kernel_name) != "f2_f3_binomial_logit") continue;
      for (const int l2 : {1, 16, 17, 33, 70, 100, 260, 530}) check(device, spec, tile, 50, l2, 33, true);
      check(device, spec, tile, 1, 3, 1, false);
      check(device, spec, {}, 3000, 2, 40, false);
    }
}

// Some grid points of a call, as the range of a device among several: their gradient has its place among that of all.
TEST_F(OnEveryDevice, glm_gradients_of_some_points_go_to_their_place) {
  set_cl_root("nmathopencl", NMATHOPENCL_CL_DIR);
  const GlmKernelSpec& spec = find_glm_kernel("poisson", "log");
  const int m1 = 300, first = 64, count = 150;
  const Problem a = random_problem(spec.kernel_name, 60, 5, m1, true, 3);
  const Result want = plain_result(spec, a);
  for (const DeviceInfo& device : working_devices())
    for (const GlmMethod method : {GlmMethod::plain, GlmMethod::lanes, GlmMethod::tile})
      for (const int points : {0, 64}) {
        GlmTuning tuning;
        tuning.method = method;
        tuning.points = points;
        Result got = want;
        std::fill_n(got.qf.begin() + first, count, NAN);
        for (int k = 0; k < 5; ++k) std::fill_n(got.grad.begin() + k * m1 + first, count, NAN);
        GlmProblem part = {a.x.data(),
                           a.b.data() + first * 5,
                           a.mu.data(),
                           a.p.data(),
                           a.alpha.data(),
                           a.y.data(),
                           a.wt.data(),
                           got.qf.data() + first,
                           got.grad.data() + first,
                           60,
                           5,
                           count};
        part.rows = m1;
        RunReport report;
        build_glm_grid(open_device(device), spec, part, report, tuning);
        const int built = report.built;
        run_glm_grid(device, spec, part, report, {}, tuning);
        EXPECT_EQ(built, report.built);
        expect_same(got, want, device.name);
      }
}

TEST_F(OnEveryDevice, glm_chunks_change_no_result) {
  set_cl_root("nmathopencl", NMATHOPENCL_CL_DIR);
  const GlmKernelSpec& spec = find_glm_kernel("poisson", "log");
  const Problem a = random_problem(spec.kernel_name, 60, 5, 300, true, 3);
  for (const DeviceInfo& device : working_devices())
    for (const GlmMethod method : {GlmMethod::plain, GlmMethod::lanes, GlmMethod::tile}) {
      GlmTuning tuning;
      tuning.method = method;
      Result whole, chunks;
      RunReport one, many;
      run_glm_grid(device, spec, problem_of(a, whole), one, {}, tuning);
      tuning.points = 64;
      int polls = 0;
      run_glm_grid(device, spec, problem_of(a, chunks), many, {[&] { return ++polls < 0; }, nullptr}, tuning);
      EXPECT_EQ(4, polls);
      EXPECT_EQ(one.chunks + 4, many.chunks);
      EXPECT_EQ(whole.qf, chunks.qf);
      EXPECT_EQ(whole.grad, chunks.grad);
      EXPECT_THROW(run_glm_grid(device, spec, problem_of(a, chunks), many, {[] { return true; }, nullptr}, tuning),
                   Interrupted);
    }
}

// In one round and in several: the very same results, however much of the data lies there.
TEST_F(OnEveryDevice, glm_takes_resident_data) {
  set_cl_root("nmathopencl", NMATHOPENCL_CL_DIR);
  const GlmKernelSpec& spec = find_glm_kernel("poisson", "log");
  const Problem a = random_problem(spec.kernel_name, 60, 5, 300, true, 3);
  for (const DeviceInfo& info : working_devices())
    for (const GlmMethod method : {GlmMethod::plain, GlmMethod::lanes, GlmMethod::tile, GlmMethod::automatic}) {
      const SharedDevice device = open_device(info);
      const auto sent = [&](const std::vector<double>& x) {
        auto vector = Resident::make(device, ElementType::f64, x.size());
        send_bytes(device, vector->buffer(), 0, x.data(), x.size() * sizeof(double));
        return vector;
      };
      const auto X = sent(a.x), B = sent(a.b), alpha = sent(a.alpha), y = sent(a.y), wt = sent(a.wt);
      GlmTuning tuning;
      tuning.method = method;
      Result came, some, all;
      RunReport report;
      run_glm_grid(device, spec, problem_of(a, came), report, {}, tuning);
      for (const int points : {0, 64}) {
        tuning.points = points;
        GlmProblem problem = problem_of(a, some);
        problem.at.y = &y->buffer();
        problem.y = nullptr;
        run_glm_grid(device, spec, problem, report, {}, tuning);
        problem = problem_of(a, all);
        problem.at = {&X->buffer(), &B->buffer(), &alpha->buffer(), &y->buffer(), &wt->buffer()};
        problem.X = problem.B = problem.alpha = problem.y = problem.wt = nullptr;
        run_glm_grid(device, spec, problem, report, {}, tuning);
        EXPECT_EQ(came.qf, some.qf);
        EXPECT_EQ(came.grad, some.grad);
        EXPECT_EQ(came.qf, all.qf);
        EXPECT_EQ(came.grad, all.grad);
      }
    }
}

TEST_F(OnEveryDevice, glm_plan) {
  DeviceInfo gpu;  // what a plan asks: not its type
  gpu.local_mem = 32 << 10;
  gpu.compute_units = 100;
  for (const int l2 : {1, 5, 16, 17, 64, 200, 1000})
    for (const int m1 : {1, 500, 100000}) {
      const GlmPlan plan = plan_glm_grid(gpu, 300, l2, m1);
      EXPECT_EQ(GlmMethod::tile, plan.method);
      EXPECT_LE(plan.group, 256);
      EXPECT_EQ(0, plan.split % 8);
      EXPECT_GE(plan.splits * plan.split, 300);
      EXPECT_LT((plan.splits - 1) * plan.split, 300);
    }
  gpu.matrix_units = 8;
  EXPECT_EQ(GlmMethod::matrix, plan_glm_grid(gpu, 300, 5, 500).method);
  EXPECT_EQ(GlmMethod::tile, plan_glm_grid(gpu, 300, 65, 500).method);
  gpu.wide_cores = true;
  EXPECT_EQ(GlmMethod::lanes, plan_glm_grid(gpu, 300, 5, 500).method);
}
