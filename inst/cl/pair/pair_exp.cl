// @source_type: shim
// @source_origin: pair_exp.c
// @provides: pair_exp_rest, pair_exp_reduced, pair_exp_power, pair_exp, pair_expm1, pair_exp2, pair_sinh, pair_cosh, pair_tanh
// @depends: pair, pair_parts
// @method: reduction by multiples of log 2, polynomial on a quarter of what is left, two doublings of exp(r) - 1
// @all_depends: pair, pair_parts
// @all_depends_count: 2

// Exponentials of pairs of floats.
//
//   x = k log 2 + r, |r| <= log(2)/2;   t = exp(r/4) - 1 = r/4 + (r/4)^2 P(r/4);   exp(2 r) - 1 = t (2 + t) of t = exp(r) - 1
//
// k times the first 15 bits of log 2 is exact, and so is what is left of x's high part.

// P: (exp(r) - 1 - r)/r^2 on |r| <= log(2)/8, tools/fit_pair.py; error of exp(r) 2^-60.
NMATH_TABLE float pair_exp_head[8] = {
    0.5f, -6.8933907e-18f, 0.166666672f, -4.96705388e-09f,
    0.0416666679f, -1.24173416e-09f, 0.00833333377f, -4.34614539e-10f,
};
NMATH_TABLE float pair_exp_tail[4] = {
    0.00138888892f, 0.000198412701f, 2.48057331e-05f, 2.75610887e-06f,
};
// log 2: 15 bits, and the rest.
NMATH_TABLE float pair_ln2[3] = {
    0.693145752f, 1.42860677e-06f, 5.49792315e-14f,
};

// exp(r) - 1, |r| <= log(2)/2
NMATH_FN nmath_pair pair_exp_rest(nmath_pair r)
{
    r = pair_scaled(r, 0.25f);
    nmath_pair t = pair_add(r, pair_mul(pair_mul(r, r), pair_poly(r, pair_exp_head, 4, pair_exp_tail, 4)));
    t = pair_mul(t, pair_add_float(t, 2.0f));
    return pair_mul(t, pair_add_float(t, 2.0f));
}

// x - k log 2, and k. |x| < 150
NMATH_FN nmath_pair pair_exp_reduced(nmath_pair x, int *k)
{
    float n = NMATH_FLOAT(rint)(x.hi * 1.44269502f);
    *k = (int)n;
    nmath_pair r = pair_sum_of(PAIR_FMA(-n, pair_ln2[0], x.hi), x.lo);
    return pair_sub(r, pair_mul_float(pair_of(pair_ln2[1], pair_ln2[2]), n));
}

// exp(x + rest) for |rest| << |x|
NMATH_FN nmath_pair pair_exp_power(nmath_pair x, float rest)
{
    int k;
    if (!(x.hi < 89.0f))
        return pair_of_float(isnan(x.hi) ? x.hi : INFINITY);
    if (x.hi < -104.0f)
        return pair_of_float(0.0f);
    nmath_pair r = pair_add_float(pair_exp_reduced(x, &k), rest);
    return pair_ldexp(pair_add_float(pair_exp_rest(r), 1.0f), k);
}
NMATH_HEAVY nmath_pair pair_exp(nmath_pair x) { return pair_exp_power(x, 0.0f); }

NMATH_HEAVY nmath_pair pair_expm1(nmath_pair x)
{
    int k;
    if (!(x.hi < 80.0f))
        return pair_exp_power(x, 0.0f);
    if (x.hi < -40.0f)
        return pair_of_float(-1.0f);
    if (x.hi == 0.0f)
        return x;
    nmath_pair t = pair_exp_rest(pair_exp_reduced(x, &k));
    if (k == 0)
        return t;
    return pair_add(pair_ldexp(t, k), pair_sub(pair_ldexp(pair_of_float(1.0f), k), pair_of_float(1.0f)));
}

NMATH_HEAVY nmath_pair pair_exp2(nmath_pair x)
{
    if (!(x.hi < 128.0f))
        return pair_of_float(isnan(x.hi) ? x.hi : INFINITY);
    if (x.hi < -151.0f)
        return pair_of_float(0.0f);
    nmath_pair k = pair_rint(x), ln2 = pair_fast_sum(pair_ln2[0], pair_ln2[1]);
    ln2.lo += pair_ln2[2];
    return pair_ldexp(pair_add_float(pair_exp_rest(pair_mul(pair_sub(x, k), ln2)), 1.0f), (int)k.hi);
}

NMATH_FN nmath_pair pair_sinh(nmath_pair x)
{
    nmath_pair a = pair_fabs(x), r;
    if (a.hi > 40.0f) {
        nmath_pair e = pair_exp(pair_scaled(a, 0.5f));
        r = pair_mul(pair_scaled(e, 0.5f), e);
    } else {
        nmath_pair t = pair_expm1(a);
        r = pair_scaled(pair_add(t, pair_div(t, pair_add_float(t, 1.0f))), 0.5f);
    }
    return pair_copysign(r, x);
}
NMATH_FN nmath_pair pair_cosh(nmath_pair x)
{
    nmath_pair e = pair_exp(pair_scaled(pair_fabs(x), 0.5f)), s = pair_mul(pair_scaled(e, 0.5f), e);
    return x.hi > 40.0f || x.hi < -40.0f ? s : pair_add(s, pair_div(pair_of_float(0.25f), s));
}
NMATH_FN nmath_pair pair_tanh(nmath_pair x)
{
    nmath_pair a = pair_fabs(x), t;
    if (a.hi > 20.0f)
        return pair_copysign(pair_of_float(1.0f), x);
    t = pair_expm1(pair_scaled(a, 2.0f));
    return pair_copysign(pair_div(t, pair_add_float(t, 2.0f)), x);
}
