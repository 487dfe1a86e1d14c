  // families -- densities, distribution functions and quantiles; part of all_functions().
  auto z_of = [](const VA &v) { return (v[0] - v[1]) / v[2]; };
  auto whole = [](int i, double low) { (void)i; return Range{'k', low, 60, 0.3, low, 1e4}; };
  Range far_q{'s', 0.01, 30, 0.4, 1, 1e18}, tiny_prob{'u', 0.001, 0.999, 0.3, 1e-9, 1e-3};
  auto minus_log = [](const A &s, const A &o) { return mid(s) < 0.5 ? -log1p(-s) : -log(o); };
  auto cot = [](const A &s, const A &o) { return mid(s) < 0.5 ? -(cospi_(s) / sinpi_(s)) : cospi_(o) / sinpi_(o); };
  Names norm{"q", "mean", "sd"}, lnorm{"q", "meanlog", "sdlog"}, place{"q", "location", "scale"}, unif{"q", "min", "max"};
  auto named = [](Names n, const char *first) { n[0] = first; return n; };
  density("dnorm", named(norm, "x"), {far_q, line, scale}, [=](const VA &v) { return l_norm(z_of(v)) - log(v[2]); });
  tails("pnorm", norm, {far_q, line, scale}, [=](const VA &v) { return norm_cdf(z_of(v)); });
  quantile("qnorm", named(norm, "p"), {line, line, scale}, 2, false, [=](const VA &v) { return norm_cdf(z_of(v)); });
  density("dlnorm", named(lnorm, "x"), {both(0.01, 50, 1e-100, 1e100), line, scale}, [](const VA &v) { A l = log(v[0]); return l_norm((l - v[1]) / v[2]) - log(v[2]) - l; });
  auto c_lnorm = [](const VA &v) { return norm_cdf((log(v[0]) - v[1]) / v[2]); };
  tails("plnorm", lnorm, {both(0.01, 50, 1e-300, 1e300), line, scale}, c_lnorm); quantile("qlnorm", named(lnorm, "p"), {line, Range{'u', -3, 3}, Range{'l', 0.2, 3}}, 0, false, c_lnorm);
  auto ordered = [](std::vector<double> &x) { double w = std::fabs(x[2]); x[1] = shorten_here(x[0] - std::fabs(x[1])); x[2] = shorten_here(x[0] + w); return x[1] < x[0] && x[0] < x[2]; };
  auto c_unif = [](const VA &v) { PQ r; A w = v[2] - v[1]; r.p = (v[0] - v[1]) / w; r.q = (v[2] - v[0]) / w; return r; };
  density("dunif", named(unif, "x"), {Range{'i', -5, 5}, scale, scale}, [](const VA &v) { return -log(v[2] - v[1]); }, {"min", "max"}).arrange = ordered;
  quantile("qunif", named(unif, "p"), {line, scale, scale}, 2, false, c_unif); closed([](const VA &v, const A &s, const A &o) { return v[1] * o + v[2] * s; });
  for (int k = 1; k <= 2; k++) out[out.size() - k].arrange = [](std::vector<double> &x) { x[1] = -x[1]; return true; };
  tails("punif", unif, {line, scale, scale}, c_unif).arrange = ordered;
  density("dexp", {"x", "rate"}, {pos, scale}, [](const VA &v) { return log(v[1]) - v[0] * v[1]; });
  tails("pexp", {"q", "rate"}, {both(0.01, 10, 1e-200, 1e3), scale}, [](const VA &v) { return c_expo(v[0] * v[1]); });
  quantile("qexp", {"p", "rate"}, {pos, scale}, 0, false, [](const VA &v) { return c_expo(v[0] * v[1]); }); closed([=](const VA &v, const A &s, const A &o) { return minus_log(s, o) / v[1]; });
  Names weib{"q", "shape", "scale"};
  density("dweibull", named(weib, "x"), {both(0.1, 6, 1e-50, 100), Range{'l', 0.3, 5}, scale}, [](const VA &v) { A l = log(v[0] / v[2]); return log(v[1] / v[2]) + (v[1] - 1) * l - exp(v[1] * l); });
  auto c_weib = [](const VA &v) { return c_expo(exp(v[1] * log(v[0] / v[2]))); };
  tails("pweibull", weib, {both(0.1, 6, 1e-100, 100), Range{'l', 0.3, 5}, scale}, c_weib); quantile("qweibull", named(weib, "p"), {pos, Range{'l', 0.3, 5}, scale}, 0, false, c_weib); closed([=](const VA &v, const A &s, const A &o) { return v[2] * exp(log(minus_log(s, o)) / v[1]); });
  density("dlogis", named(place, "x"), {Range{'s', 0.01, 30, 0.3, 1, 1e5}, line, scale}, [=](const VA &v) { A z = z_of(v); return -z - log1p(exp(-z)) * 2 - log(v[2]); });
  tails("plogis", place, {Range{'s', 0.01, 30, 0.3, 1, 1e4}, line, scale}, [=](const VA &v) { return c_logis(z_of(v)); }); quantile("qlogis", named(place, "p"), {line, line, scale}, 2, false, [=](const VA &v) { return c_logis(z_of(v)); }); closed([](const VA &v, const A &s, const A &o) { return v[1] + v[2] * log(s / o); });
  Range wide{'s', 0.01, 30, 0.4, 1e-10, 1e200}, wide_scale = both(0.2, 5, 1e-150, 1e100);
  density("dcauchy", named(place, "x"), {wide, line, wide_scale}, [=](const VA &v) { A z = z_of(v); return -log(PI() * v[2]) - log(A(1) + z * z); });
  tails("pcauchy", place, {wide, line, wide_scale}, [=](const VA &v) { return c_cauchy(z_of(v)); }); quantile("qcauchy", named(place, "p"), {line, line, scale}, 2, false, [=](const VA &v) { return c_cauchy(z_of(v)); }); closed([=](const VA &v, const A &s, const A &o) { return v[1] + v[2] * cot(s, o); });
  Names gammas{"q", "shape", "scale"};
  density("dgamma", named(gammas, "x"), {both(0.01, 60, 1e-100, 1e6), both(0.1, 100, 1e-3, 1e6), scale}, [](const VA &v) { return l_gamma(v[0], v[1], v[2]); });
  auto c_gamma = [](const VA &v) { A z; { HIPREC; z = v[0] / v[2]; } return incgam(v[1], z); };
  tails("pgamma", gammas, {both(0.01, 60, 1e-100, 1e6), both(0.1, 100, 1e-3, 1e15), scale}, c_gamma);
  auto d_gamma = [](const VA &v) { return l_gamma(v[0], v[1], v[2]); }; dens(1, d_gamma);
  // shapes of all sizes, a third of those from 1 to 1000 whole, and q within nine standard deviations
  tails("pgamma.far", gammas, {Range{'u', -3, 3}, both(1e-8, 1e8, 1e8, 1e10), Range{'i', 1, 1}}, c_gamma, {"shape"}).arrange = [](std::vector<double> &x) {
    if (x[1] > 1 && x[1] < 1000 && (long)(x[1] * 1024) % 3 == 0) x[1] = std::nearbyint(x[1]);
    x[0] = x[1] < 1 ? std::exp(3 * x[0]) : x[1] * std::exp(3 * x[0] / std::sqrt(x[1]));
    return true;
  };
  quantile("qgamma", named(gammas, "p"), {pos, both(0.5, 100, 0.1, 1000), scale}, 0, true, c_gamma); dens(2, d_gamma); by_quantile();
  density("dchisq", {"x", "df"}, {both(0.05, 60, 1e-50, 1e6), both(0.2, 100, 1e-3, 1e6)}, [](const VA &v) { return l_gamma(v[0], v[1] / 2, A(2)); });
  auto c_chisq = [](const VA &v) { A z; { HIPREC; z = v[0] / 2; } return incgam(v[1] / 2, z); };
  tails("pchisq", {"q", "df"}, {both(0.05, 60, 1e-50, 1e6), both(0.2, 100, 1e-3, 1e15)}, c_chisq); auto d_chisq = [](const VA &v) { return l_gamma(v[0], v[1] / 2, A(2)); }; dens(1, d_chisq);
  quantile("qchisq", {"p", "df"}, {pos, both(0.5, 100, 0.2, 1000)}, 0, true, c_chisq); dens(2, d_chisq); by_quantile();
  Names betas{"q", "shape1", "shape2"}; Range inside{'u', 0.01, 0.99, 0.3, 1e-9, 1e-3}, shapes = both(0.2, 60, 1e-2, 1e6);
  density("dbeta", named(betas, "x"), {inside, shapes, shapes}, [](const VA &v) { return l_beta(v[0], v[1], v[2]); });
  auto c_beta = [](const VA &v) { return incbeta(v[1], v[2], v[0], ones(v[0])); };
  tails("pbeta", betas, {inside, shapes, shapes}, c_beta); auto d_beta = [](const VA &v) { return l_beta(v[0], v[1], v[2]); }; dens(1, d_beta);
  // shapes of all sizes, and q within nine standard deviations
  Range far_shape = both(1e-8, 1e6, 1e6, 1e9);
  tails("pbeta.far", betas, {Range{'u', -3, 3}, far_shape, far_shape}, c_beta, {"shape1", "shape2"}).arrange = [](std::vector<double> &x) {
    double n = x[1] + x[2], odds = x[1] / x[2] * std::exp(3 * x[0] / std::sqrt(std::min(1.0, x[1] * x[2] / n) + x[1] * x[2] / n));
    x[0] = odds / (1 + odds);
    return x[0] > 1e-12 && x[0] < 1 - 1e-3;
  };
  quantile("qbeta", named(betas, "p"), {pos, both(0.5, 60, 0.2, 200), both(0.5, 60, 0.2, 200)}, 1, true, c_beta); dens(2, d_beta); by_quantile();
  Names fs{"q", "df1", "df2"};
  density("df", named(fs, "x"), {both(0.05, 8, 1e-20, 1e20), shapes, shapes}, [](const VA &v) { return l_f(v[0], v[1], v[2]); });
  auto c_fd = [](const VA &v) { return c_f(v[0], v[1], v[2], A(0)); };
  tails("pf", fs, {both(0.05, 8, 1e-20, 1e20), shapes, shapes}, c_fd); auto d_fd = [](const VA &v) { return l_f(v[0], v[1], v[2]); }; dens(1, d_fd);
  quantile("qf", named(fs, "p"), {pos, both(0.5, 60, 0.2, 200), both(0.5, 60, 0.2, 200)}, 0, true, c_fd); dens(2, d_fd); by_quantile();
  density("dt", {"x", "df"}, {Range{'s', 0.01, 30, 0.4, 1e-10, 1e200}, both(0.3, 200, 1e-2, 1e7)}, [](const VA &v) { return lgam((v[1] + 1) / 2) - lgam(v[1] / 2) - log(PI() * v[1]) / 2 - (v[1] + 1) / 2 * log1p(v[0] * v[0] / v[1]); });
  auto c_t = [](const VA &v) { return t_cdf(v[0], v[1]); };
  tails("pt", {"q", "df"}, {Range{'s', 0.01, 30, 0.4, 1e-6, 1e60}, both(0.3, 200, 1e-2, 1e6)}, c_t); auto d_t = [](const VA &v) { return lgam((v[1] + 1) / 2) - lgam(v[1] / 2) - log(PI() * v[1]) / 2 - (v[1] + 1) / 2 * log1p(v[0] * v[0] / v[1]); }; dens(1, d_t);
  // degrees of freedom of all sizes: for large ones the derivative is of the order of 1/df^2
  Range all_df = both(0.01, 1e4, 1e4, 1e9);
  tails("pt.far", {"q", "df"}, {Range{'s', 0.01, 30, 0.3, 1e-4, 0.01}, all_df}, c_t, {"df"});
  tails("pf.far", fs, {Range{'u', -3, 3}, all_df, all_df}, c_fd, {"df1", "df2"}).arrange = [](std::vector<double> &x) {
    double v = x[1] / (1 + x[1] / x[2]);
    x[0] = std::exp(3 * x[0] / std::sqrt(std::min(1.0, v) + v));
    return true;
  };
  quantile("qt", {"p", "df"}, {pos, both(0.5, 60, 0.2, 1000)}, 2, true, c_t); dens(2, d_t); by_quantile();
  // noncentral
  Range ncp = both(0.1, 20, 1e-3, 60), far_ncp = both(0.1, 20, 1e-3, 3000), dfs = both(0.2, 60, 0.1, 1000), far_x = both(0.05, 60, 1e-30, 1e4);
  auto d_nchisq = [](const VA &v) { return l_nchisq(v[0], v[1], v[2]); }; density("dnchisq", {"x", "df", "ncp"}, {far_x, dfs, far_ncp}, d_nchisq);
  auto c_nchisq = [](const VA &v) { return nchi_cdf(v[0], v[1], v[2]); };
  tails("pnchisq", {"q", "df", "ncp"}, {far_x, dfs, far_ncp}, c_nchisq); dens(1, d_nchisq); quantile("qnchisq", {"p", "df", "ncp"}, {pos, both(0.5, 30, 0.2, 60), ncp}, 0, true, c_nchisq); dens(2, d_nchisq);
  // degrees of freedom of all sizes, ncp to 1e4, and x within nine standard deviations
  auto near_mean = [](std::vector<double> &x) {
    double mean = x[1] + x[2];
    x[0] = mean < 1 ? std::exp(3 * x[0]) : mean * std::exp(3 * x[0] * std::sqrt(2 * (mean + x[2])) / mean);
    return true;
  };
  Range all_dfs = both(1e-8, 1e4, 1e4, 1e8), all_ncp = both(1e-3, 1e4, 1e2, 1e4);
  density("dnchisq.far", {"x", "df", "ncp"}, {Range{'u', -3, 3}, all_dfs, all_ncp}, d_nchisq, {"df"}).arrange = near_mean;
  tails("pnchisq.far", {"q", "df", "ncp"}, {Range{'u', -3, 3}, all_dfs, all_ncp}, c_nchisq, {"df"}).arrange = near_mean;
  Names nbetas{"q", "shape1", "shape2", "ncp"}; Range mid_shapes = both(0.5, 30, 0.2, 100), far_shapes = both(0.5, 30, 0.1, 1000);
  auto d_nbeta = [](const VA &v) { return log(nbeta_density(v[0], ones(v[0]), v[1], v[2], v[3])); }; density("dnbeta", named(nbetas, "x"), {inside, far_shapes, far_shapes, far_ncp}, d_nbeta);
  auto c_nbeta = [](const VA &v) { return nbeta_cdf(v[1], v[2], v[3], v[0], ones(v[0])); };
  tails("pnbeta", nbetas, {inside, far_shapes, far_shapes, far_ncp}, c_nbeta); dens(1, d_nbeta); quantile("qnbeta", named(nbetas, "p"), {pos, mid_shapes, mid_shapes, ncp}, 1, true, c_nbeta); dens(2, d_nbeta); by_quantile();
  Names nfs{"q", "df1", "df2", "ncp"};
  Range odds = both(0.05, 8, 1e-12, 1e12); auto d_nf = [](const VA &v) { return l_nf(v[0], v[1], v[2], v[3]); }; density("dnf", named(nfs, "x"), {odds, far_shapes, far_shapes, far_ncp}, d_nf);
  auto c_nf = [](const VA &v) { return c_f(v[0], v[1], v[2], v[3]); };
  tails("pnf", nfs, {odds, far_shapes, far_shapes, far_ncp}, c_nf); dens(1, d_nf); quantile("qnf", named(nfs, "p"), {pos, mid_shapes, mid_shapes, ncp}, 0, true, c_nf); dens(2, d_nf); by_quantile();
  // shapes of all sizes, ncp to 1e4, and x within nine standard deviations
  auto near_odds = [](std::vector<double> &x, double part) {
    double a = part * (x[1] + x[3]), b = part * x[2], v = a * b / (a + b);
    return std::exp(3 * x[0] / std::sqrt(std::min(1.0, v) + v)) * (a / b);
  };
  auto near_share = [=](std::vector<double> &x) { x[3] /= 2; double o = near_odds(x, 1); x[3] *= 2; x[0] = o / (1 + o); return x[0] > 1e-12 && x[0] < 1 - 1e-3; };
  auto near_ratio = [=](std::vector<double> &x) { x[0] = near_odds(x, 0.5) * (x[2] / x[1]); return x[0] > 1e-200 && x[0] < 1e200; };
  Range all_shapes = both(1e-8, 1e4, 1e4, 1e7);
  std::vector<Range> all_of{Range{'u', -3, 3}, all_shapes, all_shapes, all_ncp};
  density("dnbeta.far", named(nbetas, "x"), all_of, d_nbeta, {"shape1", "shape2"}).arrange = near_share;
  tails("pnbeta.far", nbetas, all_of, c_nbeta, {"shape1", "shape2"}).arrange = near_share;
  density("dnf.far", named(nfs, "x"), all_of, d_nf, {"df1", "df2"}).arrange = near_ratio;
  tails("pnf.far", nfs, all_of, c_nf, {"df1", "df2"}).arrange = near_ratio;
  Range signed_ncp{'u', -3, 3}, far_signed{'u', -3, 3, 0.3, -50, 50}, t_line{'s', 0.01, 6, 0.4, 1e-8, 1e8}, t_dfs = both(0.6, 60, 0.05, 1e4);
  auto d_nt = [](const VA &v) { return l_nt(v[0], v[1], v[2]); }; density("dnt", {"x", "df", "ncp"}, {t_line, t_dfs, far_signed}, d_nt);
  auto c_nt = [](const VA &v) { return nt_cdf(v[0], v[1], v[2]); };
  tails("pnt", {"q", "df", "ncp"}, {t_line, t_dfs, far_signed}, c_nt); dens(1, d_nt); quantile("qnt", {"p", "df", "ncp"}, {pos, both(0.6, 60, 0.5, 100), signed_ncp}, 2, true, c_nt); dens(2, d_nt);
  // degrees of freedom of all sizes, x near ncp
  auto near_ncp = [](std::vector<double> &x) { x[0] = 2 * x[0] + x[2] * (1 + 0.2 * x[0]); return std::fabs(x[0]) > 1e-8; };
  std::vector<Range> all_nt{Range{'u', -3, 3, 0.2, -1e-2, 1e-2}, all_df, far_signed};
  density("dnt.far", {"x", "df", "ncp"}, all_nt, d_nt, {"df"}).arrange = near_ncp;
  tails("pnt.far", {"q", "df", "ncp"}, all_nt, c_nt, {"df"}).arrange = near_ncp;
  // discrete
  Range lambda = both(0.1, 60, 1e-6, 1e4);
  density("dpois", {"x", "lambda"}, {whole(0, 0), lambda}, [](const VA &v) { return v[0] * log(v[1]) - v[1] - lgam(v[0] + 1); }, {"lambda"});
  density("dpois_raw", {"x", "lambda"}, {both(0.1, 40, 1e-3, 1e4), lambda}, [](const VA &v) { return v[0] * log(v[1]) - v[1] - lgam(v[0] + 1); });
  tails("ppois", {"q", "lambda"}, {whole(0, 0), lambda}, [](const VA &v) { return flip(incgam(v[0] + 1, v[1])); }, {"lambda"});
  auto within = [](std::vector<double> &x) { x[1] += x[0]; return x[1] > 0; };
  auto l_binom = [](const VA &v) { A r = l_choose(v[1], v[0]); if (!zero(v[0])) r += v[0] * log(v[2]); if (mid(v[0]) < mid(v[1])) r += (v[1] - v[0]) * log(ones(v[2])); return r; };
  density("dbinom", {"x", "size", "prob"}, {whole(0, 0), whole(0, 0), tiny_prob}, l_binom, {"prob"}).arrange = within;
  density("dbinom_raw", {"x", "size", "prob", "qprob"}, {both(0.5, 40, 1e-3, 1e4), both(0.5, 40, 1e-3, 1e4), inside, inside}, [](const VA &v) { return l_choose(v[1], v[0]) + v[0] * log(v[2]) + (v[1] - v[0]) * log(v[3]); }).arrange = within;
  tails("pbinom", {"q", "size", "prob"}, {whole(0, 0), whole(0, 1), tiny_prob}, [](const VA &v) { return incbeta(v[1] - v[0], v[0] + 1, ones(v[2]), v[2]); }, {"prob"}).arrange = [](std::vector<double> &x) { x[1] += x[0]; return x[1] > x[0]; };
  density("dgeom", {"x", "prob"}, {whole(0, 0), tiny_prob}, [](const VA &v) { return log(v[1]) + v[0] * log(ones(v[1])); }, {"prob"});
  tails("pgeom", {"q", "prob"}, {whole(0, 0), tiny_prob}, [](const VA &v) { A l = (v[0] + 1) * log1p(-v[1]); PQ r; r.q = exp(l); r.p = -expm1(l); return r; }, {"prob"});
  Range sizes = both(0.2, 300, 1e-3, 1e6);
  density("dnbinom", {"x", "size", "prob"}, {whole(0, 0), sizes, tiny_prob}, [](const VA &v) { return lgam(v[0] + v[1]) - lgam(v[1]) - lgam(v[0] + 1) + v[1] * log(v[2]) + v[0] * log(ones(v[2])); }, {"size", "prob"});
  density("dnbinom_mu", {"x", "size", "mu"}, {whole(0, 0), sizes, lambda}, [](const VA &v) { return lgam(v[0] + v[1]) - lgam(v[1]) - lgam(v[0] + 1) - v[1] * log1p(v[2] / v[1]) + v[0] * (log(v[2]) - log(v[1] + v[2])); }, {"size", "mu"});
  tails("pnbinom", {"q", "size", "prob"}, {whole(0, 0), sizes, tiny_prob}, [](const VA &v) { return incbeta(v[1], v[0] + 1, v[2], ones(v[2])); }, {"size", "prob"});
  tails("pnbinom_mu", {"q", "size", "mu"}, {whole(0, 0), sizes, lambda}, [](const VA &v) { A X, Y; { HIPREC; A d = v[1] + v[2]; X = v[1] / d; Y = v[2] / d; } return incbeta(v[1], v[0] + 1, X, Y); }, {"size", "mu"});
