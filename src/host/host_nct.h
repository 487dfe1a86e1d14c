/* host_nct -- the sum of nct_sum.cl, compiled for every machine and for x86-64 with AVX2 and FMA. */
#pragma once

struct nct_frame;

/* The one of the two below that this machine runs. */
double nmath_host_nct_sum(const struct nct_frame* f, int kind, double rest);

double nmath_host_nct_sum_plain(const struct nct_frame* f, int kind, double rest);
double nmath_host_nct_sum_avx2(const struct nct_frame* f, int kind, double rest);
