// tukey -- the distribution function of the studentized range and its first and second derivatives in q and the degrees of
// freedom, by trapezoidal sums of one double integral, refined until they agree; and the tables of ptukey and qtukey.
//
//     P = E w(q s)^rr over s, df s^2 chi-squared,  w(x) = c int phi(z) D^(c-1) dz,  D = Phi(z) - Phi(z - x),
//     w' = c (c-1) int phi(z) phi(z - x) D^(c-2) dz,
//     w'' = c (c-1) int phi(z) phi(z - x) ((c-2) phi(z - x) D^(c-3) - x/2 D^(c-2)) dz   (z - x is -x/2 in the mean, by symmetry).
// Derivatives in df are means with the score of the density of s.
#pragma once
#include "functions.hpp"

static double unit();
static double draw(const Range &r);
static void put(FILE *f, double x);
static void put_derivative(FILE *f, const A &d, double cond);

struct Tukey { double c, rr; A df; };
struct TukeyJet { A t, q, d, qq, qd, dd; }; // a tail, and derivatives of the lower one
struct TukeyAll { A p, u, q, d, qq, qd, dd; };

static TukeyJet tukey_once(const A &q, const Tukey &T, bool upper, double h, double H, slong wp) {
  PrecGuard g(wp);
  double L = std::sqrt(2 * 0.6931 * wp) + 1, df = mid(T.df), q0 = mid(q);
  long N = (long)(L / h) + 1, c = (long)T.c, rr = (long)T.rr;
  A root = A(1) / sqrt(PI() * 2), hA(h);
  std::vector<A> ph(2 * N + 1), Ph(2 * N + 1), z(2 * N + 1);
  for (long i = -N; i <= N; i++) { A &x = z[i + N]; x = hA * A(i); ph[i + N] = exp(-(x * x) / 2) * root; Ph[i + N] = Qn(-x); }
  double B = 0.6931 * wp + 10 + (upper ? 0 : rr * (c - 1.0) * std::max(0.0, std::log(q0))), ext = upper ? 0 : rr * (c - 1.0), a = 0, b = 0;
  auto le = [&](double u) { return df * (u - std::expm1(2 * u) / 2); };
  while (-le(b) < B) b += 0.5 / std::sqrt(df);
  while (-(le(a) + ext * a) < B) a -= 0.5 / std::sqrt(df);
  A half = T.df / 2, lag = log(half) + A(1) - psi(0, half), bend = (A(1) / half - psi(1, half)) / 4, HA(H);
  TukeyJet r;
  for (A *x : {&r.t, &r.q, &r.d, &r.qq, &r.qd, &r.dd}) *x = A(0);
  for (long i = (long)std::floor(a / H); i <= (long)std::ceil(b / H); i++) {
    A u = HA * A(i), s = exp(u), y = s * s, F = exp(T.df * (u - (y - A(1)) / 2)), x = q * s, w = 0, w1 = 0, w2 = 0;
    for (long j = 0; j <= 2 * N; j++) {
      A d = x - z[j], D = Ph[j] - Qn(d), f = exp(-(d * d) / 2) * root, k = ph[j] * f, pw;
      if (c == 2) { w += ph[j] * D; w1 += k; continue; }
      arb_pow_ui(pw.v, D.v, c - 3, PREC);
      A pd = pw * D; w += ph[j] * (pd * D); w1 += k * pd; w2 += k * f * pw;
    }
    tick();
    w = w * hA * A(c); w1 = w1 * hA * A(c * (c - 1)); w2 = w2 * hA * A(c * (c - 1) * (c - 2)) - w1 * x / 2;
    A W = w, W1 = w1, W2 = w2;
    if (rr != 1) { A p; arb_pow_ui(p.v, w.v, rr - 2, PREC); W = p * w * w; W1 = p * w * w1 * A(rr); W2 = p * (A(rr - 1) * w1 * w1 + w * w2) * A(rr); }
    A score = (lag + u * 2 - y) / 2, S = upper ? A(1) - W : W, sign = upper ? -1 : 1;
    r.t += F * S; r.q += F * s * W1; r.qq += F * y * W2;
    r.d += F * score * S * sign; r.dd += F * (score * score + bend) * S * sign; r.qd += F * score * s * W1;
  }
  A k = exp(half * log(half) - half - lgam(half)) * 2 * HA;
  for (A *x : {&r.t, &r.q, &r.d, &r.qq, &r.qd, &r.dd}) *x = *x * k;
  return r;
}

static TukeyAll tukey_all(const A &q, const Tukey &T, slong bits) {
  double df = mid(T.df);
  auto width = [&](slong wp) { return std::min(7.1 / wp, 3.2 / std::sqrt(df * wp)); };
  bool upper = mid(tukey_once(q, T, false, 0.5, width(50), 90).t) > 0.5;
  slong wp = bits + 50; double shrink = 1;
  TukeyJet last; bool some = false;
  for (int it = 0; it < 12; it++) {
    double e = wp / 110.0;
    TukeyJet r = tukey_once(q, T, upper, 0.4 * shrink / std::sqrt(e), width(wp) * shrink, wp);
    slong got = std::min(relbits(r.t), std::min(relbits(r.q), relbits(r.d)));
    if (got < bits + 4) { wp += std::max<slong>(40, bits + 20 - std::max<slong>(got, -200)); some = false; continue; }
    double off = 0;
    if (some) for (auto m : {&TukeyJet::t, &TukeyJet::q, &TukeyJet::d}) off = std::max(off, mid(fabs_((r.*m - last.*m) / r.*m)));
    if (some && off < std::ldexp(1, -(int)bits)) {
      TukeyAll a; PrecGuard g(wp);
      A t = exact(r.t), o = A(1) - t;
      a.p = upper ? o : t; a.u = upper ? t : o;
      a.q = exact(r.q); a.d = exact(r.d); a.qq = exact(r.qq); a.qd = exact(r.qd); a.dd = exact(r.dd);
      return a;
    }
    last = r; some = true; shrink *= 0.8;
  }
  throw Slow();
}

