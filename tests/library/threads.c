/* Threads with sessions of their own get what one thread gets alone, with one database for all of them; and each
   thread's errors are its own.

   For ThreadSanitizer, which knows neither OpenMP nor functions that the loader chooses:
     cmake -S . -B build-tsan -DWARPLADDER_CUDA=OFF -DWARPLADDER_TESTS=OFF -DCMAKE_C_FLAGS="-fsanitize=thread -D'target_clones(...)=noinline'"
     cmake --build build-tsan --target libwarpladder
     gcc -g -fsanitize=thread -fopenmp -I. tests/library/threads.c -Lbuild-tsan/library -lwarpladder -Wl,-rpath,build-tsan/library -o build-tsan/threads
     OMP_THREAD_LIMIT=1 build-tsan/threads */
#include <pthread.h>

#include "tests/library/data.h"

enum { THREADS = 4, ROUNDS = 3 };

typedef struct {
    int number;
    const clib_data *data;
    const warpladder_database *database;
    clib_results *results; // of the first round
} task;

/* With an error of this thread alone. */
static void fail(warpladder *session, int number) {
    char letters[] = "ACGTACGTACGTACG", expected[64];
    double distance[1];
    letters[number] = '!';
    snprintf(expected, sizeof expected, "found '!' at position %d;", number + 1);
    MUST(warpladder_distances_letters(session, NULL, letters, 1, 15, distance, NULL) == WARPLADDER_BAD_INPUT);
    clib_said = warpladder_error(session);
    MUST(strstr(clib_said, expected) != NULL);
}

static void *run(void *argument) {
    const task *t = argument;
    clib_results *again = malloc(sizeof *again);
    warpladder *session;
    MUST(again != NULL);
    MUST(warpladder_open("cpu", &session) == WARPLADDER_OK);
    clib_ok(session, warpladder_set_threads(session, t->number % 3)); // 0: all
    clib_run(session, t->data, t->database, t->results);
    for (int round = 1; round < ROUNDS; round++) {
        fail(session, t->number);
        clib_run(session, t->data, t->database, again);
        MUST(memcmp(again, t->results, sizeof *again) == 0);
    }
    warpladder_close(session);
    free(again);
    return NULL;
}

int main(void) {
    static clib_data data;
    static clib_results results[THREADS], expected;
    pthread_t threads[THREADS];
    task tasks[THREADS];
    warpladder *session;
    warpladder_database *database;
    clib_make(17, &data);
    MUST(warpladder_open("cpu", &session) == WARPLADDER_OK);
    clib_ok(session, warpladder_database_make(session, data.protein, PROTEINS, 0, &database));
    /* All at once, so that whatever is made at first use is asked for by several. */
    for (int i = 0; i < THREADS; i++) {
        tasks[i] = (task){i, &data, database, &results[i]};
        MUST(pthread_create(&threads[i], NULL, run, &tasks[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    clib_run(session, &data, database, &expected);
    for (int i = 0; i < THREADS; i++) MUST(memcmp(&results[i], &expected, sizeof expected) == 0);
    warpladder_database_close(database);
    warpladder_close(session);
    return 0;
}
