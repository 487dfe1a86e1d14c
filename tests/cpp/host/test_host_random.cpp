// test_host_random -- the generator on the host: published answers, the vector units, chunks and threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <limits>

#include "draw_cases.h"
#include "host/host_philox.h"
extern "C" {
#include "host/host_launch_gen.h"
}
#include "base/nmath_error.h"
#include "base/work_threads.h"
#include "engine/elementwise.h"
#include "engine/multinomial.h"
#include "host_test.h"
#include "rules/random_results.h"

// The device's own text of the generator, as C.
#define __global
#include "../../../inst/cl/OPENCL.cl"
#include "../../../inst/cl/nmath/sunif.cl"

using namespace openclPort;

namespace {

std::vector<double> draws_on_host(const std::string& name, std::size_t n, std::uint64_t seed) {
  const std::vector<std::vector<double>> parameters = draw_parameters(name);
  std::vector<Column> columns;
  for (const std::vector<double>& one : parameters) columns.push_back({one.data(), one.size(), Column::Type::f64});
  std::vector<double> out(n);
  RunReport report;
  run_on_host(find_kernel_spec(name), columns, n, out.data(), report, {}, seed);
  return out;
}

}  // namespace

TEST(Philox, answers_of_its_authors) {
  for (const PhiloxAnswer& known : kPhiloxAnswers) {
    nmath_u64 low, high;
    nmath_philox(known.key, known.counter[0], known.counter[1], known.counter[2], known.counter[3], &low, &high);
    EXPECT_EQ(known.low, low);
    EXPECT_EQ(known.high, high);
  }
}

TEST(Philox, vector_units_agree_with_the_text_of_the_device) {
  constexpr int kPairs = 256;
  std::uint64_t blocks[2 * kPairs];
  for (const std::uint64_t seed : {0ull, 1ull, 0xffffffffull, 0x123456789abcdef0ull, ~0ull}) {
    for (const std::uint64_t first : {0ull, 1000ull, 0xffffff80ull, 0xfffffffffull, ~0ull - 100}) {
      for (const std::uint32_t kind : {SUNIF_WORDS, SUNIF_NORMALS}) {
        nmath_host_philox(seed, first, kind, kPairs, blocks);
        for (int j = 0; j < kPairs; ++j) {
          nmath_u64 low, high;
          sunif_pair(seed, first + static_cast<std::uint64_t>(j), kind, &low, &high);
          ASSERT_EQ(low, blocks[j]);
          ASSERT_EQ(high, blocks[kPairs + j]);
        }
      }
    }
  }
}

TEST(Philox, a_draw_has_half_a_block_with_its_neighbour_and_then_blocks_of_its_own) {
  const nmath_u64 seed = 7, draw = 0x1234567800000000u + 11;
  const nmath_u32 upper = 0x12345678u;
  const auto uniform = [](nmath_u64 bits) { return (2.0 * static_cast<double>(bits >> 12) + 1) / 9007199254740992.0; };
  for (const nmath_u64 index : {draw, draw - 1}) {
    NMATH_RNG(seed, index);
    nmath_u64 half[2];
    nmath_philox(seed, 5 + (upper << 31), upper >> 1, 0, SUNIF_WORDS, &half[0], &half[1]);
    EXPECT_EQ(uniform(half[index & 1]), unif_rand());
    for (nmath_u32 block = 0; block < 5; ++block) {
      nmath_philox(seed, static_cast<nmath_u32>(index), upper, block, SUNIF_OWN, &half[0], &half[1]);
      for (const nmath_u64 bits : half) EXPECT_EQ(uniform(bits), unif_rand());
    }
  }
}

TEST(Philox, tails_are_as_fine_as_64_bits) {
  EXPECT_EQ(std::ldexp(1.0, -65), sunif_tail(0));
  EXPECT_EQ(std::ldexp(3.0, -65), sunif_tail(1));
  EXPECT_LT(sunif_tail(0xffffffffu), sunif_tail(0x100000000u));
  EXPECT_EQ(sunif_open(0x100000fffu), sunif_tail(0x100000000u));
  EXPECT_EQ(1.0 - std::ldexp(1.0, -53), sunif_tail(~nmath_u64{0}));
}

