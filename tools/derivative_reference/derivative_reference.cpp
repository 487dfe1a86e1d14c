// derivative_reference -- certified derivatives of the functions of inst/spec/derivatives.tsv, in Arb balls.
//
//   sh tools/derivative_reference/make.sh [NAME ...]     builds this, makes the tables, all or those named, and records them
//   ./derivative_reference OUT [NAME ...]                writes OUT/NAME.tsv
//   ./derivative_reference --names | --version
//
// Environment variables: POINTS (200) and LIMIT, the seconds for a point (2). The seed of a table is its name, so that a table does
// not depend on which others are made. VERSION is raised by each change of what a table that exists would have, other than a column
// more in a table that is made anew:
// tests/testthat/ref-derivatives/VERSION says which version made which table, and a test asks that it is the present one for all.
//
// Each function is written from its definition (functions.hpp). Derivatives are central differences with the step 2^-90 |x|
// on balls whose precision doubles until the difference has 66 bits; of quantiles, by the implicit function, density and
// differences of the distribution at a quantile that is bracketed to 2^-115. Where a density has a definition of its own (dens() in
// functions.hpp) it is the derivative of its distribution. `cond` is the condition number of the derivative: the
// sum over real arguments a of |a dD/da / D|; of quantiles that are searched, which are rounded on the way, |q/D dD/dq| is added.
// Arguments have 12 bits, so that any reader gets them exactly. What cannot be certified, or is beyond the range of doubles, is NA.
#include "functions.hpp"
#include "tukey.hpp"
#include <random>

static const char *VERSION = "3";
static const char *tukey_names[] = {"ptukey", "qtukey", "qtukey.log"};
static std::mt19937_64 rng;
static double unit() { return (rng() >> 11) * 0x1p-53; }

static double draw(const Range &r) {
  if (r.rare > 0 && unit() < r.rare) { Range far = r; far.a = r.far_a; far.b = r.far_b; far.rare = 0; if (r.far_kind) far.kind = r.far_kind; return draw(far); }
  double x = 0;
  switch (r.kind) {
    case 'u': x = r.a + (r.b - r.a) * unit(); break;
    case 'l': x = std::exp(std::log(r.a) + (std::log(r.b) - std::log(r.a)) * unit()); break;
    case 's': x = std::exp(std::log(r.a) + (std::log(r.b) - std::log(r.a)) * unit()) * (unit() < 0.5 ? -1 : 1); break;
    case 'i': x = std::floor(r.a + (r.b - r.a + 1) * unit()); return x;
    case 'p': x = unit() < 0.5 ? -std::exp(std::log(1e-8) + std::log(20 / 1e-8) * unit()) : -std::exp(std::log(20.0) + std::log(1e4 / 20) * unit()); break; // log p
    case 'k': x = std::floor(std::exp(std::log(r.a + 1) + (std::log(r.b + 1) - std::log(r.a + 1)) * unit())) - 1; return x < r.a ? r.a : x;
  }
  return shorten_here(x);
}

static A power2(int k) { A r; arb_set_si(r.v, 1); arb_mul_2exp_si(r.v, r.v, k); return r; }

typedef std::function<A(const VA &)> G;
static VA moved(const VA &v, size_t k, int bits, int sign, A *step) {
  PrecGuard g(6000);
  VA w = v; A h = zero(v[k]) ? power2(-bits) : fabs_(exact(v[k])) * power2(-bits);
  w[k] = sign > 0 ? v[k] + h : v[k] - h; *step = h; return w;
}
static A difference(const G &f, const VA &v, size_t k) {
  A h; VA up = moved(v, k, 90, 1, &h), down = moved(v, k, 90, -1, &h);
  return (f(up) - f(down)) / (h * 2);
}
// A value with `bits` correct bits, or FAIL: the precision doubles.
struct Uncertain {};
static A certified(const std::function<A()> &f, slong bits) {
  slong keep = PREC;
  for (PREC = 256; PREC <= 24000; PREC *= 2) {
    A r = f();
    if (arf_is_finite(arb_midref(r.v)) && (zero(r) || relbits(r) >= bits)) { PREC = keep; return exact(r); }
    if (!arf_is_finite(arb_midref(r.v)) && PREC > 3000) break;
    tick();
  }
  PREC = keep; throw Uncertain();
}

