// quantile_table -- Taylor series of quantile functions about the middles of the pieces, made economical.
#include "engine/quantile_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "base/kept_few.h"

namespace openclPort {

namespace {

// As in rquantile.cl.
constexpr int kFine = 24, kBins = 8, kTerms = 9, kRows = kBins * kFine + 65 - kFine;
constexpr int kSeries = 14;        // terms of a series
constexpr std::size_t kKept = 16;  // tables of 33 KiB, 100 microseconds each to make

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
struct Piece {
  double middle, unit, half;
};

Piece piece_of(int row) {
  const int fine = kBins * kFine, octave = row < fine ? row / kBins : kFine + (row - fine);
  const double unit = std::ldexp(1.0, -1 - octave);
  if (row >= fine) return {1.5 * unit, unit, 0.5};
  return {(1.0 + (kBins - 1 - row % kBins + 0.5) / kBins) * unit, unit, 0.5 / kBins};
}

// A number for each of a few rows at a time: a row's sums wait for one another, those of several rows do not.
constexpr int kTogether = 8;
struct Several {
  double of[kTogether] = {};
  double& operator[](int i) { return of[i]; }
  double operator[](int i) const { return of[i]; }
};
using Series = std::array<Several, kSeries>;

void add_product(Several& sum, const Several& a, const Several& b) {
  for (int i = 0; i < kTogether; ++i) sum[i] += a[i] * b[i];
}

// x(t) about t = 0 with x'(0) = first.
Series quantile_series(const Law& law, const Several& x0, const Several& first) {
  // y = x', z = power y/x, g = ratio y/(x + pole), c = fold y x/(square + w), w = x^2, h = y f'/f, so that y' = -y h
  Series x{}, y{}, z{}, g{}, c{}, w{}, h{};
  Several over_x, over_end, over_square;
  for (int i = 0; i < kTogether; ++i) {
    const double end = x0[i] + law.pole;
    over_x[i] = 1.0 / x0[i];
    over_end[i] = law.ratio != 0 && end != 0 ? 1.0 / end : 0.0;
    over_square[i] = 1.0 / (law.square + x0[i] * x0[i]);
  }
  x[0] = x0;
  y[0] = first;
  for (int k = 0; k + 1 < kSeries; ++k) {
    Several xz, xg, wc, xy, yh;
    for (int j = 1; j <= k; ++j) {
      add_product(xz, x[j], z[k - j]);
      add_product(xg, x[j], g[k - j]);
    }
    if (law.fold != 0) {
      for (int j = 0; j <= k; ++j) {
        add_product(w[k], x[j], x[k - j]);
        add_product(xy, x[j], y[k - j]);
      }
      for (int j = 1; j <= k; ++j) add_product(wc, w[j], c[k - j]);
    }
    for (int i = 0; i < kTogether; ++i) {
      x[k + 1][i] = y[k][i] / (k + 1);
      z[k][i] = (law.power * y[k][i] - xz[i]) * over_x[i];
      g[k][i] = (law.ratio * y[k][i] - xg[i]) * over_end[i];
      c[k][i] = (law.fold * xy[i] - wc[i]) * over_square[i];
      h[k][i] = z[k][i] + law.slope * y[k][i] + g[k][i] + c[k][i];
    }
    for (int j = 0; j <= k; ++j) add_product(yh, y[j], h[k - j]);
    for (int i = 0; i < kTogether; ++i) y[k + 1][i] = -yh[i] / (k + 1);
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

// The first kTerms coefficients, by Chebyshev polynomials subtracted from the highest term down (Lanczos 1938,
// "Trigonometric interpolation of empirical and analytical functions", J. Math. Phys. 17, 123-199); returns what that
// and the end of the series leave out, for |t| <= half.
Several economize(Series& x, const Several& half) {
  static const Chebyshev chebyshev;
  Several left, power, over;
  for (int i = 0; i < kTogether; ++i) power[i] = over[i] = 1.0;
  for (Several& one : x) {
    for (int i = 0; i < kTogether; ++i) {
      one[i] *= power[i];
      power[i] *= half[i];
    }
  }
  for (int i = 0; i < kTogether; ++i) left[i] = std::fabs(x[kSeries - 1][i]) + std::fabs(x[kSeries - 2][i]);
  for (int k = kSeries - 1; k >= kTerms; --k) {
    for (int i = 0; i < kTogether; ++i) left[i] += std::fabs(x[k][i]) * std::ldexp(1.0, 1 - k);
    for (int j = k & 1; j < k; j += 2)
      for (int i = 0; i < kTogether; ++i) x[j][i] -= x[k][i] * chebyshev.of[k][j];
  }
  for (Several& one : x) {
    for (int i = 0; i < kTogether; ++i) {
      one[i] *= over[i];
      over[i] /= half[i];
    }
  }
  return left;
}

std::shared_ptr<const std::vector<double>> terms_of(const std::string& name, const Law& law) {
  std::vector<Piece> pieces;
  std::vector<double> tail;
  for (int row = 0; row < kRows; ++row) {
    pieces.push_back(piece_of(row));
    tail.push_back(0.5 * pieces.back().middle);
  }
  const int rows = 2 * kRows;
  const auto terms = std::make_shared<std::vector<double>>(static_cast<std::size_t>(rows * kTerms));
  for (const int upper : {0, 1}) {
    const std::vector<double> x = law_on_host('q', name, tail, law.parameters, {!upper, 0});
    const std::vector<double> density = law_on_host('d', name, x, law.parameters, {0});
    for (int begin = 0; begin < kRows; begin += kTogether) {
      Several middle, first, half;
      for (int i = 0; i < kTogether; ++i) {
        const int row = std::min(begin + i, kRows - 1);
        middle[i] = x[row];
        first[i] = (upper ? -0.5 : 0.5) * pieces[row].unit / density[row];
        half[i] = pieces[row].half;
      }
      Series series = quantile_series(law, middle, first);
      const Several left = economize(series, half);
      for (int i = 0; i < kTogether && begin + i < kRows; ++i) {
        const int row = begin + i;
        const double most = row < kBins * kFine ? 0x1p-40 : 0x1p-20;
        if (!(x[row] != 0 && left[i] <= most * std::fabs(x[row]))) return nullptr;
        for (int k = 0; k < kTerms; ++k) (*terms)[row + (upper ? kRows : 0) + rows * k] = series[k][i];
      }
    }
  }
  return terms;
}

}  // namespace

std::shared_ptr<const QuantileTable> quantile_table_of(const std::string& name, const std::vector<double>& parameters) {
  using Key = std::pair<std::string, std::vector<double>>;
  static KeptFew<Key, std::shared_ptr<const std::vector<double>>> kept(kKept);
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
  queue->write(memory, 0, terms->data(), terms->size() * sizeof(double));
  queue->finish();
  return memory;
}

}  // namespace openclPort
