// @source_type: shim
// @source_origin: dd.c
// @provides: nmath_dd, dd_of_triple, dd_two_sum, dd_fast_two_sum, dd_normal, dd_two_prod, dd_square, dd_add, dd_mul_d, dd_mul, dd_add_normal, dd_mul_normal, dd_exp
// @depends:
// @all_depends_count: 0

// Unevaluated sums hi + lo of two doubles, for the few places where a result must keep more bits than a double
// between two steps: exponents near +-700 above all, where an error of one ulp in the exponent costs 700 eps in the
// result. Dekker (1971), "A floating-point technique for extending the available precision"; Knuth, TAOCP 2, 4.2.2.
// These need FP_CONTRACT OFF, which layer 0 sets.

//
// In pairs of floats what a sum and a product lose is known to 72 bits of them, as one float, at the cost of a sum. lo has place
// for more, since some callers add to it what is no rest.

typedef struct { double hi, lo; } nmath_dd;

#ifdef NMATH_FLOAT_PAIRS
NMATH_FN nmath_dd dd_of_triple(pair_triple t)
{
    nmath_dd r;
    r.hi = pair_of(t.hi, t.lo);
    r.lo = t.rest;
    return r;
}
NMATH_FN nmath_dd dd_two_sum(double a, double b) { return dd_of_triple(pair_sum_long(a, b)); }
NMATH_FN nmath_dd dd_fast_two_sum(double a, double b) { return dd_of_triple(pair_sum_long(a, b)); }
NMATH_FN nmath_dd dd_normal(double hi, nmath_rest lo) { return dd_of_triple(pair_sum_long_float(hi, lo)); }
NMATH_FN nmath_dd dd_two_prod(double a, double b) { return dd_of_triple(pair_product_long(a, b)); }
NMATH_FN nmath_dd dd_square(double y) { return dd_two_prod(y, y); }
#else

// Exact sum of two doubles.
NMATH_FN nmath_dd dd_two_sum(double a, double b)
{
    nmath_dd r;
    r.hi = a + b;
    double t = r.hi - a;
    r.lo = (a - (r.hi - t)) + (b - t);
    return r;
}

// The same where |a| >= |b| or a == 0.
NMATH_FN nmath_dd dd_fast_two_sum(double a, double b)
{
    nmath_dd r;
    r.hi = a + b;
    r.lo = b - (r.hi - a);
    return r;
}

// The same for a rest of hi, or of what hi was the difference of.
NMATH_FN nmath_dd dd_normal(double hi, nmath_rest lo) { return dd_fast_two_sum(hi, lo); }

// Exact product of two doubles, barring overflow and underflow of its parts. Without fma (where C's fma is a call, which no
// register survives) from halves: a's first 26 bits and the 27 that are left, b to the nearest of 26 bits, which leaves 26
// and a sign (a b that would round to infinity is cut instead). Each of the four products has 53 bits or fewer.
NMATH_FN nmath_dd dd_two_prod(double a, double b)
{
    nmath_dd r;
    r.hi = a * b;
#ifdef NMATH_FAST_FMA
    r.lo = fma(a, b, -r.hi);
#else
    nmath_u64 bits = nmath_bits(b);
    double g = nmath_from_bits(nmath_bits(a) & 0xfffffffff8000000UL), u = a - g;
    double h = nmath_from_bits((bits + (bits << 1 < 0xffdffffff0000000UL ? 0x4000000UL : 0UL)) & 0xfffffffff8000000UL);
    double v = b - h;
    r.lo = u * v + (u * h + (g * v + (g * h - r.hi)));
#endif
    return r;
}

// y^2 = hi + lo to 2^-78: exact with fma; without it, hi is the square of y's first 26 bits.
NMATH_FN nmath_dd dd_square(double y)
{
#ifdef NMATH_FAST_FMA
    return dd_two_prod(y, y);
#else
    nmath_dd r;
    double h = nmath_from_bits(nmath_bits(y) & 0xfffffffff8000000UL);
    r.hi = h * h;
    r.lo = (y - h) * (y + h);
    return r;
#endif
}

#endif

NMATH_FN nmath_dd dd_add(nmath_dd a, nmath_dd b)
{
    nmath_dd s = dd_two_sum(a.hi, b.hi);
    return dd_fast_two_sum(s.hi, s.lo + (a.lo + b.lo));
}

NMATH_FN nmath_dd dd_mul_d(nmath_dd a, double b)
{
    nmath_dd p = dd_two_prod(a.hi, b);
    return dd_fast_two_sum(p.hi, p.lo + a.lo * b);
}

NMATH_FN nmath_dd dd_mul(nmath_dd a, nmath_dd b)
{
    nmath_dd p = dd_two_prod(a.hi, b.hi);
    return dd_fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

// The same for arguments whose lo is a rest, not more.
NMATH_FN nmath_dd dd_add_normal(nmath_dd a, nmath_dd b)
{
    nmath_dd s = dd_two_sum(a.hi, b.hi);
    return dd_normal(s.hi, NMATH_REST(s.lo) + (NMATH_REST(a.lo) + NMATH_REST(b.lo)));
}
NMATH_FN nmath_dd dd_mul_normal(nmath_dd a, double b)
{
    nmath_dd p = dd_two_prod(a.hi, b);
    return dd_normal(p.hi, NMATH_REST(p.lo) + NMATH_REST(a.lo) * NMATH_REST(b));
}

// exp(hi + lo) for |lo| << 1, with one rounding where the result is subnormal.
NMATH_FN double dd_exp(nmath_dd a)
{
#ifndef NMATH_FLOAT_PAIRS
    if (a.hi < -NMATH_RANGE(690.0, 69.0)) {
        double h = exp(0.5 * a.hi);
        return (h + h * a.lo) * h;
    }
#endif
    double e = exp(a.hi);
    return isfinite(e) ? NMATH_MAD(e, a.lo, e) : e;
}
