// test_sampler_hat -- transformed rejection (rejection.cl) draws from the right masses only if its hat covers them.
#include "sampler_statistics.h"

using namespace sampler_test;

namespace {

// r(u) of rejection.cl at the ends of each k's interval of u, where it is largest and smallest: its largest value, and
// its smallest less the squeeze.
struct HatRange {
  double most = 0, spare = 1;
  void widen(sampler which, const Parameters& p, const Moments& m, double last) {
    double t[5];
    sampler_hat(m.mean, m.sd, t);
    const double a = t[0], b = t[1], centre = t[2], quick = t[3], scale = t[4];
    const double edge = (2 * a / 0.07 + b) * 0.43;  // G(u) - centre where the squeeze ends
    const double from = std::max(0.0, std::floor(m.mean - 12 * m.sd - 20)),
                 to = std::min(last, m.mean + 12 * m.sd + 60);
    const double step = std::max(1.0, std::floor((to - from) / 1000));
    if (centre - edge < 0 || centre + edge > last + 1) spare = -1;  // it would take what is no value
    for (double k = from; k <= to; k += step) {
      const double f = sampler_mass(which, k, p.data());
      for (int end = 0; end < 3; ++end) {
        double y = k + end - centre, s = 0.5;
        if (end == 2) y = std::fabs(y + 1) > std::fabs(y) ? std::copysign(edge, y) : 0;  // within, if at all
        if (end == 2 && !(k <= y + centre && y + centre < k + 1)) continue;
        const double c = 2 * a + 0.5 * b + std::fabs(y);
        s -= std::fabs(y) / (c + std::sqrt(c * c - 2 * b * std::fabs(y)));
        const double r = f * (a / (s * s) + b) / scale;
        most = std::max(most, r);
        if (s >= 0.0699999) spare = std::min(spare, r - quick);
      }
    }
  }
};

}  // namespace

TEST(SamplerHat, covers_the_masses_and_its_squeeze_does_not_exceed_them) {
  HatRange pois, binom, hyper;
  for (double mean = 16; mean < 1e12; mean *= mean < 1e3 ? 1.02 : 1.5)
    pois.widen(SAMPLER_POIS, {mean}, {mean, std::sqrt(mean)}, kInf);
  for (double p : {0.5, 0.4, 0.25, 0.1, 1e-2, 1e-4})
    for (double mean = 16; mean < 1e9; mean *= mean < 1e3 ? 1.05 : 2) {
      const Parameters par = {std::ceil(mean / p), p};
      binom.widen(SAMPLER_BINOM, par, moments_of(SAMPLER_BINOM, par), par[0]);
    }
  for (double N = 144; N < 1e9; N = std::ceil(N * (N < 1e3 ? 1.1 : 3)))
    for (double r = std::floor(N / 2); r >= 9; r = std::floor(r * 0.8))
      for (double n = std::floor(N / 2); n >= 9; n = std::floor(n * 0.8)) {
        const Parameters par = {r, N - r, n};
        const Moments m = moments_of(SAMPLER_HYPER, par);
        if (m.sd >= 3) hyper.widen(SAMPLER_HYPER, par, m, std::min(r, n));
      }
  for (const HatRange& range : {pois, binom, hyper}) {
    EXPECT_LT(range.most, 0.998);
    EXPECT_GT(range.spare, 0.004);
  }
}
