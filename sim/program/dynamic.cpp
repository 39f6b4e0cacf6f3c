/* Dynamic shared memory that is declared outside of functions, `extern __shared__ float memory[];`, needs a name for the linker. Each
   host thread has its own, as a block has. chevrons gives the declaration this name. */
#include "sim/internal.h"

static_assert(wl_sim::NOBODYS == 262144 && wl_sim::SHARED_LIMIT == 232448, "the numbers below");
__asm__(".section .tbss,\"awT\",%nobits\n"
        ".balign 128\n"
        ".zero 262144\n"
        ".globl wl_sim_dynamic_array\n"
        ".type wl_sim_dynamic_array, %object\n"
        ".size wl_sim_dynamic_array, 232448\n"
        "wl_sim_dynamic_array:\n"
        ".zero 232448\n"
        ".zero 262144\n"
        ".text\n");
extern "C" __thread char wl_sim_dynamic_array[];

static char *here(void) { return wl_sim_dynamic_array; }

__attribute__((constructor)) static void begin(void) { wl_sim::dynamic_array = here; }
