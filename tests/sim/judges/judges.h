/* What the programs that generate.py writes have in common: the inputs, memory of the device, and the check of the result.
 *   PROGRAM              lists its forms
 *   PROGRAM FORM INPUT   runs one; exit code 3: the result is wrong, although nothing has failed */
#ifndef WL_TESTS_JUDGES_H
#define WL_TESTS_JUDGES_H

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <numeric>
#include <vector>

enum { THREADS = 64 }; // of a block, in most programs
typedef unsigned long long ull;

/* A graph in compressed rows: the neighbours of v are to[row[v]] up to to[row[v + 1] - 1]. Each edge stands there in both directions. A
   number of vertices is no multiple of a block's threads, and more than a signed char holds. */
struct Input {
    int n, m;
    std::vector<int> row, to;
    std::vector<int> value; // of each vertex, 0 to 999
};

static unsigned next_random(unsigned *state) { return *state = *state * 1664525u + 1013904223u, *state >> 8; }

static Input graph_of(int n, const std::vector<std::pair<int, int>> &edges) {
    std::vector<std::vector<int>> neighbours(n);
    for (auto [a, b] : edges)
        if (a != b) neighbours[a].push_back(b), neighbours[b].push_back(a);
    Input in = {n, 0, {0}, {}, {}};
    unsigned state = 7;
    for (auto &all : neighbours) {
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        in.to.insert(in.to.end(), all.begin(), all.end());
        in.row.push_back((int)in.to.size());
        in.value.push_back((int)(next_random(&state) % 1000));
    }
    in.m = (int)in.to.size();
    return in;
}

static const char *const INPUTS[] = {"ring", "star", "grid", "random", "power"};

static Input input_named(const char *name) {
    std::vector<std::pair<int, int>> edges;
    unsigned state = 1;
    if (!strcmp(name, "ring")) {
        for (int v = 0; v < 200; v++) edges.push_back({v, (v + 1) % 200});
        return graph_of(200, edges);
    }
    if (!strcmp(name, "star")) {
        for (int v = 0; v < 160; v++) edges.push_back({v, 160});
        return graph_of(161, edges);
    }
    if (!strcmp(name, "grid")) {
        for (int v = 0; v < 169; v++) {
            if (v % 13 < 12) edges.push_back({v, v + 1});
            if (v < 156) edges.push_back({v, v + 13});
        }
        return graph_of(169, edges);
    }
    if (!strcmp(name, "random")) {
        for (int v = 0; v < 130; v++)
            for (int k = 0; k < 3; k++) edges.push_back({v, (int)(next_random(&state) % 130)});
        return graph_of(130, edges);
    }
    if (!strcmp(name, "power")) { // an edge's end is as likely as it already has edges
        std::vector<int> ends = {0};
        for (int v = 1; v < 150; v++)
            for (int k = 0; k < 2; k++) {
                const int u = ends[next_random(&state) % ends.size()];
                edges.push_back({v, u});
                ends.push_back(u);
                ends.push_back(v);
            }
        return graph_of(150, edges);
    }
    fprintf(stderr, "no input %s\n", name);
    exit(2);
}

static void take(cudaError_t error) {
    if (error == cudaSuccess) return;
    printf("%s\n", cudaGetErrorString(error));
    exit(1);
}

/* An array of the device. */
template <class T> struct Device {
    T *data;
    size_t count;
    explicit Device(const std::vector<T> &values) : count(values.size()) {
        take(cudaMalloc((void **)&data, count * sizeof(T)));
        take(cudaMemcpy(data, values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    explicit Device(size_t n) : count(n) { take(cudaMalloc((void **)&data, count * sizeof(T))); } // not initialised
    Device(size_t n, T value) : Device(std::vector<T>(n, value)) {}
    Device(const Device &) = delete;
    ~Device() { take(cudaFree(data)); }
    operator T *() { return data; }
    std::vector<T> host() {
        std::vector<T> values(count);
        take(cudaGetLastError());
        take(cudaDeviceSynchronize());
        take(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }
};

static bool result_is_wrong;
static void expect(bool right) { result_is_wrong |= !right; }

/* For each vertex, FUNCTION over its neighbours, beginning with `first`. */
template <class T, class F> static std::vector<T> of_neighbours(const Input &in, T first, F function) {
    std::vector<T> all(in.n, first);
    for (int v = 0; v < in.n; v++)
        for (int j = in.row[v]; j < in.row[v + 1]; j++) all[v] = function(all[v], in.to[j]);
    return all;
}

struct Program {
    const char *name;
    void (*run)(const Input &);
};

template <int N> static int run(const Program (&programs)[N], int argc, char **argv) {
    for (const Program &program : programs) {
        if (argc < 2) puts(program.name);
        if (argc < 3 || strcmp(program.name, argv[1])) continue;
        program.run(input_named(argv[2]));
        take(cudaGetLastError());
        take(cudaDeviceSynchronize());
        if (result_is_wrong) puts("wrong result");
        return result_is_wrong ? 3 : 0;
    }
    return argc < 2 ? 0 : 2;
}

#endif
