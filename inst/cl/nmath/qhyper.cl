// @source_type: c
// @source_origin: qhyper.c
// @provides: qhyper, qhyper_one_less, qhyper_few, qhyper_far
// @depends: nmath, dpq, dhyper, dhyper_far, phyper, qnorm
// @method: up to N = 170 masses added from the end of the support; else Cornish-Fisher start, exact tail there, short walk upwards; Newton steps on the normal scale
// @accuracy: qhyper.tsv exact (host), exact (PoCL), exact (H200)
// @all_depends: Rmath, nmath, bd0, dpq, log1p, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, qnorm, dhyper_far, dhyper, phyper
// @all_depends_count: 13

// qhyper -- quantile of the hypergeometric distribution: the smallest x with P(X <= x) >= p.
//
// The search is for a tail t <= 1/2. If it is the upper one, the wanted x is the largest one with P(X >= x) > t, and y =
// -x runs upwards, as y = x does for a lower tail: F(y) is the tail that ends at y. (The mirrored variables, r - x and
// n - x, might not be doubles.) t is taken 1000 eps smaller (or larger), and by half an ulp of p where it comes from 1 - p:
// so every x comes back whose computed probability differs from its neighbour's. Where R's 1000 eps are relative to 1 - t, a p
// that exceeds P(X <= x) by less leads to x if that is the nearer one (qhyper_one_less).
//
// Up to N = 170 the masses are added one by one, from the end of the support, where the first of them is a quotient of four
// factorials; the rounding of some 85 terms is small against the 1000 eps. Beyond, a search:
//
// At y, F(y)/p(y) = 1 + S and F(y-1)/p(y) = S (phyper.cl), and the steps of the mass continue F upwards: up to 16
// candidates for one evaluation. If that does not meet t, the next y is Newton's for sqrt(-2 log F), nearly linear in
// y; F is log-concave, so the steps come from the left. A bracket is kept, and bisected from the tenth round on. S
// holds up to the mode only. X is a sum of independent indicators (Vatutin and Mikhailov 1982, "Limit theorems for the
// number of empty cells in an equiprobable scheme for group allocation of particles", Theory Probab. Appl. 27), so its
// median and its mode differ from its mean by less than 1 (Jogdeo and Samuels 1968, "Monotone convergence of binomial
// probabilities and a generalization of Ramanujan's equation", Ann. Math. Statist. 39): the bracket ends there.
//
// From 2^53 on, where not every whole number is a double, the neighbours of y are the doubles next to it.

#define QHYPER_WALK 16.0

NMATH_FN double qhyper_after(double y)
{
    if (fabs(y) < 0x1p53 || y == -0x1p53)
        return y + 1.0;
    return nmath_from_bits(y > 0 ? nmath_bits(y) + 1 : nmath_bits(y) - 1);
}

NMATH_FN double qhyper_before(double y) { return -qhyper_after(-y); }

// Half-way, in doubles if these are many.
NMATH_FN double qhyper_between(double lo, double hi)
{
    double a = fmax(fabs(lo), 0x1p53), b = fmax(fabs(hi), 0x1p53);
    if (fmax(a, b) <= 0x1p54)
        return floor(lo + 0.5 * (hi - lo));
    return copysign(nmath_from_bits((nmath_bits(a) + nmath_bits(b)) / 2), lo + hi);
}

// Whether the upper tail t counts as P(X >= x) = at, beyond which P(X > x) = above is less than t, so that x - 1 is wanted: R moves
// 1 - t by 1000 eps.
NMATH_FN int qhyper_one_less(double t, double at, double above)
{
    return at < t + 1000.0 * NMATH_EPS * (1.0 - t) && at - t <= t - above;
}

