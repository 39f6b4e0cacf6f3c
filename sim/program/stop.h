/* Signals that end a program, and its limit of time. */
#pragma once

#include <string>

namespace wl_sim {

/* From now on, a thread calls `stopped` when a signal or the limit (0: none) is to end the program: why, and the exit code. */
void watch_for_stop(unsigned seconds, void (*stopped)(const std::string &why, int code));

} // namespace wl_sim
