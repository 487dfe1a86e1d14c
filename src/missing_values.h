// missing_values -- what the host adds to the values a device computed: NA, and the warnings R gives.
#ifndef NMATHOPENCL_MISSING_VALUES_H
#define NMATHOPENCL_MISSING_VALUES_H

#include "elementwise.h"

namespace openclPort {

// R's NA_real_: a NaN whose low word is 1954. A device may lose the payload, so the host restores it.
bool is_na(double x);
double na_real();

// Puts NA where a result is NaN and an argument was NA. Returns whether a NaN arose from arguments none of which was
// missing, which R reports as "NaNs produced".
bool restore_missing(const std::vector<Column>& columns, std::size_t n, double* out);

// Functions that R calls in C only have no R function to warn for them (rule "silent").
bool warns_of_nan(const KernelSpec& spec);

// The warnings of a function beyond "NaNs produced" (rule `spec.warn_rule`), in element order, `limit` at most.
std::vector<std::string> element_warnings(const KernelSpec& spec, const std::vector<Column>& columns, std::size_t n,
                                          const double* out, std::size_t limit);

}  // namespace openclPort

#endif
