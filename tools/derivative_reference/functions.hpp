// functions -- the functions of inst/spec/derivatives.tsv from their definitions, and where they are tried.
#pragma once
#include "tails.hpp"
#include <algorithm>
#include <memory>

typedef std::vector<A> VA;
enum class Kind { value, tails, quantile };
// Where an argument is drawn from: u uniform, l log-uniform, s log-uniform with a sign, i whole, k whole and log-uniform, p log p;
// a share `rare` comes from far_a to far_b, of another kind where far_kind says so.
struct Range { char kind; double a, b, rare = 0, far_a = 0, far_b = 0; char far_kind = 0; };
struct Function {
  std::string name, form;
  Kind kind;
  std::vector<std::string> names, differentiated;
  std::vector<Range> ranges;
  std::function<A(const VA &)> f;                // values, log densities
  std::function<PQ(const VA &)> tails;           // both tails at v[0]
  std::function<A(const VA &)> log_density;      // where it has a definition of its own, of the same arguments
  std::function<A(const VA &, const A &, const A &)> closed; // a quantile with a closed form, given both tails
  int support = 2;                               // of other quantiles, as solve() has it
  bool log_p = false, through_value = false;
  bool by_quantile = false;                      // slopes in parameters are multiples of the quantile, which has to be in range
  std::function<bool(std::vector<double> &)> arrange = [](std::vector<double> &) { return true; };
};

// Tails at arguments that the forms of one derivative, and their condition numbers, share. Of one point.
struct Remembered { VA v; slong prec; PQ tails; };
static std::vector<Remembered> MEMO;
static PQ remembered(const std::function<PQ(const VA &)> &f, const VA &v) {
  for (auto &m : MEMO) {
    if (m.prec != PREC || m.v.size() != v.size()) continue;
    bool same = true;
    for (size_t i = 0; i < v.size() && same; i++) same = arb_equal(m.v[i].v, v[i].v);
    if (same) return m.tails;
  }
  PQ r = f(v);
  if (MEMO.size() < 400) MEMO.push_back({v, PREC, r});
  return r;
}

// 12 significant bits
static double shorten_here(double x) {
  if (x == 0 || !std::isfinite(x)) return x;
  int e; double m = std::frexp(x, &e);
  return std::ldexp(std::nearbyint(m * 4096), e - 12);
}

