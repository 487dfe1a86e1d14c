  // elementary -- operators and elementary functions; part of all_functions().
  Range wide_pos = both(0.01, 50, 1e-300, 1e300), any{'s', 0.01, 10, 0.4, 1e-300, 1e300}, inner{'u', -0.999, 0.999, 0.3, 1e-300, 0.5, 's'}, to_exp{'s', 0.01, 10, 0.4, 1e-300, 740};
  FN1("sqrt", wide_pos, AR(arb_sqrt)); FN1("exp", to_exp, AR(arb_exp)); FN1("log", wide_pos, AR(arb_log));
  FN1("log1p", (Range{'u', -0.9, 5, 0.3, 1e-300, 1e300, 'l'}), AR(arb_log1p)); FN1("expm1", to_exp, AR(arb_expm1));
  FN1("log2", wide_pos, r = log(x) / LN2()); FN1("log10", wide_pos, r = log(x) / log(A(10)));
  FN1("sin", line, AR(arb_sin)); FN1("cos", line, AR(arb_cos)); FN1("tan", line, AR(arb_tan));
  FN1("asin", inner, AR(arb_asin)); FN1("acos", inner, AR(arb_acos)); FN1("atan", any, AR(arb_atan));
  FN1("sinh", to_exp, AR(arb_sinh)); FN1("cosh", to_exp, AR(arb_cosh)); FN1("tanh", (Range{'s', 0.01, 10, 0.4, 1e-300, 372}), AR(arb_tanh));
  FN1("asinh", any, AR(arb_asinh)); FN1("acosh", both(1.1, 50, 1.001, 1e300), AR(arb_acosh)); FN1("atanh", inner, AR(arb_atanh));
  FN1("sinpi", line, AR(arb_sin_pi)); FN1("cospi", line, AR(arb_cos_pi)); FN1("tanpi", line, AR(arb_tan_pi));
  // operators, straight lines and steps
  std::vector<Range> two{any, any};
  auto op = [&](const char *name, std::function<A(const VA &)> f) { value(name, {"x", "y"}, two, f); };
  op("plus", [](const VA &v) { return v[0] + v[1]; }); op("minus", [](const VA &v) { return v[0] - v[1]; });
  op("times", [](const VA &v) { return v[0] * v[1]; }); op("divide", [](const VA &v) { return v[0] / v[1]; });
  auto whole_part = [](const VA &v) { A r, q = v[0] / v[1]; arb_floor(r.v, q.v, PREC); return r; };
  auto modest = [](std::vector<double> &x) { double q = x[0] / x[1]; return std::fabs(q) < 1e12 && std::fabs(q - std::nearbyint(q)) > 1e-9; };
  Range dividend{'s', 0.01, 1000, 0.3, 1e-10, 1e8};
  value("remainder", {"x", "y"}, {dividend, dividend}, [=](const VA &v) { return v[0] - v[1] * whole_part(v); }).arrange = modest;
  value("quotient", {"x", "y"}, {dividend, dividend}, whole_part).arrange = modest;
  FN1("abs", any, r = fabs_(x)); FN1("sign", any, r = arb_is_positive(x.v) ? A(1) : A(-1));
  FN1("floor", line, AR(arb_floor)); FN1("ceiling", line, AR(arb_ceil)); FN1("trunc", line, if (arb_is_positive(x.v)) AR(arb_floor); else AR(arb_ceil));
  FN1("round", line, A y = x + A(0.5); arb_floor(r.v, y.v, PREC));
  FN1("signif", line, A unit = exp(log(A(10)) * A((long)std::floor(std::log10(std::fabs(mid(x)))) - 5)); A y = x / unit + A(0.5); arb_floor(r.v, y.v, PREC); r = exact(exact(r) * exact(unit)));
  out.back().arrange = [](std::vector<double> &x) { double y = std::fabs(x[0]) / std::pow(10, std::floor(std::log10(std::fabs(x[0]))) - 5) + 0.5; return std::fabs(y - std::nearbyint(y)) > 1e-3; };
  FN1("lgammafn_sign", (Range{'u', 0.1, 60, 0.6, -20, 0}), A w; arb_floor(w.v, x.v, PREC); r = arb_is_positive(x.v) || std::fmod(mid(w), 2) == 0 ? A(1) : A(-1));
  op("fsign", [](const VA &v) { return arb_is_positive(v[1].v) ? fabs_(v[0]) : -fabs_(v[0]); });
  op("fmax2", [](const VA &v) { return mid(v[0]) >= mid(v[1]) ? v[0] : v[1]; }); op("fmin2", [](const VA &v) { return mid(v[0]) <= mid(v[1]) ? v[0] : v[1]; });
  value("r_pow_di", {"x", "n_exp"}, {Range{'s', 0.1, 5, 0.3, 1e-20, 1e20}, Range{'i', -12, 12}}, [](const VA &v) { A r; slong n = (slong)mid(v[1]); if (n >= 0) arb_pow_ui(r.v, v[0].v, n, PREC); else { A s; arb_pow_ui(s.v, v[0].v, -n, PREC); r = A(1) / s; } return r; }, {"x"});
