/* What a stage's author needs: the one header of the harness that a kernel.cu and its ladder's kit include.

   A stage is a folder NN_name with a kernel.cu, found by the build. The file ends with a descriptor (the macro of the ladder's kit, or
   WL_STAGE), whose functions the harness calls in this order:

     prepare(device, input, &state)   lay the input out as this stage wants it, copy it to the device, allocate the output
     launch(state)                    the timed part: kernels only, on the default stream; called many times on one state
     collect(state, output, poison)   wait, and copy the result back, laid out as the reference's
     release(state)                   free everything
     supports(device, input)          NULL, or the reason why this device cannot run this input
     cost(device, input, &cost)       bytes and operations that no kernel can avoid

   Each function that can fail returns a wl_status: WL_OK, or what wl_fail(WL_NO_MACHINE, "...") returns after it has kept the message.

     WL_TRY(call);                    return what `call` returns unless it is WL_OK
     WL_CUDA(cudaMemset(...));        the same for a function of CUDA; the message names the call, the file and the line
     kernel<<<grid, block>>>(...);
     WL_LAUNCHED();                   after each launch: the grid was accepted; on the simulated device, the kernel ran without a mistake

   Device memory (harness/device/memory.h; sizes in bytes):

     wl_cuda_allocate(&p, bytes)      new memory             wl_cuda_copy(&p, host, bytes)   new memory with a copy of the host's
     wl_cuda_output(&p, bytes)        memory for a result, filled with poison, so that an element that no kernel writes is found
     wl_cuda_take(host, p, bytes, poison)                    the result back to the host
     wl_cuda_free_all(p, q, ...)      frees each; NULL is fine

   variant.h describes every field of the descriptor. */
#pragma once

#include "harness/bench/variant.h"
#include "harness/device/cuda_check.h"
#include "harness/device/memory.h"
