// @source_type: shim
// @source_origin: tukey.c
// @provides: tukey_inner, tukey_edge, tukey_strip, tukey_log_ratio, tukey_range
// @depends: nmath, pnorm, qnorm
// @method: trapezoidal sums, symmetric for small ranges, of the upper tail itself for large ones
// @accuracy: 4 eps(1+cond)
// @all_depends: Rmath, nmath, dd, dpq, expsq, pnorm, qnorm
// @all_depends_count: 7
// @load_order: 82

// tukey -- the distribution of the range of c normal variables, with D(y) = Phi(y + q/2) - Phi(y - q/2)
//     w(q) = c int phi(y + q/2) D(y)^(c-1) dy = c int_0^Inf (phi(y + q/2) + phi(y - q/2)) D(y)^(c-1) dy,
//     1 - w(q) = c int phi(z) Phi(z)^(c-1) (1 - (1 - Phi(z - q)/Phi(z))^(c-1)) dz,
// (David & Nagaraja 2003, Order Statistics, 2.3), the first for q up to an edge a little above the median, the second beyond,
// by the trapezoidal rule, which converges exponentially for such integrands. The result is free of the large exponent:
//     w = D(0)^(c-1) m   or   1 - w = c (c-1) exp(-q^2/4) m.
// For q < 1/2, where D would cancel, with the Hermite polynomials He
//     D(y) = q phi(y) sum_k He_2k(y) (q/2)^2k/(2k + 1)!.

// D = D(0), l = log D(0); m, w = D(0)^(c-1) m, or 1 - w = c (c-1) exp(-q^2/4) m if `upper`; slope, the
// derivative of the log of it by log q
typedef struct { double D, l, m, slope; int upper; } tukey_inner;

// 2 z, z the quantile of the largest of c, plus 1: about the median of the range
NMATH_FN double tukey_edge(double c) { return 1.0 - 2.0 * qnorm(1.0 / c, 0.0, 1.0, 1, 0); }

// D(y) for y >= 0, its log in *l, and exp(-(y + q/2)^2/2), exp(-(y - q/2)^2/2) in *ea, *eb
NMATH_FN double tukey_strip(double y, double q, double *ea, double *eb, double *l)
{
    double a = y + 0.5 * q, b = y - 0.5 * q;
    *ea = exp(-0.5 * a * a);
    *eb = exp(-0.5 * b * b);
    if (q < 0.5) {
        double h = 0.5 * q, h2 = h * h, u = 1.0, v = 0.5 * y * h, sum = 1.0;
        for (int k = 2; k < 40; k += 2) { // u, v: He_(k-2) h^(k-2)/(k-1)!, He_(k-1) h^(k-1)/k!
            u = (h * y * v - h2 * (k - 1) * u / k) / (k + 1);
            v = (h * y * u - h2 * k * v / (k + 1)) / (k + 2);
            sum += u;
            if (fabs(u) < 1e-17 * sum && fabs(v) < 1e-16 * sum)
                break;
        }
        sum *= q * M_1_SQRT_2PI * exp(-0.5 * y * y);
        *l = log(sum);
        return sum;
    }
    double Ra = *ea * pnorm_mills(a), Rb = *eb * pnorm_mills(fabs(b));
    double D = b < 0.0 ? 1.0 - (Ra + Rb) : Rb - Ra;
    *l = b < 0.0 && D > 0.5 ? log1p(-(Ra + Rb)) : log(D);
    return D;
}

// log(D/D0), given also the logs
NMATH_FN double tukey_log_ratio(double D, double l, double D0, double l0)
{
    return D < 0.5 && D0 < 0.5 ? log(D / D0) : l - l0;
}

// `coarse` 1 for all digits; with 1.6, say, steps are longer by that and 1e-7 is left of them
NMATH_HEAVY tukey_inner tukey_range(double q, double c, double edge, double coarse)
{
    tukey_inner r;
    q = fmin(q, 1e150); // the slope stays finite
    double c1 = c - 1.0, zc = 0.5 * (edge - 1.0), z2 = zc * zc, tiny = coarse > 1.5 ? 1e-8 : coarse > 1.0 ? 1e-12 : 1e-17;
    double sum = 0.0, rise = 0.0;
    r.upper = q > edge;
    int most = 400;
    if (r.upper) {
        // beyond 1e18 means, for the cost: the steps of width 1/zc at both ends of the range matter less the farther out they are: by exp(-d^2)
        double z0 = 0.5 * q, d = z0 - zc, near = z2 > 40.0 ? fmax(0.0, 1.0 - d * d / 40.0) : 1.0;
        double h = coarse * 0.62 / sqrt(2.0 + z2 * (1.0 + 3.3 * z2 / (z2 + 9.0)) * near * near);
        r.D = r.l = 0.0;
        for (int side = 0; side < 2; ++side)
            for (int i = side; i < most; ++i) {
                double y = side ? -h * i : h * i, z = z0 + y, b = y - z0;
                double R = pnorm_mills(fabs(z)), e = exp(-0.5 * z * z), P = z > 0.0 ? 1.0 - e * R : e * R;
                double Rb = pnorm_mills(fabs(b)), fb = exp(-0.5 * b * b);
                double L = c1 * (z > 0.0 ? log1p(-e * R) : log(R) - 0.5 * z * z); // log of Phi(z)^(c-1)
                double v = (b < 0.0 ? fb * Rb : 1.0 - fb * Rb) / P; // Phi(z - q)/Phi(z)
                double k = -expm1(c1 * log1p(-v)), k1 = (1.0 - k) / (1.0 - v + 1e-300), x, d;
                if (b < 0.0) { // k v^-1 has a limit
                    x = exp(L - y * y) / P;
                    d = x * k1;
                    x *= Rb * (c1 * v < 1e-290 ? 1.0 : k / (c1 * v));
                } else {
                    x = exp(L - 0.5 * z * z + z0 * z0);
                    d = x * k1 * (fb / P);
                    x *= k / c1;
                }
                sum += x;
                rise += d;
                if (!(x > tiny * sum))
                    break;
            }
        r.m = M_1_SQRT_2PI * h * sum;
        r.slope = sum > 0.0 ? -q * M_1_SQRT_2PI * (rise / sum) : -0.5 * q * q;
        return r;
    }
    double ea, eb, l, y0 = fmax(0.0, 0.5 * q - zc);
    r.D = tukey_strip(0.0, q, &ea, &eb, &r.l);
    double kappa = q * M_1_SQRT_2PI * ea / r.D, h = coarse * 0.68 / sqrt(1.0 + c1 * kappa + z2 + 4.0 * fmax(0.0, z2 - 1.5));
    sum = ea;
    rise = 0.5 * (c1 * ea) * ea / r.D;
    for (int i = 1; i < most; ++i) {
        double y = h * i;
        double D = tukey_strip(y, q, &ea, &eb, &l);
        double p = exp(fmin(0.0, c1 * tukey_log_ratio(D, l, r.D, r.l))), x = (ea + eb) * p;
        sum += x;
        rise += (c1 * ea) * eb / (D + 1e-300) * p;
        if (y > y0 && !(x > tiny * sum))
            break;
    }
    r.m = c * M_1_SQRT_2PI * h * sum;
    r.slope = q * (2.0 * M_1_SQRT_2PI) * (rise / sum);
    return r;
}