// The x wanted where N <= DHYPER_FEW, by adding up masses from the end of the support, F(y) as a quotient: y, at the end
// x, has the cells a, b; c, d (of the mirrored table for an upper tail) with a = 0 or d = 0, and there the mass is
// (N-b)! (N-c)!/(N! (a+d)!). Numerators and denominators of its steps are exact, their differences linear.
// one_less: see there, for a tail `asked`.
NMATH_FN double qhyper_few(double t, double asked, int upper, int one_less, double x, double a, double b, double c, double d, double N)
{
#ifdef NMATH_FLOAT_PAIRS // whose range has no place for a product of two
    double scale = (NMATH_PICK(dhyper_factorial + (int)N) / NMATH_PICK(dhyper_factorial + (int)(N - b))) *
                   (NMATH_PICK(dhyper_factorial + (int)(a + d)) / NMATH_PICK(dhyper_factorial + (int)(N - c))), q = t * scale;
#else
    double scale = ((NMATH_PICK(dhyper_factorial + (int)N) * NMATH_PICK(dhyper_factorial + (int)(a + d))) /
                    (NMATH_PICK(dhyper_factorial + (int)(N - b)) * NMATH_PICK(dhyper_factorial + (int)(N - c)))), q = t * scale;
#endif
    double n = b * c, m = (a + 1.0) * (d + 1.0), dn = b + c - 1.0, dm = a + d + 3.0, step = upper ? -1.0 : 1.0;
    double sum = 1.0, term = 1.0, below = 1.0;
    for (int i = 0; i < NMATH_RANGE(24, 192); ++i) {
        for (int j = 0; j < NMATH_RANGE(8, 1); ++j) {
            if (sum >= q * below || n <= 0.0) {
                double unit = 1.0 / (scale * below);
                return one_less && qhyper_one_less(asked, sum * unit, (sum - term) * unit) ? x - 1.0 : x;
            }
            x += step;
            term *= n;
            below *= m;
            sum = NMATH_FMA(sum, m, term);
            n -= dn;
            m += dm;
            dn -= 2.0;
            dm += 2.0;
        }
        double v = 1.0 / below; // all are below 2^110 times the reciprocal of the mass at the end
        sum *= v;
        term *= v;
        below = 1.0;
    }
    return x;
}

// N > DHYPER_FEW; p inside (0, 1)
NMATH_HEAVY double qhyper_far(double p, double r, double b, double n, int lower_tail, int log_p, double left, double right)
{
    double N = r + b;
    // the smaller tail t, its log l, whether it is the upper one, and whether t is known better than l
    int large = p > R_D_half, upper = (lower_tail != 0) == large, plain = !log_p || large;
    double t = log_p ? (large ? -expm1(p) : exp(p)) : large ? 1.0 - p : p, l = plain ? log(t) : p;
    double fuzz = 1000.0 * NMATH_EPS, asked = t, at = ML_POSINF, above = 0.0; // the tails at hi and lo, where one_less needs them
    int one_less = upper && !log_p && large && N < 0x1p53;
    if (!log_p && large)
        fuzz += 0.25 * NMATH_EPS / t;
    else if (!plain || t < NMATH_RANGE(0x1p-950, 0x1p-95))
        fuzz = fmax(fuzz, -16.0 * NMATH_EPS * l);
    l += !upper ? -fuzz : plain && fuzz > 1e-3 ? log1p(fuzz) : fuzz;
    t *= upper ? 1.0 + fuzz : 1.0 - fuzz;
    if (t < NMATH_RANGE(0x1p-1000, 0x1p-126) && plain) // half of 2^-1074
        l = log(t * 0x1p100 + (upper ? 1.0 : -1.0) * NMATH_RANGE(0x1p-975, 0x1p-60)) - 100.0 * M_LN2;

    // the tail is too small at lo and large enough at hi
    double mean = n * (r / N), sd = sqrt(mean * (b / N) * ((N - n) / fmax(N - 1.0, 1.0))), side = upper ? -1.0 : 1.0;
    double lo = qhyper_before(upper ? -right : left), far = side * mean + 8.0 * NMATH_EPS * mean + 1e-12 * sd;
    double hi = fmin(upper ? -left : right, floor(far) + 2.0);
    double z = qnorm5(fmin(l, -M_LN2), 0.0, 1.0, 1, 1);
    double skew = sd > 0 ? (1.0 - 2.0 * (r / N)) * (1.0 - 2.0 * (n / N)) : 0.0; // times sd
    double y = floor(side * (mean + skew * (z * z - 1.0) / 6.0) + sd * z - 1.0), goal = sqrt(-2.0 * l);
    // Where whole numbers are missing, -hi may be the double below the wanted x: then x is -lo.
    int found = 0, unknown = upper && hi < -0x1p53;
    for (int i = 0; i < 90 && (qhyper_after(lo) < hi || unknown); ++i) {
        if (!(y > lo))
            y = qhyper_after(lo);
        if (y >= hi)
            y = qhyper_after(lo) < hi ? qhyper_before(hi) : hi;
        double f;
        dhyper_table c = dhyper_at(fabs(y), r, b, n);
        if (upper)
            c = dhyper_mirrored(c);
        if (c.t.hi >= 1.0 + 1e-11 * sd) { // beyond the mode
            hi = y;
            at = ML_POSINF;
            unknown = 0;
            y = qhyper_between(lo, hi);
            continue;
        }
        nmath_dd e = dhyper_exponent(c, plain, &f);
        // q = t/p(y), and how many steps may be taken from y
        double s = phyper_sum(c.a, c.b, c.c, c.d, c.N.hi, c.t.hi), sum = 1.0 + s, q, steps = QHYPER_WALK, mass = 0.0;
        if (plain && t >= NMATH_RANGE(0x1p-960, 0x1p-90)) {
            q = dhyper_value(e, f, 0);
            mass = q;
            if (q < NMATH_RANGE(0x1p-1000, 0x1p-126))
                steps = 0.0;
            q = t / q;
        } else {
            q = l - e.hi - (e.lo + log(f));
            if (q > fmin(20.0 - l, NMATH_RANGE(690.0, 69.0))) // p(y) has a larger error than t
                steps = 0.0;
            q = exp(fmin(q, NMATH_RANGE(700.0, 80.0)));
        }
        if (sum >= q) {
            hi = y;
            unknown = 0;
            found = s < q;
            at = sum * mass;
            above = found ? s * mass : above;
            if (!found && y - 1.0 > lo && fabs(y) <= 0x1p53) {
                hi = y - 1.0;
                at = s * mass;
            }
        } else {
            double k = 0.0, g = 1.0;
            above = sum * mass;
            steps = fabs(y) < 0x1p53 ? fmin(steps, hi - 1.0 - y) : 0.0;
            while (k < steps && sum < q) {
                g *= ((c.b - k) / (c.a + (k + 1.0))) * ((c.c - k) / (c.d + (k + 1.0)));
                above = sum * mass;
                sum += g;
                k += 1.0;
            }
            lo = y + k;
            if (sum >= q) {
                hi = lo;
                at = sum * mass;
                found = 1;
            } else {
                above = sum * mass;
            }
        }
        if (found)
            break;
        double eta = sqrt(-2.0 * fmin(e.hi + (e.lo + log(f)) + log1p(s), 0.0));
        y = i < 10 ? floor(y + (eta - goal) * eta * (1.0 + s)) - 2.0 : qhyper_between(lo, hi);
    }
    if (one_less && qhyper_one_less(asked, at, above))
        hi += 1.0;
    return fabs(found || !upper || hi >= -0x1p53 ? hi : lo);
}

