/* Runs a fuzz target without libFuzzer: every file of the folders named, then mutations of them.

     warpladder-tests fuzz.TARGET [--iterations N] [--seconds S] [--seed X] [--only K] FOLDER...

   Iteration K of seed X is the same everywhere, so that a failure found anywhere can be run again alone: --only K.
   The work is done in a child, so that after a crash or a hang somebody is left to say which iteration it was. */
#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/random.h"
#include "tests/fuzz/target.h"

#define MOST_SEEDS 1024
#define MOST_BYTES ((size_t)1 << 18)
#define HANG 30 /* seconds for one iteration; under a sanitizer and a debugger's load it takes milliseconds */

typedef struct {
    unsigned char *bytes;
    size_t size;
} text;

static char *names[MOST_SEEDS];
static text seeds[MOST_SEEDS];
static size_t seed_count;

static int compare_names(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static void load(const char *folder) {
    DIR *files = opendir(folder);
    if (files == NULL) {
        fprintf(stderr, "%s: cannot open; expected a folder of inputs\n", folder);
        exit(2);
    }
    size_t first = seed_count;
    for (struct dirent *entry; seed_count < MOST_SEEDS && (entry = readdir(files));) {
        char path[4096];
        struct stat found;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (stat(path, &found) == 0 && S_ISREG(found.st_mode)) names[seed_count++] = strdup(path);
    }
    closedir(files);
    qsort(names + first, seed_count - first, sizeof *names, compare_names); /* readdir has no order */
    for (size_t i = first; i < seed_count; i++) {
        FILE *file = fopen(names[i], "rb");
        REQUIRE(file && (seeds[i].bytes = malloc(MOST_BYTES)));
        seeds[i].size = fread(seeds[i].bytes, 1, MOST_BYTES, file);
        REQUIRE(fgetc(file) == EOF); /* none is cut */
        fclose(file);
    }
}

/* --- Mutations --------------------------------------------------------------------------------------------------- */

static size_t below(wl_random *random, size_t bound) { return wl_random_below(random, (uint32_t)(bound ? bound : 1)); }

/* Put `count` bytes in at `place`. */
static void insert(text *t, size_t place, const unsigned char *bytes, size_t count) {
    if (t->size + count > MOST_BYTES) return;
    memmove(t->bytes + place + count, t->bytes + place, t->size - place);
    memcpy(t->bytes + place, bytes, count);
    t->size += count;
}

static void mutate(text *t, wl_random *random) {
    static const unsigned char telling[] = ">@+;\n\r\t \0\x01\x1B\x1F\x8B\x7F\x80\xFF-.*?AaTUNZ0123x\"(),:'[]";
    static unsigned char piece[MOST_BYTES];
    size_t place = below(random, t->size), count = below(random, t->size - place) + 1;
    if (count > t->size - place) count = t->size - place;
    switch (below(random, 9)) {
        case 0:
            if (t->size) t->bytes[place] ^= (unsigned char)(1u << below(random, 8));
            break;
        case 1:
            if (t->size) t->bytes[place] = telling[below(random, sizeof telling - 1)];
            break;
        case 2:
            insert(t, place, &telling[below(random, sizeof telling - 1)], 1);
            break;
        case 3:
            t->size = place;
            break;
        case 4:
            memmove(t->bytes + place, t->bytes + place + count, t->size - place - count);
            t->size -= count;
            break;
        case 5:
            memcpy(piece, t->bytes + place, count);
            insert(t, below(random, t->size + 1), piece, count);
            break;
        case 6: { /* a part of another file */
            const text *other = &seeds[below(random, seed_count)];
            size_t from = below(random, other->size), most = other->size - from;
            insert(t, place, other->bytes + from, below(random, most + 1));
            break;
        }
        case 7: /* its head and another's tail */ {
            const text *other = &seeds[below(random, seed_count)];
            size_t from = below(random, other->size);
            t->size = place;
            insert(t, place, other->bytes + from, other->size - from);
            break;
        }
        case 8: /* far over the readers' buffers, once in a while */
            if (below(random, 64) > 0 || t->size == 0) break;
            memset(piece, t->bytes[place], sizeof piece);
            insert(t, place, piece, 65536 - 64 + below(random, 128));
            break;
    }
}

static void make(text *t, uint64_t seed, uint64_t iteration) {
    wl_random random = wl_random_stream(seed, iteration);
    const text *from = &seeds[below(&random, seed_count)];
    memcpy(t->bytes, from->bytes, from->size);
    t->size = from->size;
    for (size_t i = below(&random, 6) + 1; i > 0; i--) mutate(t, &random);
    if (below(&random, 8) > 0 || t->size > MOST_BYTES / 2) return;
    unsigned char *packed;
    t->size = fuzz_pack(t->bytes, t->size, &packed);
    memcpy(t->bytes, packed, t->size);
    free(packed);
    for (size_t i = below(&random, 3); i > 0; i--) mutate(t, &random);
}

/* --- Running ----------------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t iterations, seed, only;
    long seconds;
} options;

/* `at` is where the parent reads how far the child is: seeds first, iterations after them. */
static void run(const options *o, int (*target)(const uint8_t *, size_t), volatile uint64_t *at) {
    time_t end = time(NULL) + o->seconds;
    text t = {malloc(MOST_BYTES), 0};
    REQUIRE(t.bytes);
    for (size_t i = 0; i < seed_count && o->only == UINT64_MAX; i++) {
        *at = i;
        alarm(HANG);
        target(seeds[i].bytes, seeds[i].size);
    }
    uint64_t iteration = o->only == UINT64_MAX ? 0 : o->only,
             last = o->only == UINT64_MAX ? o->iterations : o->only + 1;
    for (; iteration < last && time(NULL) <= end; iteration++) {
        *at = seed_count + iteration;
        make(&t, o->seed, iteration);
        /* Exactly as large as its text, so that a sanitizer sees a step beyond. */
        unsigned char *exact = malloc(t.size ? t.size : 1);
        REQUIRE(exact);
        memcpy(exact, t.bytes, t.size);
        alarm(HANG);
        target(exact, t.size);
        free(exact);
    }
    *at = UINT64_MAX;
    free(t.bytes);
    for (size_t i = 0; i < seed_count; i++) free(names[i]), free(seeds[i].bytes);
    printf("%zu files and %llu mutations of them\n", seed_count, (unsigned long long)iteration);
}

int fuzz_drive(int count, char **words, int (*target)(const uint8_t *, size_t)) {
    options o = {10000, 1, UINT64_MAX, 1000000};
    for (int i = 1; i < count; i++) {
        if (strncmp(words[i], "--", 2) != 0) {
            load(words[i]);
            continue;
        }
        char *end = NULL;
        unsigned long long number = i + 1 < count ? strtoull(words[i + 1], &end, 10) : 0;
        if (!end || end == words[i + 1] || *end) return fprintf(stderr, "expected a number after %s\n", words[i]), 2;
        if (strcmp(words[i], "--iterations") == 0)
            o.iterations = number;
        else if (strcmp(words[i], "--seconds") == 0)
            o.seconds = (long)number;
        else if (strcmp(words[i], "--seed") == 0)
            o.seed = number;
        else if (strcmp(words[i], "--only") == 0)
            o.only = number;
        else
            return fprintf(stderr, "unknown option %s\n", words[i]), 2;
        i++;
    }
    if (seed_count == 0) return fprintf(stderr, "expected a folder of inputs\n"), 2;
    volatile uint64_t *at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(at != MAP_FAILED);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        run(&o, target, at);
        exit(0); /* not _exit: the leak checker runs now */
    }
    int result;
    waitpid(child, &result, 0);
    if (WIFEXITED(result) && WEXITSTATUS(result) == 0) return 0;
    if (*at == UINT64_MAX) {
        fprintf(stderr, "failed after the last input: probably one of them leaks\n");
    } else if (*at < seed_count) {
        fprintf(stderr, "failed at %s\n", names[*at]);
    } else {
        unsigned long long iteration = *at - seed_count, seed = o.seed;
        fprintf(stderr, "failed at iteration %llu of seed %llu: run again with --seed %llu --only %llu\n", iteration,
                seed, seed, iteration);
        char path[64];
        text t = {malloc(MOST_BYTES), 0};
        REQUIRE(t.bytes);
        make(&t, o.seed, iteration);
        snprintf(path, sizeof path, "/tmp/fuzz-failure-%d", (int)child);
        FILE *file = fopen(path, "wb");
        if (file && fwrite(t.bytes, 1, t.size, file) == t.size && fclose(file) == 0)
            fprintf(stderr, "input kept in %s\n", path);
        free(t.bytes);
    }
    if (WIFSIGNALED(result))
        fprintf(stderr, "ended by signal %d%s\n", WTERMSIG(result), WTERMSIG(result) == SIGALRM ? ": it hangs" : "");
    return 1;
}
