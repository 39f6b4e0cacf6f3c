#include "harness/base/thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness/base/cpu.h"
#ifdef _OPENMP
#include <omp.h>
#endif

/* A thread's default is the shell's limit (ulimit -s). The simulated device's thread-local memory takes 2 MB of it, and a vector
   kernel's tables take more. */
#define STACK_BYTES ((size_t)8 << 20)

int wl_thread_start(pthread_t *thread, void *(*run)(void *), void *user) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return 0;
    const int started =
        pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 && pthread_create(thread, &attributes, run, user) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

/* Under a limit on the address space (ulimit -v, batch systems), stacks may take a quarter of what is left: inputs come later. */
static int room_for_stacks(int wanted) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return wanted;
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%llu", &pages) != 1) pages = 0;
    if (file) fclose(file);
    const unsigned long long taken = pages * (unsigned long long)sysconf(_SC_PAGESIZE);
    const unsigned long long fit = limit.rlim_cur > taken ? (limit.rlim_cur - taken) / (4 * STACK_BYTES) : 0;
    return fit < (unsigned)wanted ? 1 + (int)fit : wanted;
}

static void *wait_for_all(void *gate) {
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

int wl_threads_startable(int wanted) {
    wanted = room_for_stacks(wanted);
    pthread_t *threads = wanted > 1 ? malloc((size_t)wanted * sizeof *threads) : NULL;
    if (threads == NULL) return 1;
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&gate);
    int started = 0;
    while (started < wanted - 1 && wl_thread_start(&threads[started], wait_for_all, &gate)) started++;
    pthread_mutex_unlock(&gate);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    free(threads);
    return started == wanted - 1 ? wanted : 1 + started / 2; // readers and writers have threads, too
}

#ifdef _OPENMP
static void start_again(char **argv) {
    const int wanted = omp_get_max_threads();
    const int most = wl_threads_startable(wanted <= WL_CPU_THREADS_MOST ? wanted : omp_get_num_procs());
    if (most < wanted) omp_set_num_threads(most);
    int changed = 0;
    if (most < wanted && getenv("OMP_THREAD_LIMIT") == NULL) {
        char text[16];
        snprintf(text, sizeof text, "%d", most);
        changed = setenv("OMP_NUM_THREADS", text, 1) == 0 && setenv("OMP_THREAD_LIMIT", text, 1) == 0;
    }
    if (wanted > 1 && getenv("OMP_WAIT_POLICY") == NULL && getenv("GOMP_SPINCOUNT") == NULL)
        changed |= setenv("GOMP_SPINCOUNT", "3000", 1) == 0;
    if (changed) execv("/proc/self/exe", argv); // without /proc, this program goes on
}
#endif

void wl_thread_limits(char **argv) {
#ifdef _OPENMP
    start_again(argv);
#else
    (void)argv;
#endif
#ifdef __GLIBC__ // musl has no such limit: its default is a constant
    pthread_attr_t attributes;
    size_t bytes = 0;
    if (pthread_getattr_default_np(&attributes) != 0) return;
    if (pthread_attr_getstacksize(&attributes, &bytes) == 0 && bytes < STACK_BYTES &&
        pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0)
        pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
#endif
}
