// test_host_glm -- the host device's GLM kernels, in every form compiled, against the reference kernel.
#include "glm_problem.h"
#include "host/host_glm.h"

using namespace glm_test;

namespace {

void check_table(const nmath_host_glm_kernels* table) {
  for (const nmath_host_glm_kernels* row = table; row->kernel != nullptr; ++row)
    for (const GlmKernelSpec& spec : glm_kernel_registry()) {
      if (std::string(spec.kernel_name) != row->kernel) continue;
      // One grid point, lanes left over, coefficients beyond one block, observations beyond one tile.
      for (const auto& [l1, l2, m1] : {std::array{1, 1, 1}, {33, 5, 17}, {70, 129, 9}, {31, 300, 8}, {200, 14, 100}})
        for (const bool weighted : {false, true}) {
          const Problem a = random_problem(row->kernel, l1, l2, m1, weighted, 7 + l1);
          Result got;
          const GlmProblem own = problem_of(a, got);
          const nmath_host_glm_launch launch = {own.X,  own.B,  own.mu,   own.P,  own.alpha, own.y,
                                                own.wt, own.qf, own.grad, own.l1, own.l2,    own.m1};
          std::vector<double> records(4 * static_cast<std::size_t>(l1));
          const nmath_host_glm_prepared prepared = {&launch, records.data(), row->prepare(&launch, records.data())};
          row->grid(&prepared, 0, m1);
          expect_same(got, plain_result(spec, a), label_of(spec, a));
        }
    }
}

}  // namespace

TEST(HostGlm, baseline) { check_table(nmath_host_glm_table); }

TEST(HostGlm, this_machines) {
  const nmath_host_glm_kernels* row = nmath_host_glm_find("f2_f3_poisson");
  ASSERT_NE(nullptr, row);
  const bool avx2 = row >= nmath_host_glm_table_avx2 && row < nmath_host_glm_table_avx2 + glm_kernel_registry().size();
  check_table(avx2 ? nmath_host_glm_table_avx2 : nmath_host_glm_table);
  EXPECT_EQ(nullptr, nmath_host_glm_find("f2_f3_none"));
}

// The product of 1 + e must keep the last digit of tiny e: with all outcomes as good as certain, the sum is tiny too.
TEST(HostGlm, separated_data_keep_relative_accuracy) {
  const int l1 = 100;
  Problem a{l1, 1, 3, {}, {30.0, 37.0, 300.0}, {0.0}, {0.0}, std::vector<double>(l1, 0.0), {}, {}};
  for (int i = 0; i < l1; ++i) {
    a.x.push_back(i % 2 == 0 ? 1.0 : -1.0);
    a.y.push_back(i % 2 == 0 ? 1.0 : 0.0);
    a.wt.push_back(1.0);
  }
  for (const nmath_host_glm_kernels* table : {nmath_host_glm_table, nmath_host_glm_find("f2_f3_binomial_logit")}) {
    while (std::string(table->kernel) != "f2_f3_binomial_logit") ++table;
    Result got;
    const GlmProblem own = problem_of(a, got);
    const nmath_host_glm_launch launch = {own.X,  own.B,  own.mu,   own.P,  own.alpha, own.y,
                                          own.wt, own.qf, own.grad, own.l1, own.l2,    own.m1};
    std::vector<double> records(4 * l1);
    const nmath_host_glm_prepared prepared = {&launch, records.data(), table->prepare(&launch, records.data())};
    table->grid(&prepared, 0, 3);
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(1.0, got.qf[j] / (l1 * std::log1p(std::exp(-a.b[j]))), 1e-13);
      EXPECT_NEAR(1.0, got.grad[j] / (-l1 / (1.0 + std::exp(a.b[j]))), 1e-13);
    }
  }
}