static A lbet(const A &a, const A &b) { return lgam(a) + lgam(b) - lgam(a + b); }
static A ones(const A &x) { HIPREC; return A(1) - x; }
static A l_gamma(const A &x, const A &a, const A &s) { return (a - 1) * log(x) - x / s - lgam(a) - a * log(s); }
static A l_beta(const A &x, const A &a, const A &b) { return (a - 1) * log(x) + (b - 1) * log(ones(x)) - lbet(a, b); }
static A l_f(const A &x, const A &m, const A &n) { A d = m * x + n; return m / 2 * log(m * x / d) + n / 2 * log(n / d) - log(x) - lbet(m / 2, n / 2); }
static A l_choose(const A &n, const A &k) { return lgam(n + 1) - lgam(k + 1) - lgam(n - k + 1); }
static A l_norm(const A &z) { return -(z * z) / 2 - log(PI() * 2) / 2; }
static A lgabs(const A &x) { return arb_is_positive(x.v) ? lgam(x) : log(PI() / fabs_(sinpi_(x))) - lgam(A(1) - x); }
static A psi(int n, const A &x) {
  A r;
  if (n == 0) { arb_digamma(r.v, x.v, PREC); return r; }
  acb_t s, z, w; acb_init(s); acb_init(z); acb_init(w); acb_set_si(s, n); arb_set(acb_realref(z), x.v);
  acb_polygamma(w, s, z, PREC); arb_set(r.v, acb_realref(w)); acb_clear(s); acb_clear(z); acb_clear(w); return r;
}
// sum over j of Poisson weights of exp(term)
static A mixture_density(const A &T0, const std::function<A(long)> &ratio) {
  A T = T0, s = 0;
  for (long j = 0;; j++) {
    s += T; A r = ratio(j); T *= r;
    if (zero(T)) break;
    if ((j & 3) == 0 && mid(r) < 0.7 && ex(T) < ex(s) - PREC - 2) { adderr(s, T * 4); break; }
    if ((j & 0xfff) == 0) tick();
  }
  return s;
}
static A l_nchisq(const A &x, const A &f, const A &l) {
  A h = l / 2, X = x / 2, a = f / 2;
  return log(mixture_density(exp(-h + l_gamma(x, a, A(2))), [&](long j) { return h * X / (A(j + 1) * (a + A(j))); }));
}
static A nbeta_density(const A &x, const A &y, const A &a, const A &b, const A &l) {
  A h = l / 2;
  return mixture_density(exp(-h + (a - 1) * log(x) + (b - 1) * log(y) - lbet(a, b)), [&](long j) { return h * x * (a + b + A(j)) / (A(j + 1) * (a + A(j))); });
}
static A l_nf(const A &x, const A &m, const A &n, const A &l) { A d = m * x + n, y = n / d; return log(m / n * y * y * nbeta_density(m * x / d, y, m / 2, n / 2, l)); }
static A l_nt(const A &t, const A &n, const A &d) {
  A t2 = t * t, z = t * d * sqrt(A(2)) / sqrt(n + t2), z2 = z * z;
  A pre = exp(n / 2 * log(n) - d * d / 2 - lgam(n / 2) - (n + 1) / 2 * log(n + t2) + lgam((n + 1) / 2)) / sqrt(PI());
  A e = 1, o = exp(lgam(n / 2 + 1) - lgam((n + 1) / 2)) * z, s = 0;
  for (long j = 0;; j += 2) {
    s += e + o;
    A re = (n + A(j + 1)) / 2 * z2 / (A(j + 1) * A(j + 2)), ro = (n + A(j + 2)) / 2 * z2 / (A(j + 2) * A(j + 3));
    e *= re; o *= ro;
    if (mid(re) < 0.5 && mid(ro) < 0.5 && std::max(ex(e), ex(o)) < ex(s) - PREC - 2) { adderr(s, (fabs_(e) + fabs_(o)) * 4); break; }
    if ((j & 0xfff) == 0) tick();
  }
  return log(pre * s);
}
static PQ c_f(const A &x, const A &m, const A &n, const A &l) { A X, Y; { HIPREC; A d = m * x + n; X = m * x / d; Y = n / d; } return zero(l) ? incbeta(m / 2, n / 2, X, Y) : nbeta_cdf(m / 2, n / 2, l, X, Y); }
static PQ flip(const PQ &r) { PQ s; s.p = r.q; s.q = r.p; return s; }
static PQ c_cauchy(const A &z) { PQ r; A one = 1; arb_atan2(r.q.v, one.v, z.v, PREC); A w = -z; arb_atan2(r.p.v, one.v, w.v, PREC); r.p = r.p / PI(); r.q = r.q / PI(); return r; }
static PQ c_logis(const A &z) { PQ r; r.p = A(1) / (A(1) + exp(-z)); r.q = A(1) / (A(1) + exp(z)); return r; }
static PQ c_expo(const A &m) { PQ r; r.p = -expm1(-m); r.q = exp(-m); return r; }

// The quantile of the tail v[0].
static A quantile_at(const Function &fn, const VA &v, bool upper) {
  A p = v[0], s, o;
  if (fn.log_p) { s = exp(p); o = -expm1(p); } else { s = p; o = A(1) - s; }
  if (fn.closed) return fn.closed(v, upper ? o : s, upper ? s : o);
  auto at = [&](const A &x, const A &) { VA u(v.begin(), v.begin() + fn.names.size()); u[0] = x; return fn.tails(u); };
  return exact(solve(at, fn.support, upper ? o : s, upper ? s : o));
}
// Its derivative in argument k by the implicit function. The last argument is the quantile where that counts as an argument.
template <class Difference> static A quantile_slope(const Function &fn, const VA &v, size_t k, bool upper, Difference difference) {
  if (fn.closed) return difference([&](const VA &u) { return quantile_at(fn, u, upper); }, v, k);
  A s = fn.log_p ? exp(v[0]) : A(1);
  VA w(v.begin(), v.begin() + fn.names.size());
  w[0] = fn.through_value ? v.back() : quantile_at(fn, v, upper);
  auto small = [&](const VA &u) { PQ r = fn.tails(u); return mid(r.p) < 0.5 ? r.p : -r.q; };
  A f = fn.log_density ? exp(fn.log_density(w)) : difference(small, w, 0);
  if (k == 0) return (upper ? -s : s) / f;
  return -(difference(small, w, k) / f);
}

