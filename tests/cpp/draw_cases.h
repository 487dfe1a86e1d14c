// draw_cases -- what the tests of random draws share: published answers, and parameters under which every function
// varies.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

// Philox4x32-10 as its authors publish it: kat_vectors of Random123 (Salmon et al. 2011). Two words make a half.
struct PhiloxAnswer {
  std::uint64_t key;
  std::uint32_t counter[4];
  std::uint64_t low, high;
};

inline constexpr PhiloxAnswer kPhiloxAnswers[] = {{0, {0, 0, 0, 0}, 0xe169c58d6627e8d5u, 0x9b00dbd8bc57ac4cu},
                                                  {0xffffffffffffffffu,
                                                   {0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu},
                                                   0x41c83b0e408f276du,
                                                   0x6d5451fda20bc7c6u},
                                                  {0x299f31d0a4093822u,
                                                   {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u},
                                                   0x94fdccebd16cfe09u,
                                                   0x24126ea15001e420u}};

inline std::vector<std::vector<double>> draw_parameters(const std::string& name) {
  const double inf = std::numeric_limits<double>::infinity();
  static const std::map<std::string, std::vector<std::vector<double>>> cases = {
      {"unif_rand", {}},
      {"norm_rand", {}},
      {"exp_rand", {}},
      {"r_unif_index", {{10, 1000, 1e12}}},
      {"runif", {{-1, 2}, {5}}},
      {"rnorm", {{1, 2, 3}, {0.5, 2}}},
      {"rexp", {{0.1, 3, 8}}},
      {"rlnorm", {{0, 2}, {0.5}}},
      {"rcauchy", {{0, 1, 2}, {3}}},
      {"rweibull", {{0.3, 1, 4}, {2}}},
      {"rlogis", {{1, 2}, {0.5}}},
      {"rgeom", {{0.9, 0.1, 1e-3}}},
      {"rgamma", {{0.2, 1, 30}, {2}}},
      {"rchisq", {{0.2, 1, 30}}},
      {"rnchisq", {{0.5, 3}, {2, 100, 4}}},
      {"rbeta", {{0.2, 1, 30}, {2}}},
      {"rnbeta", {{0.5, 3}, {2}, {1, 20}}},
      {"rt", {{0.3, 5, inf}}},
      {"rnt", {{0.3, 5}, {-1, 3}}},
      {"rf", {{0.3, 5, inf}, {4}}},
      {"rnf", {{0.3, 5}, {4}, {2}}},
      {"rbinom", {{5, 100, 1e6}, {0.1, 0.5, 0.99, 0.3}}},
      {"rpois", {{0.1, 5, 50, 1e5}}},
      {"rhyper", {{5, 100, 1e5}, {1000}, {4, 500}}},
      {"rnbinom", {{0.5, 20}, {0.1, 0.5, 0.9}}},
      {"rnbinom_mu", {{0.5, 20}, {0.1, 5, 500}}},
      {"rwilcox", {{3, 20, 2000}, {4, 50, 3000}}},
      {"rsignrank", {{3, 100, 5000}}}};
  const auto found = cases.find(name);
  if (found == cases.end()) throw std::out_of_range("no parameters for " + name);
  return found->second;
}