struct Result { A d; double cond; bool known; };
// `D` is the derivative as a function of the arguments; `real` says which of them are rounded numbers. Where the last one is a quantile
// `moves` has the elasticities of the quantile in the others, by which it moves D, too.
static Result with_condition(const G &D, const VA &v, const std::vector<bool> &real, const std::vector<double> &moves) {
  Result r; r.cond = 0; r.known = true;
  r.d = certified([&] { return D(v); }, 66);
  if (zero(r.d)) return r;
  std::vector<double> share(v.size(), 0);
  for (size_t i = 0; i < v.size(); i++) {
    if (!real[i] || zero(v[i])) continue;
    // (where the derivative does not depend on the argument the ball holds 0 for ever)
    A s = certified([&] {
      A h; VA up = moved(v, i, 34, 1, &h), down = moved(v, i, 34, -1, &h);
      A d = (D(up) - D(down)) / (h * 2) * v[i], bound = fabs_(r.d) * A(1e-3), size = fabs_(d);
      return lt(size, bound) ? A(0) : d;
    }, 12);
    share[i] = mid(s / r.d);
  }
  for (size_t i = 0; i < moves.size(); i++) share[i] += share.back() * moves[i];
  for (double s : share) r.cond += std::fabs(s);
  return r;
}

static void put(FILE *f, double x) {
  if (x != 0 && (std::fabs(x) < 0x1p-20 || std::fabs(x) > 0x1p45)) fprintf(f, "%a", x); else fprintf(f, "%.17g", x);
}
static void put_derivative(FILE *f, const A &d, double cond) {
  char *s = arb_get_str(d.v, 17, ARB_STR_NO_RADIUS); fprintf(f, "\t%s\t%.2g", s, cond); flint_free(s);
}
static void put(FILE *f, const Result &r) {
  if (!r.known) { fprintf(f, "\tNA\tNA"); return; }
  if (zero(r.d)) { fprintf(f, "\t0\t0"); return; }
  put_derivative(f, r.d, r.cond);
}

struct Column { std::string form, argument; G D; };

static std::vector<Column> columns_of(const Function &fn) {
  std::vector<Column> out;
  for (auto &name : fn.differentiated) {
    size_t k = std::find(fn.names.begin(), fn.names.end(), name) - fn.names.begin();
    auto add = [&](const std::string &form, const G &f) { out.push_back({form, name, [=](const VA &v) { return difference(f, v, k); }}); };
    if (fn.kind == Kind::value) add(fn.form, fn.f);
    else if (fn.kind == Kind::tails) {
      auto F = fn.tails;
      if (k == 0 && fn.log_density) {
        auto f = fn.log_density;
        out.push_back({"lower", name, [=](const VA &v) { return exp(f(v)); }});
        out.push_back({"log", name, [=](const VA &v) { return exp(f(v)) / F(v).p; }});
        out.push_back({"logupper", name, [=](const VA &v) { return -(exp(f(v)) / F(v).q); }});
        continue;
      }
      add("lower", [=](const VA &v) { PQ r = F(v); return mid(r.p) < 0.5 ? r.p : -r.q; });
      add("log", [=](const VA &v) { return fin(F(v), true, true); });
      add("logupper", [=](const VA &v) { return fin(F(v), false, true); });
    } else {
      auto fnc = std::make_shared<Function>(fn);
      for (int upper = 0; upper < 2; upper++) {
        static const char *forms[] = {"lower", "upper", "log", "logupper"};
        out.push_back({forms[2 * fn.log_p + upper], name, [=](const VA &v) { return quantile_slope(*fnc, v, k, upper, [&](const G &f, const VA &w, size_t j) { return difference(f, w, j); }); }});
      }
    }
  }
  return out;
}

// The elasticities of a quantile q in p and the parameters; 0 for one that cannot be certified.
static std::vector<double> quantile_moves(const Function &fn, const VA &v, const A &q, bool upper, const std::vector<bool> &real) {
  VA w = v; w.push_back(q);
  std::vector<double> moves(v.size(), 0);
  for (size_t k = 0; k < v.size(); k++) {
    if (!real[k] || zero(v[k])) continue;
    try {
      A slope = certified([&] { return quantile_slope(fn, w, k, upper, [](const G &f, const VA &u, size_t j) { return difference(f, u, j); }); }, 30);
      moves[k] = mid(slope * v[k] / q);
    } catch (Uncertain &) { }
  }
  return moves;
}