typedef std::vector<std::string> Names;
static std::vector<Function> all_functions() {
  std::vector<Function> out;
  auto value = [&](const char *name, Names names, std::vector<Range> r, std::function<A(const VA &)> f, Names in = {}) -> Function & {
    Function g; g.name = name; g.form = "value"; g.kind = Kind::value; g.names = names; g.ranges = r; g.f = f; g.differentiated = in.empty() ? names : in; out.push_back(g); return out.back();
  };
  auto density = [&](const char *name, Names names, std::vector<Range> r, std::function<A(const VA &)> f, Names in = {}) -> Function & {
    Function &g = value(name, names, r, f, in); g.form = "log"; return g;
  };
  auto tails = [&](const char *name, Names names, std::vector<Range> r, std::function<PQ(const VA &)> f, Names in = {}) -> Function & {
    Function &g = value(name, names, r, nullptr, in); g.kind = Kind::tails; g.tails = [=](const VA &v) { return remembered(f, v); }; return g;
  };
  auto quantile = [&](std::string name, Names names, std::vector<Range> r, int support, bool through, std::function<PQ(const VA &)> f, Names in = {}) {
    for (int lg = 0; lg < 2; lg++) {
      Function &g = value((name + (lg ? ".log" : "")).c_str(), names, r, nullptr, in);
      g.kind = Kind::quantile; g.tails = [=](const VA &v) { return remembered(f, v); }; g.support = support; g.through_value = through; g.log_p = lg;
      g.ranges[0] = lg ? Range{'p', 0, 0} : Range{'u', 0.001, 0.999, 0.3, 1e-12, 0.01};
    }
  };
  auto closed = [&](std::function<A(const VA &, const A &, const A &)> q) { for (int k = 1; k <= 2; k++) out[out.size() - k].closed = q; };
  auto by_quantile = [&] { for (int k = 1; k <= 2; k++) out[out.size() - k].by_quantile = true; };
  // the density of what was added last
  auto dens = [&](int count, std::function<A(const VA &)> f) { for (int k = 1; k <= count; k++) out[out.size() - k].log_density = f; };
  auto both = [](double a, double b, double fa, double fb) { return Range{'l', a, b, 0.3, fa, fb}; };
  Range pos = both(0.01, 50, 1e-8, 1e8), line{'s', 0.01, 10, 0.3, 1e-6, 1e3}, far_line{'s', 0.01, 10, 0.3, 1, 1e20}, prob{'u', 0.01, 0.99, 0.3, 1e-5, 0.001}, scale = both(0.2, 5, 1e-5, 1e5);
  auto no_pole = [](std::vector<double> &x) { return 2 * x[0] != std::nearbyint(2 * x[0]); };
#define FN1(name, range, expr) value(name, {"x"}, {range}, [](const VA &v) { const A &x = v[0]; A r; expr; return r; }).arrange = no_pole
#define AR(f) f(r.v, x.v, PREC)
#include "elementary.hpp"
  auto xy = [](double) { return Names{"x", "y"}; };
  value("power", xy(0), {both(0.1, 5, 1e-5, 1e5), Range{'u', -3, 3}}, [](const VA &v) { return exp(v[1] * log(v[0])); });
  value("atan2", {"y", "x"}, {any, any}, [](const VA &v) { A r; arb_atan2(r.v, v[0].v, v[1].v, PREC); return r; });
  Range gam{'u', 0.1, 60, 0.4, -20, 0};
  FN1("gamma", gam, arb_hypgeom_gamma(r.v, x.v, PREC)); FN1("lgamma", (Range{'u', 0.1, 60, 0.3, -20, 0}), r = lgabs(x)); FN1("lgamma1p", (Range{'u', -0.9, 5}), r = lgam(x + 1));
  FN1("digamma", gam, r = psi(0, x)); FN1("trigamma", gam, r = psi(1, x)); FN1("tetragamma", gam, r = psi(2, x)); FN1("pentagamma", gam, r = psi(3, x));
  value("psigamma", {"x", "deriv"}, {both(0.3, 30, 1e-3, 1e5), Range{'i', 0, 4}}, [](const VA &v) { return psi((int)mid(v[1]), v[0]); }, {"x"});
  auto stirling = [](const A &n) { return lgam(n + 1) - (n + A(0.5)) * log(n) + n - log(PI() * 2) / 2; };
  value("stirlerr", {"n"}, {both(0.1, 30, 1e-3, 1e6)}, [=](const VA &v) { return stirling(v[0]); }); FN1("lgammacor", both(10, 100, 10, 1e6), r = lgam(x + 1) - (x + A(0.5)) * log(x) + x - log(PI() * 2) / 2);
  FN1("log1pmx", (Range{'u', -0.9, 5, 0.3, -1e-6, 1e-6}), r = log1p(x) - x); FN1("log1pexp", (Range{'s', 0.01, 10, 0.3, 1, 300}), r = log1p(exp(x))); FN1("log1mexp", both(0.02, 20, 1e-10, 300), r = log(-expm1(-x)));
  Names lxy{"logx", "logy"}; std::vector<Range> lr{Range{'s', 0.01, 10, 0.2, 1, 500}, Range{'s', 0.01, 10, 0.2, 1, 500}};
  value("logspace_add", lxy, lr, [](const VA &v) { return log(exp(v[0]) + exp(v[1])); });
  value("logspace_sub", lxy, lr, [](const VA &v) { return log(exp(v[0]) - exp(v[1])); }).arrange = [](std::vector<double> &x) { if (x[0] < x[1]) std::swap(x[0], x[1]); return x[0] > x[1]; };
  value("pow1p", xy(0), {Range{'u', -0.9, 5, 0.3, -1e-6, 1e-6}, Range{'u', -3, 3, 0.2, -1000, 1000}}, [](const VA &v) { return exp(v[1] * log1p(v[0])); });
  value("bd0", {"x", "np"}, {both(0.1, 100, 1, 1e6), both(0.1, 100, 1, 1e6)}, [](const VA &v) { return v[0] * log(v[0] / v[1]) + v[1] - v[0]; });
  Names ab{"a", "b"}; std::vector<Range> abr{both(0.2, 80, 1e-3, 1e6), both(0.2, 80, 1e-3, 1e6)};
  value("lbeta", ab, abr, [](const VA &v) { return lbet(v[0], v[1]); });
  value("beta", ab, {both(0.2, 80, 1e-3, 100), both(0.2, 80, 1e-3, 100)}, [](const VA &v) { return exp(lbet(v[0], v[1])); });
  auto choose = [](const VA &v) { A n = v[0]; A r = 1; long k = (long)mid(v[1]); for (long j = 0; j < k; j++) r = r * (n - A(j)) / A(j + 1); return r; };
  std::vector<Range> cr{Range{'s', 0.3, 60, 0.4, 1e-3, 1e5}, Range{'i', 1, 12, 0.4, 1, 60}};
  // (R rounds where n is nearly whole)
  auto apart = [](std::vector<double> &x) { return std::fabs(x[0] - std::nearbyint(x[0])) > 1e-5 * std::max(1.0, std::fabs(x[0])); };
  value("choose", {"n", "k"}, cr, choose, {"n"}).arrange = apart;
  value("lchoose", {"n", "k"}, cr, [=](const VA &v) { return log(fabs_(choose(v))); }, {"n"}).arrange = apart;
  Names nu{"x", "nu"}; std::vector<Range> br{both(0.05, 40, 1e-8, 1e5), Range{'u', 0, 12, 0.3, 12, 200}};
  auto bessel = [&](const char *name, void (*f)(arb_t, const arb_t, const arb_t, slong), Names of = {"x"}) { value(name, nu, br, [=](const VA &v) { A r; f(r.v, v[1].v, v[0].v, PREC); return r; }, of); };
  bessel("besselJ", arb_hypgeom_bessel_j, nu); bessel("besselY", arb_hypgeom_bessel_y, nu); bessel("besselI", arb_hypgeom_bessel_i, nu); bessel("besselK", arb_hypgeom_bessel_k, nu);
  br[0] = both(0.05, 1000, 1e-3, 1e9); br[1] = Range{'u', 0, 12, 0.4, 0, 3000}; bessel("besselI.scaled", arb_hypgeom_bessel_i_scaled, nu); bessel("besselK.scaled", arb_hypgeom_bessel_k_scaled, nu);
  // orders of all sizes, whole ones and half-odd ones among them and their neighbours
  br[0] = both(0.5, 60, 1e-3, 600); br[1] = Range{'l', 1e-3, 30, 0.4, 1e-8, 1e4};
  auto orders = [](std::vector<double> &x) { long k = (long)(x[0] * 65536) % 4; if (k < 2 && x[1] > 0.25) x[1] = std::nearbyint(2 * x[1]) / 2; if (k == 1) x[1] += std::ldexp(x[1], -11); return true; };
  bessel("besselI.far", arb_hypgeom_bessel_i, {"nu"}); out.back().arrange = orders;
  br[0] = both(0.5, 60, 1e-8, 1e5);
  bessel("besselJ.far", arb_hypgeom_bessel_j, {"nu"}); out.back().arrange = orders;
  bessel("besselY.far", arb_hypgeom_bessel_y, {"nu"}); out.back().arrange = orders;
#include "families.hpp"
  return out;
}
