// host_runner -- runs kernels of the host device over the cores of this machine.
//
// Threads are made per call and joined before it returns: nothing survives that a fork could break.
#ifndef NMATHOPENCL_HOST_RUNNER_H
#define NMATHOPENCL_HOST_RUNNER_H

#include "elementwise.h"

namespace openclPort {

// Upper bound on the threads of one call; 0 means one per core.
void set_host_threads(int threads);
int host_threads();

// Calls body(begin, end) for consecutive blocks of [0, n), `grain` elements at most each, on several threads when
// there is more than one block's worth of work. The calling thread takes part and polls `interrupted` between blocks.
void parallel_blocks(std::size_t n, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& body,
                     const InterruptCheck& interrupted, RunReport& report);

void run_elementwise_host(const KernelSpec& spec, const std::vector<Column>& columns, std::size_t n, double* out,
                          RunReport& report, const InterruptCheck& interrupted);

}  // namespace openclPort

#endif
