// beside_after -- the other header last.
#include <openclPort.h>

#include "other/openclPort.h"

#include "beside.h"

// [[Rcpp::export(rng = false)]]
Rcpp::List beside_after_cpp() { return beside(); }
