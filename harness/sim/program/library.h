/* What libraries for device memory have in common: a call is an operation of a stream, as a kernel or a copy is. */
#ifndef WL_SIM_PROGRAM_LIBRARY_H
#define WL_SIM_PROGRAM_LIBRARY_H

#include <initializer_list>

#include "cuda_runtime.h"
#include "harness/sim/internal.h"

namespace wl_sim {

/* The call `what` is queued: it reads and writes these ranges of device memory. False when one of them is not within one allocation,
   or races with an operation that nothing orders, or a kernel has failed before; then the program has been told. Empty ranges are none. */
bool begin_library_call(cudaStream_t stream, const char *what, const std::vector<Operation::Range> &ranges);

} // namespace wl_sim
#endif