NMATH_FN double qhyper(double p, double r, double b, double n, int lower_tail, int log_p)
{
    if (ISNAN(p) || ISNAN(r) || ISNAN(b) || ISNAN(n))
        return p + r + b + n;
    r = R_forceint(r);
    b = R_forceint(b);
    n = R_forceint(n);
    double N = r + b, left = fmax(0.0, n - b), right = fmin(n, r);
    if ((isinf(p) && !log_p) || isinf(N) || r < 0 || b < 0 || n < 0 || n > N)
        ML_WARN_return_NAN;
    R_Q_P01_boundaries(p, left, right);
    if (!(N <= NMATH_RANGE(DHYPER_FEW, 90.0))) // sums may be the reciprocal of the smallest mass
        return qhyper_far(p, r, b, n, lower_tail, log_p, left, right);

    int large = p > R_D_half, upper = (lower_tail != 0) == large;
    double t = p, fuzz = 1000.0 * NMATH_EPS, asked;
    if (log_p) {
        t = large ? -expm1(p) : exp(p);
        fuzz = t * (large ? fuzz : fmax(fuzz, -16.0 * NMATH_EPS * p));
    } else if (large) {
        t = 1.0 - p;
        fuzz = fuzz * t + 0.25 * NMATH_EPS;
    } else {
        fuzz *= t;
    }
    asked = t;
    t += upper ? fuzz : -fuzz;
    double x = upper ? right : left, a = upper ? r - x : x, c = upper ? b - (n - x) : n - x;
    return qhyper_few(t, asked, upper, upper && !log_p && large, x, a, r - a, c, b - c, N);
}

#undef QHYPER_WALK
