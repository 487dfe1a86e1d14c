// @source_type: shim
// @source_origin: nct_series.c
// @provides: nct_series
// @depends: nmath, pnorm, ibeta, pgamma_utils
// @method: Poisson mixture of incomplete beta ratios, positive terms, stable recurrences
// @accuracy: 6 eps(1+cond)
// @all_depends: Rmath, nmath, dpq, ibeta_asym, log1p, stirlerr_cycle_free, lgamma, pnorm, pgamma_utils, dpois, dgamma, ibeta_mass, ibeta
// @all_depends_count: 13

// nct_series -- the non-central t distribution for t > 0 and moderate d > 0, after Guenther (1978), "Evaluation of
// probabilities for the noncentral distributions and the difference of two T-variables with a desk calculator",
// J. Statist. Comput. Simul. 6, 199-206. With L = d^2/2, p_j = e^-L L^j/j!, q_j = e^-L L^(j+1/2)/Gamma(j + 3/2), a = nu/2
// and x = t^2/(nu + t^2)
//     P(0 < T <= t) = 1/2 sum_{j>=0} (p_j I_x(j + 1/2, a) + q_j I_x(j + 1, a)),   with 1 - I instead for P(T > t).
// All terms are positive. With y = 1 - x and
//     I_x(b, a) - I_x(b + 1, a) = G_b = x^b y^a/(b B(a, b)),   G_(b+1) = G_b x (a + b)/(b + 1),
// the upper tail adds up 1 - I_x from 1 - I_x(1/2, a) and 1 - I_x(1, a) = y^a on, over y^a, which may lie far below the
// doubles. The lower tail is summed by parts, the sums of p and q times G, and the beta ratios behind the last term
// are needed only where x is so near 1 that the G do not fall off.

// mean: the number of the largest term, about
NMATH_HEAVY ibeta_tail nct_series(double t, double nu, double d, double mean, int upper)
{
    // below that, what is proportional to nu does not count beside Q(d)
    double a = fmax(0.5 * nu, NMATH_RANGE(1e-290, 1e-28)), L = 0.5 * d * d, sum = 0.0;
    double p = exp(-L), q = p * (d * M_SQRT_2dPI); // of L as rounded: p_j, which has L^j, is then that of a d nearby
    ibeta_point o = ibeta_odds(t, t, nu);
    // enough for what is left of a Poisson sum: with 8 and 12 the tables of pnt and qnt still pass, with 7 and 8 they do not
    int n = (int)(mean + 9.0 * sqrt(mean) + 18.0);
    double x = o.x, ax = a * x;
    ibeta_tail r;
    r.h = 0.0;
    r.upper = upper;
    if (o.k != 0 ? o.y == 1.0 : o.x < (a > 64.0 ? 1e-8 : 0.3)) { // log(y^a)
        if (o.k != 0) {
            x = ldexp(o.x, o.k);
            ax = ldexp(a * o.x, o.k);
        }
        r.e.hi = -a * log1p((t / nu) * t);
        r.e.lo = 0.0;
    } else {
        nmath_dd e = dd_log_ratio(o.y, 1.0);
        if (o.k != 0) { // log 2 in two pieces, the first with room for k
            nmath_dd h = dd_two_sum(o.k * NMATH_LN2_HI, e.hi);
            e = dd_fast_two_sum(h.hi, h.lo + (e.lo + o.k * NMATH_LN2_LO));
        }
        if (a > 64.0 && t < NMATH_RANGE(1e140, 1e16) && nu < NMATH_RANGE(1e280, 1e27)) { // the logarithm of what rounding y took from it
            nmath_dd n, h = dd_two_prod(t, t);
            n.hi = nu;
            n.lo = 0.0;
            h = dd_mul_d(dd_add(h, n), o.y);
            e.lo += ((nu - ldexp(h.hi, o.k)) - ldexp(h.lo, o.k)) / nu;
        }
        r.e = dd_mul_d(e, a);
    }
    // G_1/2 / y^a = 2 sqrt(x/pi) Gamma(a + 1/2)/Gamma(a), see dt.cl; G_1 / y^a = a x
    double w, c = pgamma_stirlerr(a + 0.5) - pgamma_stirling(a, &w);
    double g = M_2_SQRTPI * sqrt(ax) * sqrt(a / w) * exp(a * log1p(0.5 / a) - 0.5 + c), k = ax, b = 0.5;
    if (upper && r.e.hi < -1e14) { // the sum does not count
        r.m = 1.0;
        return r;
    }
    double P = 0.0, Q = 0.0, rest = ML_POSINF, u = 0.0;
    for (int m = upper ? 1 : 0; m < 3; ++m) { // one place for all calls of ibeta
        if (m == 0) {
            double y = dd_exp(r.e);
            for (int j = 0; j < n; ++j) {
                P += p;
                Q += q;
                sum += g * P + k * Q;
                double h = (x * b + ax) / (b + 1.0), h1 = (x * (b + 0.5) + ax) / (b + 1.5);
                g *= h;
                k *= h1;
                rest = fmax(h, h1) < 1.0 ? (g + k) / (1.0 - fmax(h, h1)) : ML_POSINF;
                if (rest < 1e-17 * sum)
                    break;
                p *= L / (b + 0.5);
                q *= L / (b + 1.0);
                b += 1.0;
            }
            sum *= y;
            if (rest * y < 1e-17 * sum)
                break;
            continue;
        }
        ibeta_tail i = ibeta(m == 2 ? b + 0.5 : b, a, o);
        if (!upper) {
            sum += (m == 2 ? Q : P) * ibeta_value(i, 0, 0);
            continue;
        }
        u = i.upper ? exp((i.e.hi - r.e.hi) + (i.e.lo - r.e.lo)) * i.m : (1.0 - dd_exp(i.e) * i.m) * exp(-r.e.hi);
        break;
    }
    if (!upper) {
        r.e.hi = r.e.lo = 0.0;
        r.m = 0.5 * sum + pnorm_upper(d, pnorm_mills(d));
        return r;
    }
    double v = q;
    u *= p;
    g *= p;
    k *= q;
    for (int j = 0; j < n; ++j) { // p and q are in u, v, g and k
        double h = u + v, l = L / (b + 0.5), l1 = L / (b + 1.0);
        sum += h;
        if (h < 1e-18 * sum)
            break;
        u = (u + g) * l;
        v = (v + k) * l1;
        g *= (x * b + ax) / (b + 1.0) * l;
        k *= (x * (b + 0.5) + ax) / (b + 1.5) * l1;
        b += 1.0;
    }
    r.m = 0.5 * sum;
    return r;
}