TEST(Draws, every_function_that_draws_has_a_case) {
  for (const KernelSpec& spec : kernel_registry()) {
    if (!spec.draws()) continue;
    EXPECT_EQ(static_cast<std::size_t>(spec.n_real), draw_parameters(spec.name).size()) << spec.name;
  }
}

TEST(Draws, do_not_depend_on_threads_or_length) {
  constexpr std::size_t kDraws = 40000;  // several blocks
  for (const KernelSpec& spec : kernel_registry()) {
    if (!spec.draws()) continue;
    set_host_threads(1);
    const std::vector<double> all = draws_on_host(spec.name, kDraws, 5);
    set_host_threads(3);
    EXPECT_EQ(all, draws_on_host(spec.name, kDraws, 5)) << spec.name;
    for (const std::size_t n : {std::size_t{1}, std::size_t{255}, std::size_t{257}, std::size_t{8193}})
      EXPECT_EQ(std::vector<double>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)),
                draws_on_host(spec.name, n, 5))
          << spec.name;
    EXPECT_NE(all, draws_on_host(spec.name, kDraws, 6)) << spec.name;
    set_host_threads(0);
  }
}

TEST(Draws, a_launch_may_begin_anywhere) {
  const std::vector<double> all = draws_on_host("norm_rand", 2000, 5);
  for (const std::uint64_t first : {700u, 701u}) {
    for (const std::size_t n : {1000u, 999u, 1u}) {
      std::vector<double> out(n + 1, -99.0);
      nmath_host_argument arguments[4];
      arguments[0].memory = out.data();
      arguments[1].i32 = static_cast<std::int32_t>(n);
      arguments[2].u64 = 5;
      arguments[3].u64 = first;
      const int items = static_cast<int>((n + 1 + first % 2) / 2);  // pairs
      for (const auto& part : {std::pair(0, 300), std::pair(300, 301), std::pair(301, 1000)})
        nmath_host_norm_rand(arguments, std::min(part.first, items), std::min(part.second, items));
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(all[first + i], out[i]);
      EXPECT_EQ(-99.0, out[n]);
    }
  }
}

TEST(Draws, results_are_looked_through_as_R_has_them) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> out{1, nan, 2147483647.0, 0};
  std::vector<int> counts(4);
  const double prob = 0.5;
  DrawScan fits(find_kernel_spec("rgeom"), {{&prob, 1, Column::Type::f64}}, counts.data());
  fits.chunk(0, 4, out.data());
  EXPECT_EQ((std::vector<int>{1, INT_MIN, INT_MAX, 0}), counts);
  EXPECT_TRUE(fits.produced_missing());
  EXPECT_FALSE(fits.beyond_integers());
  out[2] = 2147483648.0;
  out[1] = 0;
  DrawScan beyond(find_kernel_spec("rgeom"), {{&prob, 1, Column::Type::f64}}, counts.data());
  beyond.chunk(0, 4, out.data());
  EXPECT_FALSE(beyond.produced_missing());
  EXPECT_TRUE(beyond.beyond_integers());
}

TEST(Draws, multinomial_columns_do_not_depend_on_threads) {
  const std::vector<double> prob{1, 2, 0, 5};
  const auto columns = [&](std::size_t n) {
    std::vector<int> out(n * prob.size(), -1);
    RunReport report;
    run_multinomial("host", find_kernel_spec("rmultinom"), {50, prob.data(), prob.size()}, n, out.data(), report, {},
                    9);
    return out;
  };
  set_host_threads(1);
  const std::vector<int> all = columns(10000);
  set_host_threads(3);
  EXPECT_EQ(all, columns(10000));
  set_host_threads(0);
  for (std::size_t i = 0; i < all.size(); i += 4) {
    ASSERT_EQ(50, all[i] + all[i + 1] + all[i + 2] + all[i + 3]);
    ASSERT_EQ(0, all[i + 2]);
  }
  RunReport report;
  EXPECT_THROW(run_multinomial("host", find_kernel_spec("rbinom"), {1, prob.data(), 4}, 1, nullptr, report, {}, 1),
               NmathError);
}
