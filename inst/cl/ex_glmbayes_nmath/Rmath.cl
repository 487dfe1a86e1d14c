// @source_type: h
// @source_origin: Rmath.h
// @provides: M_LN_SQRT_2PI, M_LN_SQRT_PId2, M_SQRT_2dPI, M_1_SQRT_2PI, M_LN_2PI, M_SQRT_32, M_2PI, M_SQRT_PI, M_LN_SQRT_PI
// @depends:
// @all_depends_count: 0

// Mathematical constants, to more digits than a double holds, and the short names under which C code calls nmath.

// First of every part of nmath that is loaded, and so the place to say what has to come before.
#ifndef NMATH_FN
#error "nmath needs its layers before it: load_program_preload() brings them, opencl_program() the whole program"
#endif

#ifndef RMATH_H
#define RMATH_H

#ifndef M_E
#define M_E 2.718281828459045235360287471353
#endif
#ifndef M_LOG2E
#define M_LOG2E 1.442695040888963407359924681002
#endif
#ifndef M_LOG10E
#define M_LOG10E 0.434294481903251827651128918917
#endif
#ifndef M_LN2
#define M_LN2 0.693147180559945309417232121458
#endif
#ifndef M_LN10
#define M_LN10 2.302585092994045684017991454684
#endif
#ifndef M_PI
#define M_PI 3.141592653589793238462643383280
#endif
#ifndef M_PI_2
#define M_PI_2 1.570796326794896619231321691640
#endif
#ifndef M_PI_4
#define M_PI_4 0.785398163397448309615660845820
#endif
#ifndef M_1_PI
#define M_1_PI 0.318309886183790671537767526745
#endif
#ifndef M_2_PI
#define M_2_PI 0.636619772367581343075535053490
#endif
#ifndef M_2_SQRTPI
#define M_2_SQRTPI 1.128379167095512573896158903122
#endif
#ifndef M_SQRT2
#define M_SQRT2 1.414213562373095048801688724210
#endif
#ifndef M_SQRT1_2
#define M_SQRT1_2 0.707106781186547524400844362105
#endif
#define M_2PI 6.283185307179586476925286766559
#define M_SQRT_3 1.732050807568877293527446341506
#define M_SQRT_32 5.656854249492380195206754896838
#define M_LOG10_2 0.301029995663981195213738894724
#define M_SQRT_PI 1.772453850905516027298167483341
#define M_1_SQRT_2PI 0.398942280401432677939946059934
#define M_SQRT_2dPI 0.797884560802865355879892119869
#define M_LN_2PI 1.837877066409345483560659472811
#define M_LN_SQRT_PI 0.572364942924700087071713675677
#define M_LN_SQRT_2PI 0.918938533204672741780329736406
#define M_LN_SQRT_PId2 0.225791352644727432363097614947

#ifndef NMATH_NO_SHORT_NAMES
#define dnorm dnorm4
#define pnorm pnorm5
#define qnorm qnorm5
#endif

#endif
