// @source_type: shim
// @source_origin: tukey.c
// @provides: tukey_inner, tukey_edge, tukey_strip, tukey_log_ratio, tukey_range
// @depends: nmath, dd, pnorm, qnorm
// @method: trapezoidal sums, symmetric for small ranges, of the upper tail itself for large ones
// @accuracy: 4 eps(1+cond)
// @all_depends: Rmath, nmath, dd, dpq, expsq, pnorm, qnorm
// @all_depends_count: 7
// @load_order: 77

// tukey -- the distribution of the range of c normal variables, with D(y) = Phi(y + q/2) - Phi(y - q/2)
//     w(q) = c int phi(y + q/2) D(y)^(c-1) dy = c int_0^Inf (phi(y + q/2) + phi(y - q/2)) D(y)^(c-1) dy,
//     1 - w(q) = c int phi(z) Phi(z)^(c-1) (1 - (1 - Phi(z - q)/Phi(z))^(c-1)) dz,
// (David & Nagaraja 2003, Order Statistics, 2.3), the first for q up to an edge a little above the median, the second beyond,
// by the trapezoidal rule, which converges exponentially for such integrands. The result is free of the large exponent:
//     w = D(0)^(c-1) m   or   1 - w = exp(-q^2/4) m.
// For q < 1/2, where D would cancel, with the Hermite polynomials He
//     D(y) = q phi(y) sum_k He_2k(y) (q/2)^2k/(2k + 1)!.

// D = D(0), l = log D(0)
typedef struct { double D, l, m; int upper; } tukey_inner;

// 2 z, z the quantile of the largest of c, plus 1: about the median of the range
NMATH_FN double tukey_edge(double c) { return 1.0 - 2.0 * qnorm(1.0 / c, 0.0, 1.0, 1, 0); }

// D(y) for y >= 0, its log in *l, and sqrt(2 pi) times phi(y + q/2) + phi(y - q/2) in *f
NMATH_FN double tukey_strip(double y, double q, double *f, double *l)
{
    double a = y + 0.5 * q, b = y - 0.5 * q, ea = exp(-0.5 * a * a), eb = exp(-0.5 * b * b);
    *f = ea + eb;
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
    double Ra = ea * pnorm_mills(a), Rb = eb * pnorm_mills(fabs(b));
    double D = b < 0.0 ? 1.0 - (Ra + Rb) : Rb - Ra;
    *l = b < 0.0 && D > 0.5 ? log1p(-(Ra + Rb)) : log(D);
    return D;
}

// log(D/D0), given also the logs
NMATH_FN double tukey_log_ratio(double D, double l, double D0, double l0)
{
    return D < 0.5 && D0 < 0.5 ? log(D / D0) : l - l0;
}

NMATH_HEAVY tukey_inner tukey_range(double q, double c, double edge)
{
    tukey_inner r;
    double c1 = c - 1.0, zc = 0.5 * (edge - 1.0);
    int most = c > 1e15 ? 400 : 2000; // see ptukey.cl
    r.upper = q > edge;
    double sum = 0.0;
    if (r.upper) {
        double h = fmax(0.33 / sqrt(2.0 + zc * zc), 0.02), z0 = 0.5 * q;
        r.D = r.l = 0.0;
        for (int side = 0; side < 2; ++side)
            for (int i = side; i < most; ++i) {
                double y = side ? -h * i : h * i, z = z0 + y, b = y - z0, x;
                double R = pnorm_mills(fabs(z)), e = exp(-0.5 * z * z), P = z > 0.0 ? 1.0 - e * R : e * R;
                double Rb = pnorm_mills(fabs(b));
                double L = c1 * (z > 0.0 ? log1p(-e * R) : log(R) - 0.5 * z * z); // log of Phi(z)^(c-1)
                double eb = exp(-0.5 * b * b) * Rb, v = (b < 0.0 ? eb : 1.0 - eb) / P; // Phi(z - q)/Phi(z)
                double k = -expm1(c1 * log1p(-v));
                if (b < 0.0) // k v^-1 has a limit
                    x = exp(L - y * y) * (v < 1e-290 ? c1 : k / v) * (Rb / P);
                else
                    x = exp(L - 0.5 * z * z + z0 * z0) * k;
                sum += x;
                if (!(x > 1e-18 * sum))
                    break;
            }
        r.m = c * M_1_SQRT_2PI * h * sum;
        return r;
    }
    double f, l, kappa, y0 = fmax(0.0, 0.5 * q - zc);
    r.D = tukey_strip(0.0, q, &f, &r.l);
    kappa = q * M_1_SQRT_2PI * exp(-0.125 * q * q) / r.D;
    double h = 0.33 / sqrt(1.0 + c1 * kappa + zc * zc);
    sum = 0.5 * f;
    for (int i = 1; i < most; ++i) {
        double y = h * i;
        double D = tukey_strip(y, q, &f, &l);
        double x = f * exp(c1 * tukey_log_ratio(D, l, r.D, r.l));
        sum += x;
        if (y > y0 && !(x > 1e-18 * sum))
            break;
    }
    r.m = c * M_1_SQRT_2PI * h * sum;
    return r;
}
