// quantile_table -- Taylor series of quantile functions about the middles of the pieces, made economical.
#include "engine/quantile_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/recent_cache.h"
#include "device/pair_device.h"

namespace openclPort {

namespace {

// As in rquantile.cl.
constexpr int kFine = 24, kBins = 8, kTerms = 9, kRows = kBins * kFine + 65 - kFine;
constexpr int kSeries = 14;                  // terms of a series at most: a coarse piece's
constexpr int kFineSeries = 12;              // of a fine one
constexpr std::size_t kQuantileTables = 16;  // tables of 33 KiB, about 100 microseconds each to make

// A law whose density f has f'/f = power/x + slope + ratio/(x + pole) + fold x/(square + x^2): all that Taylor's series
// of its quantile function needs besides a value and the density there. With u the probability, x' = 1/f, and so x'' =
// -x' x' f'/f.
struct Law {
  std::vector<double> parameters;
  double scale, power, slope, ratio, pole, fold, square;
};

std::optional<Law> law_of(const std::string& name, const std::vector<double>& p) {
  for (const double one : p)
    if (!(one > 0 && one <= 1e9)) return std::nullopt;
  if (name == "rgamma") return Law{{p[0], 1.0}, p[1], p[0] - 1.0, -1.0, 0.0, 0.0, 0.0, 1.0};
  if (name == "rchisq") return Law{p, 1.0, 0.5 * p[0] - 1.0, -0.5, 0.0, 0.0, 0.0, 1.0};
  // beta: of a number next to 1, what is left to 1 goes within a piece as a power 1/p[1], and the series does not see
  // it
  if (name == "rbeta" && p[1] < 0.25) return std::nullopt;
  if (name == "rbeta") return Law{p, 1.0, p[0] - 1.0, 0.0, p[1] - 1.0, -1.0, 0.0, 1.0};
  if (name == "rf") return Law{p, 1.0, 0.5 * p[0] - 1.0, 0.0, -0.5 * (p[0] + p[1]), p[1] / p[0], 0.0, 1.0};
  if (name == "rt") return Law{p, 1.0, 0.0, 0.0, 0.0, 0.0, -(p[0] + 1.0), p[0]};
  return std::nullopt;
}

// A piece of (0, 1): its middle, and the unit of t, in which it is [-half, half].
struct TablePiece {
  double middle, unit, half;
};

TablePiece piece_of(int row) {
  const int fine = kBins * kFine, octave = row < fine ? row / kBins : kFine + (row - fine);
  const double unit = std::ldexp(1.0, -1 - octave);
  if (row >= fine) return {1.5 * unit, unit, 0.5};
  return {(1.0 + (kBins - 1 - row % kBins + 0.5) / kBins) * unit, unit, 0.5 / kBins};
}

// A number for each of a few rows at a time: a row's sums wait for one another, those of several rows do not.
constexpr int kTogether = 8;
struct Several {
  double of[kTogether];  // not set
  double& operator[](int i) { return of[i]; }
  double operator[](int i) const { return of[i]; }
};
using Series = std::array<Several, kSeries>;

// Sum of a[j] b[k - j] for j = from, ..., to; in sums of their own, which stay in registers.
Several product(const Series& a, const Series& b, int k, int from, int to) {
  Several sum;
  for (int i = 0; i < kTogether; i += 4) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int j = from; j <= to; ++j) {
      const double *const left = a[j].of + i, *const right = b[k - j].of + i;
      s0 += left[0] * right[0];
      s1 += left[1] * right[1];
      s2 += left[2] * right[2];
      s3 += left[3] * right[3];
    }
    sum[i] = s0;
    sum[i + 1] = s1;
    sum[i + 2] = s2;
    sum[i + 3] = s3;
  }
  return sum;
}

// The term k of a square of a series.
Several square_term(const Series& a, int k) {
  Several sum = product(a, a, k, 0, (k + 1) / 2 - 1);
  for (int i = 0; i < kTogether; ++i) sum[i] = 2.0 * sum[i] + (k % 2 == 0 ? a[k / 2][i] * a[k / 2][i] : 0.0);
  return sum;
}

// x(t) about t = 0 with x'(0) = first, to `terms` terms.
Series quantile_series(const Law& law, const Several& x0, const Several& first, int terms) {
  // y = x', z = power y/x, g = ratio y/(x + pole), c = fold y x/(square + w), w = x^2, h = y f'/f, so that y' = -y h;
  // y x is half of w'.
  Series x, y, z, g, c, w, h;
  Several over_x, over_end, over_square;
  for (int i = 0; i < kTogether; ++i) {
    const double end = x0[i] + law.pole;
    over_x[i] = 1.0 / x0[i];
    over_end[i] = end != 0 ? 1.0 / end : 0.0;
    over_square[i] = 1.0 / (law.square + x0[i] * x0[i]);
  }
  x[0] = x0;
  y[0] = first;
  if (law.fold != 0) w[0] = square_term(x, 0);
  for (int k = 0; k + 1 < terms; ++k) {
    const double over_next = 1.0 / (k + 1);
    for (int i = 0; i < kTogether; ++i) {
      x[k + 1][i] = y[k][i] * over_next;
      h[k][i] = law.slope * y[k][i];
    }
    if (law.power != 0) {
      const Several sum = product(x, z, k, 1, k);
      for (int i = 0; i < kTogether; ++i) h[k][i] += z[k][i] = (law.power * y[k][i] - sum[i]) * over_x[i];
    }
    if (law.ratio != 0) {
      const Several sum = product(x, g, k, 1, k);
      for (int i = 0; i < kTogether; ++i) h[k][i] += g[k][i] = (law.ratio * y[k][i] - sum[i]) * over_end[i];
    }
    if (law.fold != 0) {
      w[k + 1] = square_term(x, k + 1);
      const Several sum = product(w, c, k, 1, k);
      for (int i = 0; i < kTogether; ++i)
        h[k][i] += c[k][i] = (0.5 * law.fold * (k + 1) * w[k + 1][i] - sum[i]) * over_square[i];
    }
    const Several sum = product(y, h, k, 0, k);
    for (int i = 0; i < kTogether; ++i) y[k + 1][i] = -sum[i] * over_next;
  }
  return x;
}

