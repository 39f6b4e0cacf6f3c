/* What ends a block that runs for ever, and host code that crashes, waits or loops while `check` watches it. */
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "sim/internal.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace wl_sim {

std::atomic<unsigned> kernels_running;
std::atomic<bool> stop_asked, kernels_stopped;

enum { TICKS_PER_SECOND = 4 }; // of a block's watch

static int block_signal(void) { return SIGRTMIN + 1; }
static int host_signal(void) { return SIGRTMIN + 2; }

static uintptr_t program_counter(const void *context) {
    const ucontext_t *u = (const ucontext_t *)context;
#if defined(__x86_64__)
    return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#else
    return (uintptr_t)u->uc_mcontext.pc;
#endif
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *), int flags, struct sigaction *before) {
    struct sigaction action = {};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO | flags;
    sigaction(number, &action, before);
}

/* A timer of the calling thread, whose signal is `number`. */
static bool make_timer(clockid_t clock, int number, timer_t *timer) {
    struct sigevent event = {};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = number;
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    return timer_create(clock, &event, timer) == 0;
}

static void set_timer(timer_t timer, bool on, unsigned per_second) {
    const struct timespec period = {on && per_second == 1, on && per_second > 1 ? 1000000000L / per_second : 0};
    const struct itimerspec every = {period, period};
    timer_settime(timer, 0, &every, nullptr);
}

// ---------------------------------------------------------------- blocks

unsigned block_seconds(void) {
    static const unsigned seconds = [] {
        const char *text = getenv("WL_SIM_SECONDS");
        const unsigned long given = text ? strtoul(text, nullptr, 10) : 0;
        return given ? (unsigned)given : 8u;
    }();
    return seconds;
}

bool runs_too_long(const Worker *w) { return w->ticks > TICKS_PER_SECOND * block_seconds(); }

/* A part of a second of the thread's own time has passed. The first tick of a block counts, too, though most of it was the time of earlier
   blocks: so the limit is exceeded, not reached. Mostly the block is at some other step than before, and step() ends it. A loop with nothing
   in it never calls back: then the lane is left here. */
static void block_tick(int, siginfo_t *, void *context) {
    Worker *w = active;
    if (w == nullptr) return;
    const int before = errno;
    const char *here = (const char *)__builtin_frame_address(0);
    const bool stands = w->steps == w->steps_seen && here >= w->stacks_low && here < w->stacks_high;
    w->steps_seen = w->steps;
    w->ticks = w->ticks + 1;
    if (stop_asked && stands) {
        w->error = STOPPED;
        abandon_as_told(w);
    }
    if (runs_too_long(w) && stands) {
        w->error = "still running after " + std::to_string(block_seconds()) + " s at " +
                   place_name((Place)(program_counter(context) + 1)) +
                   ": an endless loop (WL_SIM_SECONDS raises the limit)";
        abandon(w);
    }
    errno = before;
}

static void fault(int number, siginfo_t *information, void *context);

/* If nobody has asked to be told of crashes, divisions of kernels are told all the same. */
static void watch_divisions(void) {
    struct sigaction now;
    sigaction(SIGFPE, nullptr, &now);
    if (now.sa_handler == SIG_DFL) handle(SIGFPE, fault, SA_ONSTACK | SA_NODEFER, nullptr);
}

void watch_block(bool on) {
    static thread_local struct Watch {
        timer_t timer;
        bool works;
        Watch() {
            handle(block_signal(), block_tick, SA_RESTART | SA_NODEFER, nullptr);
            works = make_timer(CLOCK_THREAD_CPUTIME_ID, block_signal(), &timer);
        }
        ~Watch() {
            if (works) timer_delete(timer);
        }
    } watch;
    if (on) watch_divisions();
    if (watch.works) set_timer(watch.timer, on, TICKS_PER_SECOND);
}

// ---------------------------------------------------------------- host code

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
static const char *const fault_names[] = {"SIGSEGV: memory that is not there", "SIGBUS: memory that is not there",
                                          "SIGFPE: a division by zero", "SIGILL: no instruction", "SIGABRT: abort"};
static struct sigaction faults_before[sizeof faults / sizeof *faults];
static timer_t host_timer;
static bool watching, host_timer_works;
static volatile unsigned idle;        // seconds since a kernel ran
static std::atomic<unsigned> working; // calls of the simulated device that take their time
static size_t allocations_before;

