// @source_type: c
// @source_origin: i1mach.c
// @provides: Rf_i1mach
// @depends: nmath
// @method: constants
// @accuracy: exact
// @all_depends: Rmath, nmath
// @all_depends_count: 2

// i1mach -- the machine constants of integers and exponents by number: P. A. Fox, A. D. Hall and N. L. Schryer (1978),
// "Framework for a portable library", ACM TOMS 4, 177-188. 1-4 input, output, punch and error units; 5, 6 bits and
// characters of an int; 7-9 base, digits and largest int; 10 base of the reals; 11-13 digits, smallest and largest
// exponent of a float; 14-16 the same of a double.

NMATH_TABLE int i1mach_table[17] = {0,          5, 6,  0,    0,   32, 4,     2,   31,
                                    2147483647, 2, 24, -125, 128, 53, -1021, 1024};

NMATH_FN int Rf_i1mach(int i) { return i >= 1 && i <= 16 ? i1mach_table[i] : 0; }
