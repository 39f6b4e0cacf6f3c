/* The scoring phase: scores every read against every vector, on CPU threads and GPUs together, and keeps each read's best. */
#pragma once

#include "papara/problem.h"

/* Writes vectors first .. first + count - 1 to site [count][sites]. Called by many threads at a time. */
typedef void papara_vector_source(const void *context, size_t first, size_t count, uint32_t *site);

typedef struct {
    papara_penalties penalties;
    int states;
    uint32_t sets[PAPARA_CODES];
    papara_reads reads;
    size_t vectors;
    uint32_t sites;
    papara_vector_source *fill;
    const void *context;

    const wl_device *devices; // [device_count]: GPUs, and the CPU if its cores take part
    size_t device_count;
    const char *pattern; // of variants; NULL: the best of each backend
    size_t memory;       // bytes of each GPU that may be used; 0: what is free there
    int threads;         // of the CPU; 0: all
    size_t most_reads;   // per launch; 0: chosen from the memory and the reads' lengths

    /* Called several times per second from papara_score's thread; may be NULL. done: 0 .. 1. */
    void (*progress)(void *user, double done, double seconds);
    void *user;
} papara_score_request;

/* A read's lowest score and its vector, and the lowest score of the other vectors. If scores are equal, the lowest number counts, so the
   result does not depend on which worker computed what. */
typedef struct {
    int score, second_score;        // second_score: PAPARA_INFINITE if there is only one vector
    uint32_t vector, second_vector; // second_vector: UINT32_MAX if there is only one vector
} papara_best;

typedef struct {
    char name[160]; // "NVIDIA H200 (08_x)", "2 CPU threads (cpu_simd, AVX-512)"
    double cells;   // n x m, that it has done
    double seconds; // that it worked
} papara_worker_summary;

enum { PAPARA_WORKERS_MOST = 64 };
typedef struct {
    double cells, computed_cells; // n x m, and m x (n - m + 1), of all pairs
    double seconds;               // of the scoring phase
    double cpu_seconds;           // of processor time of all threads; it shows what waiting for a GPU costs
    size_t workers;
    papara_worker_summary worker[PAPARA_WORKERS_MOST]; // each GPU, and all CPU threads together
} papara_score_summary;

/* best [reads.count]. WL_NO_MACHINE: no variant for a device, or too little memory for one block. */
wl_status papara_score(const papara_score_request *request, papara_best *best, papara_score_summary *summary);
