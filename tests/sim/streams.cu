/* What streams and events order, and what the simulated device says of operations that nothing orders. */
#include <cuda_runtime.h>

#include "tests/sim/help.h"

static __global__ void add_one(int *data) { data[threadIdx.x]++; }
static __global__ void copy(const int *from, int *to) { to[threadIdx.x] = from[threadIdx.x]; }

struct Streams {
    cudaStream_t a, b, blocking;
    Streams() {
        cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
        cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
        cudaStreamCreate(&blocking);
    }
    ~Streams() {
        cudaDeviceSynchronize();
        cudaStreamDestroy(a);
        cudaStreamDestroy(b);
        cudaStreamDestroy(blocking);
    }
};

/* What two operations on one buffer say, the first in stream `a`. */
template <typename W> static std::string said(W work) {
    Streams s;
    Buffer<int> data(32, 1), other(32, 1);
    cudaDeviceSynchronize();
    std::string error;
    counted([&] { work(s, data.device, other.device); }, &error);
    return error;
}

TEST(one_stream_is_in_order) {
    CHECK(said([](Streams &s, int *data, int *other) {
              add_one<<<1, 32, 0, s.a>>>(data);
              copy<<<1, 32, 0, s.a>>>(data, other);
              cudaMemsetAsync(data, 0, 128, s.a);
              cudaMemcpyAsync(other, data, 128, cudaMemcpyDeviceToDevice, s.a);
          }) == "");
}

TEST(two_kernels_that_nothing_orders_race) {
    const std::string error = said([](Streams &s, int *data, int *other) {
        add_one<<<1, 32, 0, s.a>>>(data);
        copy<<<1, 32, 0, s.b>>>(data, other);
    });
    CHECK(says(error, "race on global memory: loads element 0 of 32, allocated as device in "));
    CHECK(says(error, "which kernel add_one (operator(), sim/streams.cu:"));
    CHECK(says(error, "stores to, and no stream, event or wait orders the two"));
    CHECK(says(said([](Streams &s, int *data, int *other) {
                   copy<<<1, 32, 0, s.a>>>(data, other);
                   add_one<<<1, 32, 0, s.b>>>(data);
               }),
               "loads from"));
    CHECK(said([](Streams &s, int *data, int *other) { // one reads what the other writes
              copy<<<1, 32, 0, s.a>>>(data, other);
              copy<<<1, 16, 0, s.b>>>(data, data + 16);
          }) != "");
    CHECK(said([](Streams &s, int *data, int *other) {
              copy<<<1, 16, 0, s.a>>>(data, other);
              copy<<<1, 16, 0, s.b>>>(data, other + 16);
          }) == "");
}

TEST(copies_and_fills_take_part) {
    CHECK(says(said([](Streams &s, int *data, int *) {
                   cudaMemsetAsync(data, 0, 128, s.a);
                   add_one<<<1, 32, 0, s.b>>>(data);
               }),
               "which cudaMemsetAsync ("));
    CHECK(says(said([](Streams &s, int *data, int *other) {
                   add_one<<<1, 32, 0, s.a>>>(data);
                   cudaMemcpyAsync(other, data, 128, cudaMemcpyDeviceToDevice, s.b);
               }),
               "loads from memory that kernel add_one ("));
    CHECK(says(said([](Streams &s, int *data, int *other) {
                   cudaMemcpyAsync(other, data, 128, cudaMemcpyDeviceToDevice, s.a);
                   cudaMemsetAsync(data, 0, 128, s.b);
               }),
               "stores to memory that cudaMemcpyAsync ("));
    CHECK(said([](Streams &s, int *data, int *other) { // different halves
              cudaMemcpyAsync(other, data, 64, cudaMemcpyDeviceToDevice, s.a);
              cudaMemsetAsync(data + 16, 0, 64, s.b);
          }) == "");
}

