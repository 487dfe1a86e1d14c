// logit_grid -- the runner, which is there where the package was built with OpenCL. Neither R nor Armadillo is known to
// it.
#ifndef LOGIT_GRID_H
#define LOGIT_GRID_H

#include <string>
#include <vector>

#ifdef USE_OPENCL
void logit_grid_runner(const std::string& program, const char* kernel, int l1, int l2, int m1,
                       const std::vector<std::vector<double>>& inputs, std::vector<double>& qf,
                       std::vector<double>& grad);
#endif

#endif
