#include "tools/likelihood/chain/stop.h"

static const int signals[] = {SIGHUP, SIGINT, SIGTERM};
enum { SIGNALS = sizeof signals / sizeof *signals };
static struct sigaction before[SIGNALS];
volatile sig_atomic_t peeling_stopped;

void peeling_stop_end(void) {
    for (int i = 0; i < SIGNALS; i++) sigaction(signals[i], &before[i], NULL);
}

static void stop(int number) {
    peeling_stopped = number;
    peeling_stop_end();
}

void peeling_stop_wait(void) {
    const struct sigaction action = {.sa_handler = stop, .sa_flags = SA_RESTART};
    for (int i = 0; i < SIGNALS; i++) sigaction(signals[i], NULL, &before[i]);
    for (int i = 0; i < SIGNALS; i++)
        if (before[i].sa_handler != SIG_IGN) sigaction(signals[i], &action, NULL); // nohup's stays
}
