// glm_random -- random GLM problems, for tests and benchmarks.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace glm_test {

struct Problem {
  int l1, l2, m1;
  std::vector<double> x, b, mu, p, alpha, y, wt;
};

// Weights 0 to 4, or 1 throughout; counts on both sides of the limit at which the poisson kernel changes its form.
inline Problem random_problem(const std::string& kernel, int l1, int l2, int m1, bool weighted, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Problem a{l1, l2, m1, {}, {}, {}, {}, {}, {}, {}};
  const auto draw = [&](std::vector<double>& to, std::size_t n, double scale) {
    to.resize(n);
    for (double& value : to) value = scale * normal(engine);
  };
  draw(a.x, static_cast<std::size_t>(l1) * l2, 1.0);
  draw(a.b, static_cast<std::size_t>(m1) * l2, 1.0 / std::sqrt(l2));
  draw(a.mu, l2, 0.1);
  draw(a.p, static_cast<std::size_t>(l2) * l2, 0.1);
  for (int k = 0; k < l2; ++k) a.p[static_cast<std::size_t>(k) * l2 + k] += 2.0;
  draw(a.alpha, l1, 0.1);
  const bool binomial = kernel.find("binomial") != std::string::npos;
  for (int i = 0; i < l1; ++i) {
    const double n = weighted ? std::floor(5 * uniform(engine)) : 1.0, u = uniform(engine);
    a.wt.push_back(n);
    a.y.push_back(binomial ? (n > 0 ? std::floor(u * (n + 1)) / n : 0.0)
                           : 1.0 + std::floor(u * (i % 5 == 0 ? 200 : 9)));
  }
  return a;
}

}  // namespace glm_test