static bool wanted(const Function &fn, const VA &v) {
  if (fn.kind != Kind::tails) return true;
  PrecGuard g(256); PQ r = fn.tails(v); return !zero(r.p) && !zero(r.q);
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  if (std::string(argv[1]) == "--version") { puts(VERSION); return 0; }
  if (std::string(argv[1]) == "--names") { for (auto &fn : all_functions()) puts(fn.name.c_str()); for (auto name : tukey_names) puts(name); return 0; }
  if (getenv("LIMIT")) TLIM = atof(getenv("LIMIT")); else TLIM = 2;
  int points = getenv("POINTS") ? atoi(getenv("POINTS")) : 200;
  auto asked = [&](const std::string &name) { return argc <= 2 || std::find(argv + 2, argv + argc, name) != argv + argc; };
  auto begin = [&](const std::string &name) {
    unsigned seed = 5381; for (char c : name) seed = seed * 33 + c;
    rng.seed(seed);
    return fopen((std::string(argv[1]) + "/" + name + ".tsv").c_str(), "w");
  };
  for (auto name : tukey_names) if (asked(name)) { if (!getenv("LIMIT")) TLIM = 120; FILE *f = begin(name); tukey_table(name, f, points); fclose(f); }
  for (auto &fn : all_functions()) {
    if (!asked(fn.name)) continue;
    FILE *f = begin(fn.name);
    auto columns = columns_of(fn);
    for (size_t i = 0; i < fn.names.size(); i++) fprintf(f, "%s%s", i ? "\t" : "", fn.names[i].c_str());
    for (auto &c : columns) fprintf(f, "\t%s %s\tcond", c.argument.c_str(), c.form.c_str());
    fprintf(f, "\n");
    std::vector<bool> real; for (auto &r : fn.ranges) real.push_back(r.kind != 'i' && r.kind != 'k');
    int made = 0, failed = 0;
    for (int tries = 0; made < points && tries < 8 * points; tries++) {
      std::vector<double> x; for (auto &r : fn.ranges) x.push_back(draw(r));
      if (!fn.arrange(x)) continue;
      for (size_t i = 0; i < x.size(); i++) if (real[i]) x[i] = shorten_here(x[i]);
      VA v; for (double a : x) v.push_back(A(a));
      T0 = clock(); MEMO.clear();
      std::vector<Result> results; bool some = false;
      try {
        PREC = 256; if (!wanted(fn, v)) continue;
        A quantiles[2]; std::vector<double> moves[2];
        if (fn.through_value) { PREC = 192; for (int u = 0; u < 2; u++) moves[u] = quantile_moves(fn, v, quantiles[u] = quantile_at(fn, v, u), u, real); }
        for (auto &c : columns) {
          VA w = v; std::vector<bool> is_real = real;
          if (fn.through_value) { w.push_back(quantiles[c.form.find("upper") != std::string::npos]); is_real.push_back(true); is_real[0] = c.argument == "p"; }
          Result r; r.known = false;
          try { r = with_condition(c.D, w, is_real, fn.through_value ? moves[c.form.find("upper") != std::string::npos] : std::vector<double>()); } catch (Uncertain &) { }
          if (r.known && !zero(r.d) && (ex(r.d) > 1020 || ex(r.d) < -1060)) r.known = false;
          slong size = fn.by_quantile && c.argument != "p" ? ex(quantiles[c.form.find("upper") != std::string::npos]) : 0;
          if (size < -1021 || size > 600) r.known = false; // farther out a quantile is uncertain by its own condition
          some = some || r.known;
          results.push_back(r);
        }
      } catch (Slow &) { some = false; } catch (Uncertain &) { some = false; }
      if (!some) { failed++; continue; }
      for (size_t i = 0; i < x.size(); i++) { if (i) fputc('\t', f); put(f, x[i]); }
      for (auto &r : results) put(f, r);
      fputc('\n', f); made++;
    }
    fclose(f);
    fprintf(stderr, "%s: %d points, %d left out\n", fn.name.c_str(), made, failed);
  }
  flint_cleanup(); return 0;
}