TEST(events_and_waits_order) {
    CHECK(said([](Streams &s, int *data, int *) {
              cudaEvent_t done;
              cudaEventCreate(&done);
              add_one<<<1, 32, 0, s.a>>>(data);
              cudaEventRecord(done, s.a);
              cudaStreamWaitEvent(s.b, done);
              add_one<<<1, 32, 0, s.b>>>(data);
              cudaEventRecord(done, s.b);
              cudaEventSynchronize(done);
              cudaMemset(data, 0, 128);
              cudaEventDestroy(done);
          }) == "");
    CHECK(said([](Streams &s, int *data, int *) { // the event comes too early
              cudaEvent_t done;
              cudaEventCreate(&done);
              cudaEventRecord(done, s.a);
              add_one<<<1, 32, 0, s.a>>>(data);
              cudaStreamWaitEvent(s.b, done);
              add_one<<<1, 32, 0, s.b>>>(data);
              cudaEventDestroy(done);
          }) != "");
    CHECK(said([](Streams &s, int *data, int *) {
              add_one<<<1, 32, 0, s.a>>>(data);
              cudaStreamSynchronize(s.a);
              add_one<<<1, 32, 0, s.b>>>(data);
              cudaDeviceSynchronize();
              add_one<<<1, 32, 0, s.a>>>(data);
          }) == "");
    CHECK(said([](Streams &s, int *data, int *) { // the wrong stream is awaited
              add_one<<<1, 32, 0, s.a>>>(data);
              cudaStreamSynchronize(s.blocking);
              add_one<<<1, 32, 0, s.b>>>(data);
          }) != "");
}

TEST(the_legacy_default_stream_waits_for_blocking_streams_only) {
    CHECK(said([](Streams &s, int *data, int *) {
              add_one<<<1, 32, 0, s.blocking>>>(data);
              add_one<<<1, 32, 0, cudaStreamLegacy>>>(data);
              add_one<<<1, 32, 0, s.blocking>>>(data);
          }) == "");
    CHECK(said([](Streams &s, int *data, int *) {
              add_one<<<1, 32, 0, s.a>>>(data);
              add_one<<<1, 32, 0, cudaStreamLegacy>>>(data);
          }) != "");
    // These tests are compiled with --default-stream per-thread: stream 0 is one like others, which only the legacy stream waits for.
    CHECK(said([](Streams &s, int *data, int *) {
              add_one<<<1, 32, 0, s.blocking>>>(data);
              add_one<<<1, 32>>>(data);
          }) != "");
    CHECK(said([](Streams &, int *data, int *) {
              add_one<<<1, 32>>>(data);
              add_one<<<1, 32, 0, cudaStreamLegacy>>>(data);
          }) == "");
}

TEST(pinned_memory_is_the_hosts_after_a_wait) {
    int *host = nullptr;
    cudaMallocHost(&host, 32 * sizeof *host);
    CHECK(said([&](Streams &s, int *data, int *) {
              cudaMemcpyAsync(host, data, 128, cudaMemcpyDeviceToHost, s.a);
              cudaStreamSynchronize(s.a);
              CHECK(host[3] == 1);
              cudaMemcpyAsync(data, host, 128, cudaMemcpyHostToDevice, s.a);
              CHECK(host[3] == 1); // both read
          }) == "");
    CHECK(says(said([&](Streams &s, int *data, int *) {
                   cudaMemcpyAsync(host, data, 128, cudaMemcpyDeviceToHost, s.a);
                   CHECK(host[3] == 1);
               }),
               "race between host and device: the host loads 4 bytes at sim/streams.cu:"));
    CHECK(says(said([&](Streams &s, int *data, int *) {
                   cudaMemcpyAsync(data, host, 128, cudaMemcpyHostToDevice, s.a);
                   host[3] = 7;
               }),
               "the host stores 4 bytes at"));
    int pageable[32]; // such a copy is over when the call returns
    CHECK(said([&](Streams &s, int *data, int *) {
              cudaMemcpyAsync(pageable, data, 128, cudaMemcpyDeviceToHost, s.a);
              CHECK(pageable[3] == 1);
          }) == "");
    cudaFreeHost(host);
}
