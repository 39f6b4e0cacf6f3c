/* The host's side of the simulated device: copies, errors, properties, and the record of launches. */
#include <algorithm>
#include <map>
#include <mutex>

#include "cuda_runtime.h"
#include "sim/internal.h"

namespace wl_sim {

// As on a GPU, an error stays until cudaGetLastError takes it; that a kernel failed is also what every call in between
// returns. (A GPU would be lost for the process; here it can be used again.)
static thread_local cudaError_t last_error;
static thread_local std::string last_message;
static std::string &untaken =
    *new std::string; // never destroyed, for what runs at exit: a refused launch of which the program has not asked yet
static thread_local cudaError_t message_of; // the error that the message is about
static std::mutex complaining;
static std::map<const void *, size_t> shared_allowed;
static std::vector<wl_sim_launch> launches;

static void (*tell_finding)(const wl_sim_finding *);

void tell(const wl_sim_finding &finding) {
    if (tell_finding) tell_finding(&finding);
}
bool tells_findings(void) { return tell_finding != nullptr; }

static thread_local std::string last_found;

static void found(const std::string &message) {
    if (tell_finding) last_found = message;
    tell({WL_SIM_ERROR, message.c_str(), nullptr, nullptr, nullptr, 1});
}

int launch_error(void) { return last_error == cudaErrorLaunchFailure ? last_error : cudaSuccess; }

static std::vector<std::string> warnings, unwritten_copies;

static void remember(std::vector<std::string> *messages, const std::string &message) {
    constexpr size_t MOST = 20;
    std::lock_guard<std::mutex> guard(complaining);
    const bool is_new = std::find(messages->begin(), messages->end(), message) == messages->end();
    if (is_new && messages->size() < MOST) messages->push_back(message);
}

static std::vector<std::string> take(std::vector<std::string> *messages) {
    std::lock_guard<std::mutex> guard(complaining);
    return std::move(*messages);
}
std::vector<std::string> take_warnings(void) { return take(&warnings); }
void warn(const std::string &message) { remember(&warnings, message); }
std::vector<std::string> take_unwritten_copies(void) { return take(&unwritten_copies); }

void note_unwritten_copy(const char *what, size_t unwritten, size_t bytes, size_t first) {
    remember(&unwritten_copies, std::string(what) + " in " + host_place_name(host_place()) + " takes " +
                                    std::to_string(bytes) +
                                    " bytes to the host, of which neither the host nor a kernel has written " +
                                    std::to_string(unwritten) + ", the first at byte " + std::to_string(first));
}

/* As report; cudaGetErrorString says `message`, if it is not empty. */
static int report_as(int code, const char *message) {
    if (!launch_error()) {
        last_error = (cudaError_t)code;
        if (*message || message_of == code) last_message = message, message_of = (cudaError_t)code;
    }
    if (code == cudaErrorInvalidValue && tell_finding) { // many programs do not look; others mean it
        const std::string place = host_place_name(host_place());
        if (last_found.find(place) == std::string::npos) // else the call has been told already, in its own words
            remember(&warnings, cudaGetErrorString(cudaErrorInvalidValue) + (", in " + place));
    }
    return code;
}

int report(int code) { return report_as(code, ""); }

void set_launch_error(int code, const std::string &message) {
    if (launch_error()) return;
    last_error = message_of = (cudaError_t)code;
    last_message = message;
    // A program may try what a device refuses, and handle that. It is a mistake if nobody asks.
    if (code == cudaErrorLaunchFailure)
        found(message);
    else
        untaken = message;
}

static thread_local cudaError_t refused; // what the last launch was refused with

void refuse_launch(int code, const std::string &message) {
    refused = (cudaError_t)code;
    if (!message.empty()) set_launch_error(code, message);
}

static std::string complaint, suspicion;

void suspect(const std::string &message) {
    std::lock_guard<std::mutex> guard(complaining);
    if (suspicion.empty()) suspicion = message;
}

std::string take_suspicion(void) {
    std::lock_guard<std::mutex> guard(complaining);
    std::string taken;
    taken.swap(suspicion);
    return taken;
}

void complain(const std::string &message) {
    std::lock_guard<std::mutex> guard(complaining);
    if (complaint.empty()) complaint = message;
    found(message);
}

std::string take_complaint(void) {
    std::lock_guard<std::mutex> guard(complaining);
    std::string taken;
    taken.swap(complaint);
    return taken;
}

cudaError_t cudaPeekAtLastError() {
    if (active) return cudaSuccess; // of a kernel's own launches, which begin later
    untaken.clear();
    return last_error;
}

cudaError_t cudaGetLastError() {
    if (active) return cudaSuccess;
    cudaError_t error = last_error;
    untaken.clear();
    last_error = cudaSuccess;
    return error;
}

const char *cudaGetErrorString(cudaError_t error) {
    const bool told = error == cudaErrorInvalidConfiguration || error == cudaErrorLaunchFailure || error == message_of;
    return told && error != cudaSuccess && !last_message.empty() ? last_message.c_str() : error_text(error);
}

cudaError_t wl_refuse_call(cudaError_t error, const char *message) { return (cudaError_t)report_as(error, message); }

cudaError_t wl_launch_refused() {
    untaken.clear(); // it is returned

    return refused;
}

cudaError_t wl_check_symbol(size_t size, size_t bytes, size_t offset, bool possible) {
    bool inside = offset <= size && bytes <= size - offset;
    return inside && possible ? cudaSuccess : (cudaError_t)report(cudaErrorInvalidValue);
}

static std::map<const void *, const wl_kernel_type *> kernel_types;
static std::mutex typing;

void wl_note_kernel(const void *kernel, const wl_kernel_type *type) {
    std::lock_guard<std::mutex> guard(typing);
    kernel_types[kernel] = type;
}

const wl_kernel_type *kernel_type(const void *kernel) {
    std::lock_guard<std::mutex> guard(typing);
    const auto at = kernel_types.find(kernel);
    return at == kernel_types.end() ? nullptr : at->second;
}

int allow_shared(const void *kernel, int bytes) {
    if (bytes < 0 || (size_t)bytes > shared_limit) return report(cudaErrorInvalidValue);
    shared_allowed[kernel] = (size_t)bytes;
    return cudaSuccess;
}

size_t allowed_shared(const void *kernel) {
    auto at = shared_allowed.find(kernel);
    return at == shared_allowed.end() ? 0 : at->second;
}

void record_launch(const Launch &launch, const wl_sim_counters &counters) {
    wl_sim_launch record{};
    snprintf(record.kernel, sizeof record.kernel, "%s", launch.name.c_str());
    record.grid[0] = launch.grid.x, record.grid[1] = launch.grid.y, record.grid[2] = launch.grid.z;
    record.block[0] = launch.block.x, record.block[1] = launch.block.y, record.block[2] = launch.block.z;
    record.blocks = launch.blocks;
    record.shared_bytes = launch.static_bytes + launch.dynamic_bytes;
    record.counters = counters;
    launches.push_back(record);
}

} // namespace wl_sim

using namespace wl_sim;

extern "C" {

void wl_sim_on_finding(void (*told)(const wl_sim_finding *)) { tell_finding = told; }

const char *wl_sim_untaken(void) { return untaken.empty() ? nullptr : untaken.c_str(); }

void wl_sim_forget(void) { launches.clear(); }

const wl_sim_launch *wl_sim_launches(size_t *count) {
    *count = launches.size();
    return launches.data();
}

} // extern "C"