// Coefficients of t^j in T_k(t)/2^(k-1), without the first one, for k = kTerms, ..., kSeries - 1.
struct Chebyshev {
  double of[kSeries][kSeries] = {};
  Chebyshev() {
    of[0][0] = of[1][1] = 1.0;
    for (int k = 2; k < kSeries; ++k)
      for (int j = 0; j <= k; ++j) of[k][j] = (j > 0 ? 2.0 * of[k - 1][j - 1] : 0.0) - of[k - 2][j];
    for (int k = 1; k < kSeries; ++k)
      for (int j = 0; j <= k; ++j) of[k][j] = std::ldexp(of[k][j], 1 - k);
  }
};

// The first kTerms coefficients of `terms`, by Chebyshev polynomials subtracted from the highest term down (Lanczos
// 1938, "Trigonometric interpolation of empirical and analytical functions", J. Math. Phys. 17, 123-199); returns what
// that and the end of the series leave out, for |t| <= half, a power of two.
Several economize(Series& x, int terms, double half) {
  static const Chebyshev chebyshev;
  double power[kSeries] = {1.0};
  for (int k = 1; k < terms; ++k) power[k] = half * power[k - 1];
  Several left{};
  for (int k = terms - 2; k < terms; ++k)
    for (int i = 0; i < kTogether; ++i) left[i] += std::fabs(x[k][i]) * power[k];
  for (int k = terms - 1; k >= kTerms; --k) {
    const double most = std::ldexp(power[k], 1 - k);
    for (int i = 0; i < kTogether; ++i) left[i] += std::fabs(x[k][i]) * most;
    for (int j = k & 1; j < k; j += 2) {
      const double part = chebyshev.of[k][j] * power[k - j];
      for (int i = 0; i < kTogether; ++i) x[j][i] -= x[k][i] * part;
    }
  }
  return left;
}

std::shared_ptr<const std::vector<double>> terms_of(const std::string& name, const Law& law) {
  std::vector<TablePiece> pieces;
  std::vector<double> tail;
  for (int row = 0; row < kRows; ++row) {
    pieces.push_back(piece_of(row));
    tail.push_back(0.5 * pieces.back().middle);
  }
  const int rows = 2 * kRows;
  const auto terms = std::make_shared<std::vector<double>>(static_cast<std::size_t>(rows * kTerms));
  std::vector<double> x = law_on_host('q', name, tail, law.parameters, {1, 0});
  const std::vector<double> upper_x = law_on_host('q', name, tail, law.parameters, {0, 0});
  x.insert(x.end(), upper_x.begin(), upper_x.end());
  const std::vector<double> density = law_on_host('d', name, x, law.parameters, {0});
  for (const int offset : {0, kRows}) {
    const double half = offset == 0 ? 0.5 : -0.5;  // of the probability of a tail
    for (int begin = 0; begin < kRows; begin += kTogether) {
      const bool fine = begin < kBins * kFine;  // all of them, or none
      const int length = fine ? kFineSeries : kSeries;
      Several middle, first;
      for (int i = 0; i < kTogether; ++i) {
        const int row = std::min(begin + i, kRows - 1);
        middle[i] = x[offset + row];
        first[i] = half * pieces[row].unit / density[offset + row];
      }
      Series series = quantile_series(law, middle, first, length);
      const Several left = economize(series, length, pieces[begin].half);
      for (int i = 0; i < kTogether && begin + i < kRows; ++i) {
        const double most = fine ? 0x1p-40 : 0x1p-20;
        if (!(middle[i] != 0 && left[i] <= most * std::fabs(middle[i]))) return nullptr;
        for (int k = 0; k < kTerms; ++k) (*terms)[offset + begin + i + rows * k] = series[k][i];
      }
    }
  }
  return terms;
}

}  // namespace

std::shared_ptr<const QuantileTable> quantile_table_of(const std::string& name, const std::vector<double>& parameters) {
  using Key = std::pair<std::string, std::vector<double>>;
  static RecentCache<Key, std::shared_ptr<const std::vector<double>>> kept(kQuantileTables);
  const std::optional<Law> law = law_of(name, parameters);
  if (!law) return nullptr;
  const auto terms = kept.get({name, law->parameters}, [&] { return terms_of(name, *law); });
  if (terms == nullptr) return nullptr;
  const auto table = std::make_shared<QuantileTable>();
  table->rows = 2 * kRows;
  table->scale = law->scale;
  table->terms = terms;
  return table;
}

const KernelSpec& QuantileTable::spec() const {
  static const KernelSpec spec{"quantile_table", "quantile_table_kernel", "src/quantile_table_kernel.cl", 0, 0,
                               "none",           KernelKind::draws};
  return spec;
}

Buffer QuantileTable::on(Device& device) const {
  Buffer memory = device.allocate(ElementType::f64, terms->size());
  const std::unique_ptr<Queue> queue = device.queue(false);
  const OwnNumbers own;
  queue->write(memory, 0, terms->data(), terms->size() * sizeof(double));
  queue->finish();
  return memory;
}

}  // namespace openclPort
