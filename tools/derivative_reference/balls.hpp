// balls -- a thin wrapper over Arb balls; all arithmetic is at the global PREC.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cmath>
#include <ctime>
#include <string>
#include <vector>
#include <map>
#include <functional>
#include <stdexcept>
#include <flint/flint.h>
#include <arb.h>
#include <acb.h>
#include <arb_hypgeom.h>
#include <acb_hypgeom.h>
static slong PREC = 192;
struct Slow : std::runtime_error { Slow() : std::runtime_error("slow") {} };
static clock_t T0; static double TLIM = 40;
static inline void tick() { if ((double)(clock() - T0) / CLOCKS_PER_SEC > TLIM) throw Slow(); }
struct A {
  arb_t v;
  A() { arb_init(v); }
  A(const A &o) { arb_init(v); arb_set(v, o.v); }
  A(A &&o) noexcept { arb_init(v); arb_swap(v, o.v); }
  A(double d) { arb_init(v); arb_set_d(v, d); }
  A(int d) { arb_init(v); arb_set_si(v, d); }
  A(long d) { arb_init(v); arb_set_si(v, d); }
  ~A() { arb_clear(v); }
  A &operator=(const A &o) { arb_set(v, o.v); return *this; }
  A &operator=(A &&o) noexcept { arb_swap(v, o.v); return *this; }
};
#define OP(op, f) static inline A operator op(const A &a, const A &b) { A r; f(r.v, a.v, b.v, PREC); return r; }
OP(+, arb_add) OP(-, arb_sub) OP(*, arb_mul) OP(/, arb_div)
static inline A operator-(const A &a) { A r; arb_neg(r.v, a.v); return r; }
static inline A &operator+=(A &a, const A &b) { arb_add(a.v, a.v, b.v, PREC); return a; }
static inline A &operator*=(A &a, const A &b) { arb_mul(a.v, a.v, b.v, PREC); return a; }
#define FN(name, f) static inline A name(const A &a) { A r; f(r.v, a.v, PREC); return r; }
FN(log, arb_log) FN(exp, arb_exp) FN(log1p, arb_log1p) FN(expm1, arb_expm1) FN(sqrt, arb_sqrt)
FN(lgam, arb_lgamma) FN(gam, arb_gamma) FN(sinpi_, arb_sin_pi) FN(cospi_, arb_cos_pi)
static inline A fabs_(const A &a) { A r; arb_abs(r.v, a.v); return r; }
static inline A PI() { A r; arb_const_pi(r.v, PREC); return r; }
static inline A LN2() { A r; arb_const_log2(r.v, PREC); return r; }
static inline A NINF() { A r; arb_neg_inf(r.v); return r; }
static inline A PINF() { A r; arb_pos_inf(r.v); return r; }
static inline A NANA() { A r; arb_indeterminate(r.v); return r; }
static inline double mid(const A &a) { return arf_get_d(arb_midref(a.v), ARF_RND_NEAR); }
static inline slong ex(const A &a) { if (arf_is_zero(arb_midref(a.v))) return -WORD_MAX / 4; return arf_abs_bound_lt_2exp_si(arb_midref(a.v)); }
static inline slong relbits(const A &a) { return arb_rel_accuracy_bits(a.v); }
static inline bool zero(const A &a) { return arb_is_zero(a.v); }
static inline bool lt(const A &a, const A &b) { return arb_lt(a.v, b.v); }
static inline A exact(const A &a) { A r; arb_get_mid_arb(r.v, a.v); return r; }
static inline void adderr(A &s, const A &e) { // s +- |e|
  mag_t m; mag_init(m); arb_get_mag(m, e.v); arb_add_error_mag(s.v, m); mag_clear(m);
}
struct PrecGuard { slong s; PrecGuard(slong p) : s(PREC) { PREC = p; } ~PrecGuard() { PREC = s; } };
static inline double dlog(const A &a) { PrecGuard g(80); return mid(log(a)); }
struct PQ { A p, q; };
static inline A fin(const PQ &r, bool lower, bool lg) {
  const A &s = lower ? r.p : r.q, &o = lower ? r.q : r.p;
  if (!lg) return s;
  if (zero(s)) return NINF();
  if (mid(s) > 0.5) return log1p(-o);
  return log(s);
}
