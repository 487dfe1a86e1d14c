// tails -- incomplete gamma and beta, Poisson mixtures and root finding, in ball arithmetic.
// Every truncation is bounded and added to the ball, so the result balls are rigorous.
#pragma once
#include "balls.hpp"
// Arguments that are themselves rounded (x = e^u, t^2/(n+t^2), ...) are formed with HIPREC, because
// the cancelling methods run at a raised PREC; the well-conditioned sums round them back to PREC.
#define HIPREC PrecGuard hiprec_guard(2 * PREC + 1500)
static A rnd(const A &x) { A r; arb_set_round(r.v, x.v, PREC + 8); return r; }
// ---- incomplete gamma -------------------------------------------------
static A gam_series(const A &a, const A &x0) { // P(a,x) = D sum x^k/(a+1)_k
  A x = rnd(x0);
  A D = exp(a * log(x) - x - lgam(a + 1));
  A t = 1, s = 1, ak = a; double xd = mid(x), ad = mid(a);
  for (long k = 1;; k++) {
    arb_add_ui(ak.v, ak.v, 1, PREC);
    arb_mul(t.v, t.v, x.v, PREC); arb_div(t.v, t.v, ak.v, PREC); arb_add(s.v, s.v, t.v, PREC);
    if ((k & 7) == 0 || k < 8) {
      if (ex(t) < ex(s) - PREC - 2 && xd < ad + k + 1) {
        A r = x / (ak + 1);
        if (lt(r, A(1))) { A e = t * r / (A(1) - r); if (ex(e) < ex(s) - PREC + 30) { adderr(s, e); break; } }
      }
      if ((k & 0xffff) == 0) tick();
    }
  }
  return D * s;
}
static A gam_desc(const A &a, const A &x0, bool &ok) { // Q(a,x), by parts downwards in a
  A x = rnd(x0);
  A t = 1, s = 1, ak = a; double ad = mid(a), xd = mid(x); ok = false;
  for (long k = 1;; k++) {
    arb_sub_ui(ak.v, ak.v, 1, PREC); // a-k
    arb_mul(t.v, t.v, ak.v, PREC); arb_div(t.v, t.v, x.v, PREC);
    // t = t_k is the first omitted term now
    if (zero(t)) { ok = true; break; }
    if (((k & 7) == 0 || k < 8) && ex(t) < ex(s) - PREC - 2) {
      A e;
      if (mid(ak) > 1) e = t * x / (x - ak + 1); else e = t;
      if (mid(ak) <= 1 || lt(ak - 1, x)) { adderr(s, e); ok = true; break; }
    }
    if (ad - k < 0 && std::fabs(ad - k) >= xd) return A(0);
    arb_add(s.v, s.v, t.v, PREC);
    if ((k & 0xffff) == 0) tick();
  }
  return exp((a - 1) * log(x) - x - lgam(a)) * s;
}
static PQ incgam(const A &a, const A &x) {
  PQ r;
  if (zero(x)) { r.p = 0; r.q = 1; return r; }
  double ad = mid(a), xd = mid(x);
  if (xd <= ad || xd <= 1) { r.p = gam_series(a, x); r.q = A(1) - r.p; return r; }
  bool ok; A q = gam_desc(a, x, ok);
  if (ok) { r.q = q; r.p = A(1) - q; return r; }
  PrecGuard g(PREC + (slong)(1.45 * xd) + 64 + (ad < 1 ? (slong)-log2(ad) : 0));
  r.p = gam_series(a, x); r.q = A(1) - r.p; return r;
}
// ---- incomplete beta --------------------------------------------------
static A beta_pref(const A &a, const A &b, const A &x0, const A &y0) { // x^a y^b/(a B(a,b))
  A x = rnd(x0), y = rnd(y0);
  return exp(a * log(x) + b * log(y) - lgam(a + 1) - lgam(b) + lgam(a + b));
}
static A betaA(const A &a, const A &b, const A &x0, const A &y0) {
  A x = rnd(x0), y = rnd(y0);
  A t = 1, s = 1, n = a + b, d = a + 1; double bd = mid(b);
  for (long k = 0;; k++) {
    t *= n; t *= x; arb_div(t.v, t.v, d.v, PREC); s += t;
    arb_add_ui(n.v, n.v, 1, PREC); arb_add_ui(d.v, d.v, 1, PREC);
    if (((k & 7) == 0 || k < 8) && ex(t) < ex(s) - PREC - 2) {
      A r = n * x / d; if (bd <= 1 && mid(r) < mid(x)) r = x;
      if (lt(r, A(1))) { A e = t * r / (A(1) - r); if (ex(e) < ex(s) - PREC + 40 || bd <= 1) { adderr(s, e); break; } }
    }
    if ((k & 0xffff) == 0) tick();
  }
  return beta_pref(a, b, x, y) * s;
}
static A betaB(const A &a, const A &b, const A &x0, slong extra) {
  PrecGuard g(PREC + extra);
  A x = rnd(x0);
  A c = 1, s = A(1) / a, ak = a, num = A(1) - b; double bd = mid(b), xd = mid(x);
  for (long k = 0;; k++) {
    c *= num; c *= x; arb_div_ui(c.v, c.v, k + 1, PREC);
    arb_add_ui(num.v, num.v, 1, PREC); arb_add_ui(ak.v, ak.v, 1, PREC);
    if (zero(c)) break;
    s += c / ak;
    if (((k & 7) == 0 || k < 8) && ex(c) - ex(ak) < ex(s) - PREC - 2) {
      double rd = std::max(xd, std::fabs(k + 2 - bd) * xd / (k + 2));
      if (rd < 0.999999) {
        A r = fabs_(num) * x / A(k + 2); if (mid(r) < xd) r = x;
        A e = c * r / (A(1) - r) / ak; adderr(s, e); break;
      }
    }
    if ((k & 0xffff) == 0) tick();
  }
  return s * exp(a * log(x) - lgam(a) - lgam(b) + lgam(a + b));
}
static A betaC(const A &a, const A &b, const A &x0, const A &y0, bool &ok) {
  A x = rnd(x0), y = rnd(y0);
  A t = 1, s = 1, xy = x / y, num = b - 1, den = a + 1, ab = a + b; ok = false;
  for (long j = 0;; j++) {
    t *= num; t *= xy; arb_div(t.v, t.v, den.v, PREC); // t = T_{j+1}/T_0
    arb_sub_ui(num.v, num.v, 1, PREC); arb_add_ui(den.v, den.v, 1, PREC);
    if (zero(t)) { ok = true; break; }
    if (((j & 7) == 0 || j < 8) && ex(t) < ex(s) - PREC - 2) {
      A r = ab * x / den; // K=j+1: a+K+1 = den
      if (lt(r, A(1))) {
        A e = t * y / (A(1) - r);
        if (mid(num) >= 0 && ex(e) < ex(s) - PREC + 60) { adderr(s, e); ok = true; break; }
      }
    }
    if (mid(num) < 0) return A(0);
    s += t;
    if ((j & 0xffff) == 0) tick();
  }
  return beta_pref(a, b, x, y) / y * s;
}
static const double BIG = 1e18;
static double findk(const std::function<double(double)> &f, double target, double kmax) {
  for (double k = 8; k < 4e8; k = std::floor(k * 1.4)) { if (k > kmax) return BIG; if (f(k) < target) return k; }
  return BIG;
}
// lgamma(n+k) - lgamma(n) without the cancellation of two huge lgammas (cost estimates only)
static double lgd(double n, double k) {
  if (n < 1e5) return lgamma(n + k) - lgamma(n);
  return (n - 0.5) * std::log1p(k / n) + k * std::log(n + k) - k;
}
static PQ incbeta(const A &a, const A &b, const A &x, const A &y) {
  PQ r;
  if (zero(x)) { r.p = 0; r.q = 1; return r; }
  if (zero(y)) { r.p = 1; r.q = 0; return r; }
  double lx = dlog(x), ly = dlog(y);
  double best = 1e300, bextra = 0, btail = 0; int bs = -1, bm = -1;
  double ad0 = mid(a), bd0 = mid(b), xd0 = mid(x);
  int right = (xd0 * (ad0 + bd0) <= ad0) ? 0 : 1;
  double lbd = lgamma(ad0) + lgamma(bd0) - lgamma(ad0 + bd0);
  double lpre = ad0 * lx + bd0 * ly - lbd;
  double T = -PREC * 0.6931 - 5;
  for (int side = 0; side < 2; side++) {
    double ad = side ? bd0 : ad0, bd = side ? ad0 : bd0, l1 = side ? ly : lx, l2 = side ? lx : ly;
    double xd = std::exp(l1);
    double tail = (side == right) ? 0 : std::max(0.0, -lpre / 0.6931) + 16;
    double TT = T - tail * 0.6931;
    double kA = findk([&](double k) { return lgd(ad + bd, k) - lgd(ad + 1, k) + k * l1; }, TT, 1e300);
    double eB = bd > 1 ? bd * log2(1 + xd) : 0;
    double kB = eB > 3e6 ? BIG : findk([&](double k) {
      double z = k < bd - 1 ? lgd(bd - k, k) - lgamma(k + 1) + k * l1 : lgamma(bd) + lgamma(std::fabs(k + 1 - bd) + 0.5) - lgamma(k + 1) + k * l1; return z; }, TT, 1e300);
    double kC = BIG;
    if (bd > 1) {
      kC = findk([&](double j) { return lgd(bd - j, j) - lgd(ad + 1, j) + j * (l1 - l2); }, TT, bd - 2);
      if (bd == std::floor(bd) && bd < 2e6 && arb_is_exact((side ? a : b).v)) kC = std::min(kC, bd);
    }
    double f = (1 + tail / PREC);
    double cA = kA * f, cB = kB * f * std::pow(1 + eB / PREC, 1.3), cC = kC * f;
    if (side != right) { cA *= 1.5; cB *= 1.5; cC *= 1.5; }
    cB *= 1.3;
    if (cA < best) { best = cA; bs = side; bm = 0; btail = tail; }
    if (cB < best) { best = cB; bs = side; bm = 1; bextra = eB + 32; btail = tail; }
    if (cC < best) { best = cC; bs = side; bm = 2; btail = tail; }
  }
  if (best > 3e8) throw Slow();
  PrecGuard g(PREC + (slong)btail);
  const A &aa = bs ? b : a, &bb = bs ? a : b, &xx = bs ? y : x, &yy = bs ? x : y;
  A v; bool ok = true;
  if (bm == 0) v = betaA(aa, bb, xx, yy);
  else if (bm == 1) v = betaB(aa, bb, xx, (slong)bextra);
  else { v = betaC(aa, bb, xx, yy, ok); if (!ok) v = betaA(aa, bb, xx, yy); }
  if (bs) { r.q = v; r.p = A(1) - v; } else { r.p = v; r.q = A(1) - v; }
  return r;
}
// ---- non-central mixtures --------------------------------------------
// weights w_j = e^-h h^j/j!, F_j = P(a+j, x) or I_x(a+j,b).
struct Step { // D_j with F_j = F_{j+1} + D_j, and the ratio D_{j+1}/D_j
  std::function<A(long)> D; std::function<A(long)> ratio; std::function<PQ(long)> F;
};
static PQ mixture(const A &h, const Step &S) {
  double hd = mid(h); PQ out;
  // upper: Q = sum w_j Q_j, upward
  long J = (long)(hd + 10 * std::sqrt(hd) + PREC);
  A U;
  {
    A w = exp(-h), Q = S.F(0).q, D = S.D(0), s = 0;
    for (long j = 0;; j++) {
      s += w * Q; Q += D; D *= S.ratio(j);
      w *= h; arb_div_ui(w.v, w.v, j + 1, PREC); // w_{j+1}
      if (j > hd + 4 && (j & 3) == 0 && ex(w) < ex(s) - PREC - 2) {
        A r = h / A(j + 2); if (mid(r) < 0.999) { adderr(s, w / (A(1) - r)); break; }
      }
      if ((j & 0xfff) == 0) tick();
      if (j > 50000000) throw Slow();
    }
    U = s;
  }
  if (mid(U) < 0.5 && relbits(U) > 20) { out.q = U; out.p = A(1) - U; return out; }
  for (;;) { // lower: downward from J
    A w = exp(h * 0 - h + A(J) * log(h) - lgam(A(J + 1))), P = S.F(J).p, D = S.D(J), s = 0;
    A r0 = h / A(J + 2), rem = (P)*w * h / A(J + 1) / (A(1) - r0);
    for (long j = J;; j--) {
      s += w * P;
      if (j == 0) break;
      D = D / S.ratio(j - 1); P += D;
      arb_mul_ui(w.v, w.v, j, PREC); arb_div(w.v, w.v, h.v, PREC);
      if ((j & 0xfff) == 0) tick();
    }
    if (ex(rem) < ex(s) - PREC) { adderr(s, rem); out.p = s; break; }
    J = J + J / 3 + 100; tick();
  }
  out.q = A(1) - out.p; return out;
}
static PQ nchi_cdf(const A &x, const A &f, const A &lam) {
  A a = f / 2, h = lam / 2, XH; { HIPREC; XH = x / 2; }
  A X = rnd(XH);
  if (zero(x)) { PQ r; r.p = 0; r.q = 1; return r; }
  Step S; A lX = log(X);
  S.F = [&](long j) { return incgam(a + A(j), XH); };
  S.D = [&](long j) { A aj = a + A(j); return exp(aj * lX - X - lgam(aj + 1)); };
  S.ratio = [&](long j) { return X / (a + A(j + 1)); };
  if (zero(h)) return incgam(a, XH);
  return mixture(h, S);
}
static PQ nbeta_cdf(const A &a, const A &b, const A &lam, const A &x, const A &y) {
  if (zero(lam)) return incbeta(a, b, x, y);
  A h = lam / 2; Step S;
  S.F = [&](long j) { return incbeta(a + A(j), b, x, y); };
  S.D = [&](long j) { return beta_pref(a + A(j), b, x, y); };
  A xr = rnd(x); S.ratio = [&, xr](long j) { return xr * (a + b + A(j)) / (a + A(j + 1)); };
  return mixture(h, S);
}
// beyond 100 by the asymptotic series, whose error is below the first term left out (Abramowitz & Stegun 26.2.12, 26.2.13):
// Arb's own bound for a ball far out is too wide
static A Qn_far(const A &z0) {
  A z = rnd(z0), u = A(1) / (z * z), t = 1, s = 1;
  for (long k = 0; k < 5000; k++) {
    A next = t * u * A(-(2 * k + 1));
    if (ex(next) < -PREC - 2 || ex(next) > ex(t)) { adderr(s, next); break; }
    t = next; s += t;
  }
  return exp(-(z * z) / 2) / (z * sqrt(PI() * 2)) * s;
}
static A Qn(const A &z) { if (mid(z) > 100) return Qn_far(z); A r, t = rnd(z) / sqrt(A(2)); arb_hypgeom_erfc(r.v, t.v, PREC); return r / 2; }
static PQ norm_cdf(const A &z) { PQ r; if (mid(z) < 0) { r.p = Qn(-z); r.q = A(1) - r.p; } else { r.q = Qn(z); r.p = A(1) - r.q; } return r; }
static PQ t_cdf(const A &t, const A &n) {
  PQ r; A x, y; { HIPREC; A t2 = t * t; x = n / (n + t2); y = t2 / (n + t2); }
  if (zero(t)) { r.p = A(0.5); r.q = A(0.5); return r; }
  PQ b = incbeta(n / 2, A(0.5), x, y); A s = b.p / 2;
  if (mid(t) > 0) { r.q = s; r.p = A(1) - s; } else { r.p = s; r.q = A(1) - s; }
  return r;
}
static PQ nt_cdf(const A &t, const A &n, const A &del) {
  PQ r;
  if (zero(del)) return t_cdf(t, n);
  if (zero(t)) { return norm_cdf(-del); }
  if (mid(t) < 0) { PQ s = nt_cdf(-t, n, -del); r.p = s.q; r.q = s.p; return r; }
  A x, y, h, b = n / 2; { HIPREC; A t2 = t * t; x = t2 / (n + t2); y = n / (n + t2); h = del * del / 2; }
  double hd = mid(h); A xf = x, yf = y; x = rnd(x); y = rnd(y); h = rnd(h);
  A p = exp(-h), q = del * exp(-h) / sqrt(A(2)) / (sqrt(PI()) / 2); // Gamma(3/2)
  A half = A(0.5), s = 0;
  { // upper
    A Q1 = incbeta(half, b, xf, yf).q, Q2 = incbeta(A(1), b, xf, yf).q;
    A D1 = beta_pref(half, b, x, y), D2 = beta_pref(A(1), b, x, y), mx = p + fabs_(q);
    for (long j = 0;; j++) {
      A term = p * Q1 + q * Q2; s += term;
      Q1 += D1; Q2 += D2;
      D1 *= x * (half + b + A(j)) / (half + A(j + 1)); D2 *= x * (A(1) + b + A(j)) / A(j + 2);
      p *= h; arb_div_ui(p.v, p.v, j + 1, PREC); q *= h; q = q / (A(j) + A(1.5) + 0);
      if (j > hd + 4 && (j & 3) == 0 && ex(p) < ex(s) - PREC - 2 && ex(q) < ex(s) - PREC - 2) {
        A rr = h / A(j + 2); if (mid(rr) < 0.99) { adderr(s, (p + fabs_(q)) / (A(1) - rr)); break; }
      }
      if ((j & 0xfff) == 0) tick();
      if (j > hd * 8 + 20 * PREC + 1000) { adderr(s, (p + fabs_(q)) * 2); break; }
    }
    s = s / 2;
  }
  if (mid(s) < 0.5 && relbits(s) > 20) { r.q = s; r.p = A(1) - s; return r; }
  long J = (long)(hd + 10 * std::sqrt(hd) + PREC);
  A S;
  for (;;) {
    A P1 = incbeta(half + A(J), b, xf, yf).p, P2 = incbeta(A(J + 1), b, xf, yf).p;
    A D1 = beta_pref(half + A(J), b, x, y), D2 = beta_pref(A(J + 1), b, x, y);
    p = exp(-h + A(J) * log(h) - lgam(A(J + 1))); q = del / sqrt(A(2)) * exp(-h + A(J) * log(h) - lgam(A(J) + A(1.5)));
    A rr = h / A(J + 2), rem = (p * P1 + fabs_(q) * P2) * h / A(J + 1) / (A(1) - rr); S = 0;
    for (long j = J;; j--) {
      S += p * P1 + q * P2;
      if (j == 0) break;
      D1 = D1 * (half + A(j)) / (x * (half + b + A(j - 1))); D2 = D2 * A(j + 1) / (x * (b + A(j)));
      P1 += D1; P2 += D2;
      arb_mul_ui(p.v, p.v, j, PREC); arb_div(p.v, p.v, h.v, PREC);
      q = q * (A(j) + half) / h;
      if ((j & 0xfff) == 0) tick();
    }
    if (ex(rem) < ex(S) - PREC || J > hd * 8 + 20 * PREC) { adderr(S, rem); break; }
    J = J + J / 3 + 100;
  }
  r.p = Qn(del) + S / 2; r.q = A(1) - r.p; return r;
}
// ---- root finding ------------------------------------------------------
// support 0: (0,inf) x=e^u ; 1: (0,1) x = 1/(1+e^-u), y=1/(1+e^u) ; 2: real line, x=+-e^u
typedef std::function<PQ(const A &, const A &)> CDF;
static bool APPROX = false;
static A solve(const CDF &F, int support, const A &TP, const A &TQ) {
  int sgn = 1;
  bool low = mid(TP) < mid(TQ);
  if (support == 2) {
    PQ c = F(A(0), A(0));
    A d = low ? TP - c.p : c.q - TQ;
    if (zero(d) || (arb_contains_zero(d.v) && relbits(d) < -100000)) return A(0);
    if (arb_contains_zero(d.v)) { if (arb_is_exact(TP.v) && arb_equal(TP.v, c.p.v)) return A(0); return NANA(); }
    sgn = mid(d) > 0 ? 1 : -1;
  }
  auto X = [&](const A &u, A &x, A &y) {
    HIPREC;
    if (support == 1) { x = A(1) / (A(1) + exp(-u)); y = A(1) / (A(1) + exp(u)); }
    else { x = exp(u); if (sgn < 0) x = -x; y = 0; }
  };
  double dir = (support == 2 && sgn < 0) ? -1 : 1; // sign of dP/du
  if (!low) dir = -dir;
  auto g = [&](const A &u) { // increasing in u
    tick();
    A x, y; X(u, x, y); PQ r = F(x, y); A v = log((low ? r.p : r.q) / (low ? TP : TQ));
    return dir > 0 ? v : -v;
  };
  auto gd = [&](double u) {
    for (slong p = 96;; p *= 2) {
      PrecGuard gg(p); A v = g(A(u));
      if (relbits(v) >= 24 || p > 12000) { if (!arf_is_finite(arb_midref(v.v)) ) return mid(v); 
        double d = mid(v); return d; }
    }
  };
  double a = 0, fa = gd(0), b, fb, st = 1;
  if (fa == 0) { b = a; }
  if (fa < 0) { for (;;) { b = a + st; fb = gd(b); if (fb >= 0) break; a = b; fa = fb; st *= 2; if (st > 1e13) return NANA(); } }
  else { b = a; fb = fa; for (;;) { a = b - st; fa = gd(a); if (fa <= 0) break; b = a; fb = fa; st *= 2; if (st > 1e13) return NANA(); } }
  if (std::isnan(fa) || std::isnan(fb)) return NANA();
  // Chandrupatla
  double x1 = a, f1 = fa, x2 = b, f2 = fb, x3 = a, f3 = fa, t = 0.5;
  double tol = APPROX ? 1e-5 : 1e-11;
  double xm = x1;
  for (int it = 0; it < 300; it++) {
    double xt = x1 + t * (x2 - x1);
    double ft = gd(xt);
    if (std::isnan(ft)) return NANA();
    if ((ft > 0) == (f1 > 0)) { x3 = x1; f3 = f1; } else { x3 = x2; f3 = f2; x2 = x1; f2 = f1; }
    x1 = xt; f1 = ft;
    xm = std::fabs(f1) < std::fabs(f2) ? x1 : x2;
    double w = std::fabs(x2 - x1);
    if (f1 == 0 || w < tol * std::max(1.0, std::fabs(xm)) * 0.5) break;
    if (APPROX && std::fabs(f1) < 1e-3) break;
    double xi = (x1 - x2) / (x3 - x2), phi = (f1 - f2) / (f3 - f2);
    if (phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)
      t = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2);
    else t = 0.5;
    double tl = 0.25 * tol * std::max(1.0, std::fabs(xm)) / w;
    if (tl > 0.5) tl = 0.5;
    if (t < tl) t = tl; if (t > 1 - tl) t = 1 - tl;
  }
  A res, y;
  if (APPROX) { X(A(xm), res, y); return exact(res); }
  // secant refinement at full precision
  A u0 = A(x1 == x2 ? x1 + 1e-9 * std::max(1.0, std::fabs(x1)) : x2), u1 = A(x1);
  A g0 = g(u0), g1 = g(u1), step; bool conv = false;
  if (!arf_is_finite(arb_midref(g0.v)) || !arf_is_finite(arb_midref(g1.v))) return NANA();
  slong last = 0;
  for (int it = 0; it < 14; it++) {
    A den = exact(g1) - exact(g0);
    if (zero(exact(g1))) { conv = true; break; }
    if (arf_is_zero(arb_midref(den.v))) { conv = true; break; }
    step = exact(exact(g1) * (exact(u1) - exact(u0)) / den);
    A u2 = exact(u1 - step);
    u0 = u1; g0 = g1; u1 = u2;
    last = ex(step);
    if (last < -(slong)(PREC * 0.6)) { conv = true; break; } // secant: the next error is far below
    g1 = g(u1);
    if (!arf_is_finite(arb_midref(g1.v))) return NANA();
  }
  if (!conv) return NANA();
  // verify by sign change that the root lies in u1 +- 2^-k
  slong ks[] = {PREC - 42, (slong)(PREC * 0.6)};
  for (slong k : ks) {
    A del; arb_set_ui(del.v, 1); arb_mul_2exp_si(del.v, del.v, -k);
    A lo, hi; { PrecGuard gg(PREC + 64); lo = u1 - del; hi = u1 + del; lo = exact(lo); hi = exact(hi); }
    A gl = g(lo), gh = g(hi);
    if (arb_is_negative(gl.v) && arb_is_positive(gh.v)) {
      A ub = u1; adderr(ub, del * A(1.0000001)); X(ub, res, y); return res;
    }
  }
  return NANA();
}
