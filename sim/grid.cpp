/* Barriers of a whole grid, in cooperative launches. Each block of such a launch has a host thread of its own, which waits here. */
#include <condition_variable>

#include "cuda_runtime.h"
#include "sim/internal.h"

namespace wl_sim {

struct GridBarrier {
    std::mutex mutex;
    std::condition_variable changed;
    unsigned blocks, waiting, gone; // gone: over without having come
    uint64_t generation, base;      // base: from which sequence number on the blocks' accesses count
    bool failed;
    const char *file;
    int line;
};

std::shared_ptr<GridBarrier> make_grid_barrier(unsigned blocks) {
    auto b = std::make_shared<GridBarrier>();
    b->blocks = blocks;
    b->waiting = b->gone = 0;
    b->generation = b->base = 0;
    b->failed = false;
    return b;
}

void leave_grid_barrier(GridBarrier &b, bool failed) {
    std::lock_guard<std::mutex> guard(b.mutex);
    b.gone++;
    b.failed |= failed;
    b.changed.notify_all();
}

/* The calling block waits for the others. "" or what is wrong. */
static std::string meet(Worker *w, GridBarrier &b) {
    std::unique_lock<std::mutex> lock(b.mutex);
    const uint64_t mine = b.generation;
    if (++b.waiting == b.blocks) {
        b.waiting = 0;
        b.base = next_renewal(w->launch);
        b.generation++;
        b.changed.notify_all();
    }
    b.changed.wait(lock, [&] { return b.generation != mine || b.gone > 0; });
    if (b.generation == mine)
        return b.failed ? ANOTHER_FAILED
                        : "a barrier of the grid that " + std::to_string(b.gone) + " of its " +
                              std::to_string(b.blocks) + " blocks never reach: they have ended";
    return "";
}

} // namespace wl_sim

using namespace wl_sim;

extern "C" {

int wl_sim_grid_is_cooperative(void);
void wl_sim_grid_barrier(const char *file, int line);
int wl_sim_barrier(int predicate, const char *file, int line);

int wl_sim_grid_is_cooperative(void) { return active->launch->grid_barrier != nullptr; }

void wl_sim_grid_barrier(const char *file, int line) {
    Worker *w = active;
    GridBarrier *b = w->launch->grid_barrier.get();
    if (b == nullptr) {
        w->error = "a barrier of the grid at " + short_path(file) + ":" + std::to_string(line) +
                   ", but the launch is not cooperative (cudaLaunchCooperativeKernel)";
        abandon(w);
    }
    const uint64_t first = w->first_counted;
    wl_sim_barrier(0, file, line);
    if (w->first_counted != first) return; // the block's first lane to come here waited for all
    const std::string wrong = meet(w, *b);
    if (!wrong.empty()) {
        w->error = wrong == ANOTHER_FAILED ? wrong : wrong + " (" + short_path(file) + ":" + std::to_string(line) + ")";
        abandon(w);
    }
    begin_grid_phase(w, b->base);
}
}