// The logarithm's derivatives of a derivative D in q and df, given those of its factors; cond
static double tukey_cond(const A &q, const A &df, const A &in_q, const A &in_df) { return mid(fabs_(q * in_q)) + mid(fabs_(df * in_df)); }

static const double TUKEY_DEEPEST = 300; // of tails' logarithms

static bool tukey_draw(double *q, Tukey *T) {
  T->c = draw({'i', 2, 12, 0.2, 2, 60});
  T->df = A(draw({'l', 2, 60, 0.4, 2, 1e6}));
  T->rr = unit() < 0.75 ? 1 : draw({'i', 2, 20});
  *q = draw({'l', 0.5, 8, 0.4, 0.01, 60});
  double df = mid(T->df), x = *q;
  return -(df / 2) * std::log1p(x * x / (2 * df)) > -TUKEY_DEEPEST && T->rr * (T->c - 1) * std::log(std::min(1.0, x)) > -TUKEY_DEEPEST;
}

static void tukey_row(FILE *f, const Tukey &T) {
  for (double a : {T.c, mid(T.df), T.rr}) { fputc('\t', f); put(f, a); }
}

static void ptukey_derivatives(FILE *f, const A &q, const Tukey &T, const TukeyAll &r) {
  for (int in_df = 0; in_df < 2; in_df++) {
    const A &D = in_df ? r.d : r.q;
    A by_q = (in_df ? r.qd : r.qq) / D, by_df = (in_df ? r.dd : r.qd) / D;
    put_derivative(f, D, tukey_cond(q, T.df, by_q, by_df));
    put_derivative(f, D / r.p, tukey_cond(q, T.df, by_q - r.q / r.p, by_df - r.d / r.p));
    put_derivative(f, -(D / r.u), tukey_cond(q, T.df, by_q + r.q / r.u, by_df + r.d / r.u));
  }
}

// The row of the quantile of p, a tail at q0 that is rounded to a double, from what is known at q0: the quantile is q0 + e, e so
// small that its square does not count.
static int qtukey_row(FILE *f, double q0, const Tukey &T, const TukeyAll &r, bool upper, bool log_p) {
  PrecGuard g(320);
  const A &tail = upper ? r.u : r.p;
  double l = mid(log(tail)), p = log_p ? l : mid(tail);
  if (log_p ? l > -1e-12 : p < 1e-250 || p > 1 - 1e-9) return 0;
  A e = ((log_p ? exp(A(p)) : A(p)) - tail) / (upper ? -r.q : r.q), q = A(q0) + e;
  if (std::fabs(mid(e)) > q0 * 0x1p-40) return 0;
  A Pq = r.q + r.qq * e, Pd = r.d + r.qd * e, in_p = (log_p ? exp(A(p)) : A(1)) / Pq;
  // from the logarithm's derivatives of a derivative in log p, q and df: p and df move q, too
  auto cond = [&](double by_p, const A &by_q, const A &by_df) {
    double by_log_q = mid(q * by_q), move = mid(A(p) * in_p / q) * (upper ? -1 : 1);
    return std::fabs(by_log_q) + std::fabs(by_p + by_log_q * move) + mid(fabs_(T.df * (by_df - by_q * Pd / Pq)));
  };
  fprintf(f, "%a", p);
  tukey_row(f, T);
  for (int in_df = 0; in_df < 2; in_df++)
    for (int form = 0; form < 2; form++) {
      if (form != upper) fputs("\tNA\tNA", f);
      else if (!in_df) put_derivative(f, upper ? -in_p : in_p, cond(log_p ? p : 0, -(r.qq / Pq), -(r.qd / Pq)));
      else put_derivative(f, -(Pd / Pq), cond(0, r.qd / Pd - r.qq / Pq, r.dd / Pd - r.qd / Pq));
    }
  fputc('\n', f);
  return 1;
}

static void tukey_table(const std::string &name, FILE *f, int points) {
  bool quantile = name[0] == 'q', log_p = name == "qtukey.log";
  fprintf(f, "%s\tnmeans\tdf\tnranges", quantile ? "p" : "q");
  for (const char *argument : {quantile ? "p" : "q", "df"}) {
    if (!quantile) for (const char *form : {"lower", "log", "logupper"}) fprintf(f, "\t%s %s\tcond", argument, form);
    else for (const char *form : {"lower", "upper"}) fprintf(f, "\t%s %s%s\tcond", argument, log_p ? "log" : "", log_p && form[0] == 'l' ? "" : form);
  }
  fputc('\n', f);
  int made = 0, failed = 0;
  while (made < points && failed < 2 * points) {
    double q0; Tukey T;
    if (!tukey_draw(&q0, &T)) continue;
    T0 = clock();
    try {
      PREC = 160;
      TukeyAll r = tukey_all(A(q0), T, 70);
      if (quantile) {
        for (int upper = 0; upper < 2; upper++) made += qtukey_row(f, q0, T, r, upper, log_p);
      } else {
        put(f, q0); tukey_row(f, T); ptukey_derivatives(f, A(q0), T, r); fputc('\n', f); made++;
      }
      fflush(f);
    } catch (Slow &) { failed++; }
  }
  fprintf(stderr, "%s: %d points, %d left out\n", name.c_str(), made, failed);
}