bool is_watched(void) { return watching; }

Working::Working() { working++; }
Working::~Working() { working--; }

static void (*tell_crash)(const char *);

void end_with(const std::string &message) {
    fflush(stdout);
    if (tell_crash)
        tell_crash(message.c_str());
    else
        fprintf(stderr, "%s: %s\n", program_invocation_short_name, message.c_str());
    _exit(1); // a check failed
}

[[noreturn]] static void end_program(const std::string &what) {
    end_with(what + ", in " + host_place_name(host_place()));
}

/* Did the access of a fault write? Negative: this processor does not tell. */
static int writes(const void *context) {
#if defined(__x86_64__)
    return (((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
    (void)context;
    return -1;
#endif
}

static void fault(int number, siginfo_t *information, void *context) {
    if (number == SIGFPE && active && refuse_division(context)) return;
    std::string device;
    if (!watching && !tell_crash) {
        signal(number, SIG_DFL); // it happens again
        return;
    }
    if (number == SIGSEGV && !active) device = host_fault((uintptr_t)information->si_addr, writes(context));
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        signal(faults[i], SIG_DFL); // what goes wrong from here on ends the program at once
        if (!device.empty()) end_with(device);
        if (faults[i] == number && !active) end_program(fault_names[i]);
    }
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i] == number) end_program(std::string("a kernel ends with ") + fault_names[i]);
    _exit(1);
}

/* Does the thread sleep? */
static bool sleeps(void) {
    void *frames[8];
    const int count = backtrace(frames, 8);
    for (int i = 0; i < count; i++) {
        Dl_info info;
        if (dladdr(frames[i], &info) && info.dli_sname && strstr(info.dli_sname, "sleep")) return true;
    }
    return false;
}

static void host_tick(int, siginfo_t *, void *) {
    if (kernels_running > 0) idle = 0;
    if (kernels_running > 0 || working > 0) return;
    const int before = errno;
    idle = idle + 1;
    if (sleeps()) end_program("the host sleeps where it should launch kernels");
    if (idle >= block_seconds())
        end_program("the host has run for " + std::to_string(block_seconds()) +
                    " s (WL_SIM_SECONDS raises the limit) without a kernel: an endless loop");
    errno = before;
}

/* exit() in the midst of a check must not look like its end. */
static void leaving(void) {
    if (watching) end_program("the host ends the program before the check is over");
}

} // namespace wl_sim

using namespace wl_sim;

// What variants call as _exit, _Exit and quick_exit: cmake/private-objects.sh.
extern "C" void wl_exit_at_once(int code) {
    leaving();
    _exit(code);
}

static void watch_faults(void) {
    static char stack[1 << 20]; // a crash may be the overflow of the usual one; libdw needs 200 KB
    const stack_t other = {stack, 0, sizeof stack};
    sigaltstack(&other, nullptr);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        handle(faults[i], fault, SA_ONSTACK | SA_NODEFER, &faults_before[i]);
}

extern "C" void wl_sim_on_crash(void (*told)(const char *)) {
    tell_crash = told;
    watch_faults();
}

extern "C" void wl_sim_watch(void) {
    static std::once_flag once;
    std::call_once(once, [] { atexit(leaving); });
    watch_faults();
    handle(host_signal(), host_tick, SA_RESTART, nullptr);
    if (!host_timer_works) host_timer_works = make_timer(CLOCK_MONOTONIC, host_signal(), &host_timer);
    idle = 0;
    watching = true;
    if (host_timer_works) set_timer(host_timer, true, 1);
    take_complaint();
    take_suspicion();
    allocations_before = allocation_count();
}

extern "C" const char *wl_sim_watched(int result_is_wrong) {
    static std::string said;
    if (!watching) {
        said = result_is_wrong ? take_suspicion() : "";
        return said.empty() ? nullptr : said.c_str();
    }
    watching = false;
    if (host_timer_works) set_timer(host_timer, false, 1);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigaction(faults[i], &faults_before[i], nullptr);
    said = take_complaint();
    if (said.empty() && result_is_wrong) said = take_suspicion();
    if (said.empty()) said = first_leak(allocations_before);
    return said.empty() ? nullptr : said.c_str();
}
