/* A program that is stopped by a signal, or by its limit of time, reports what it has so far. */
#include "sim/program/stop.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "sim/internal.h"

namespace wl_sim {

static int ends[2]; // of a pipe: signal handlers write to it

static void on_signal(int number) {
    const int before = errno;
    const char byte = (char)number;
    if (write(ends[1], &byte, 1) != 1) _exit(128 + number);
    errno = before;
}

constexpr int TIME_IS_UP = 124; // as of the command timeout

/* Waits for a signal or the limit. Kernels that run are given a while to leave their blocks. */
static void wait_for_stop(unsigned seconds, void (*stopped)(const std::string &why, int code)) {
    struct pollfd from = {ends[0], POLLIN, 0};
    int found;
    do found = poll(&from, 1, seconds ? (int)seconds * 1000 : -1);
    while (found < 0 && errno == EINTR);
    char number = 0;
    if (found > 0 && read(ends[0], &number, 1) != 1) return;
    stop_asked = true;
    for (int tenths = 0; kernels_running > 0 && !kernels_stopped && tenths < 30; tenths++) usleep(100000);
    if (kernels_running > 0 && !kernels_stopped) _exit(number ? 128 + number : TIME_IS_UP); // it never calls back
    if (number)
        stopped(std::string("stopped by SIG") + sigabbrev_np(number), 128 + number);
    else
        stopped("stopped after " + std::to_string(seconds) + " s, the limit", TIME_IS_UP);
}

void watch_for_stop(unsigned seconds, void (*stopped)(const std::string &why, int code)) {
    sigset_t all, before;
    if (pipe(ends) != 0) return;
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGXCPU}) {
        struct sigaction action = {};
        sigaction(number, nullptr, &action);
        if (action.sa_handler != SIG_DFL) continue; // nohup, for example
        action.sa_handler = on_signal;
        action.sa_flags = SA_RESTART;
        sigaction(number, &action, nullptr);
    }
    sigfillset(&all); // other threads handle signals
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread(wait_for_stop, seconds, stopped).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

} // namespace wl_sim
