/* What is found wrong in kernels. Usually the first finding ends its block and fails the launch. If the program is to go on, findings are
   counted by kind and line. */
#include <algorithm>
#include <cstring>
#include <set>

#include "sim/internal.h"

namespace wl_sim {

bool goes_on;                                 // after a finding
static std::vector<std::string> suppressions; // kernels, and lines as "race.cu:6"

/* Does the line "dir/race.cu:6" mean what the user calls "race.cu:6"? */
static bool is_line(const std::string &line, const std::string &called) {
    if (line.size() < called.size() || line.compare(line.size() - called.size(), called.size(), called) != 0)
        return false;
    return line.size() == called.size() || line[line.size() - called.size() - 1] == '/';
}

static bool is_suppressed(const std::string &kernel, const FoundKey &key) {
    for (const std::string &s : suppressions) {
        if (kernel == s || kernel.substr(0, kernel.find('<')) == s) return true;
        for (const Place place : {key.place, key.other})
            if (place && is_line(place_name(place), s)) return true;
    }
    return false;
}

void find(Worker *w, const FoundKey &key, const std::function<std::string()> &message) {
    auto at = w->found.find(key);
    if (at == w->found.end()) {
        const bool suppressed = is_suppressed(w->launch->name, key);
        if (!goes_on && !suppressed && key.guess == nullptr) {
            w->error = message() + callers_here(key.place);
            abandon_as_told(w);
        }
        const Found first = {0, w->block_linear, w->lane, suppressed, message() + callers_here(key.place)};
        at = w->found.emplace(key, first).first;
    }
    at->second.count++;
}

void find_failed_block(Worker *w) {
    static std::set<std::string> &kinds = *new std::set<std::string>; // that keys point to
    static std::mutex mutex;
    const Place place = place_of(w, w->error_thread);
    const std::string kind = w->error.substr(0, w->error.find_first_of(":;("));
    std::unique_lock<std::mutex> guard(mutex);
    const FoundKey key = {kinds.insert(kind.substr(0, kind.find(" at "))).first->c_str(), place, nullptr, nullptr};
    guard.unlock();
    const Found first = {0, w->block_linear, w->error_thread, is_suppressed(w->launch->name, key), w->error};
    w->found.emplace(key, first).first->second.count++;
}

/* The lines of a finding: "race.cu:6, race.cu:7". */
static std::string lines_of(const FoundKey &key) {
    const std::string line = place_name(key.place);
    const std::string other = key.other ? place_name(key.other) : line;
    return other == line ? line : line + ", " + other;
}

void tell_found(Launch *launch, const std::vector<std::unique_ptr<Worker>> &workers, int count) {
    static std::set<Place> &guesses = *new std::set<Place>; // of all launches
    std::map<FoundKey, Found> all;
    for (int i = 0; i < count; i++) {
        guesses.insert(workers[i]->guesses.begin(), workers[i]->guesses.end());
        for (const auto &[key, found] : workers[i]->found) {
            const auto [at, is_new] = all.emplace(key, found);
            if (is_new) continue;
            const uint64_t sum = at->second.count + found.count;
            if (found.block < at->second.block) at->second = found;
            at->second.count = sum;
        }
    }
    std::vector<std::pair<FoundKey, Found>> sorted(all.begin(), all.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto &a, const auto &b) { return a.second.block < b.second.block; });
    // What has been kept back came before the race that ended its block.
    const bool by_race = launch->error.find(": race on ") != std::string::npos;
    uint64_t before = launch->failed_block + by_race;
    for (const auto &[key, found] : sorted) {
        if (key.guess && guesses.count(key.guess)) continue; // a compare-and-swap looked at what the load gave
        const std::string message = from_thread(launch, found.block, found.thread) + found.message;
        if (goes_on || found.suppressed) {
            const std::string lines = lines_of(key);
            tell({found.suppressed ? WL_SIM_SUPPRESSED : WL_SIM_ERROR, message.c_str(), key.kind, launch->name.c_str(),
                  lines.c_str(), found.count});
        } else if (found.block < before) {
            before = launch->failed_block = found.block;
            launch->error = message;
        }
    }
}

} // namespace wl_sim

using namespace wl_sim;

extern "C" void wl_sim_keep_going(int on, const char *suppressed) {
    goes_on = on != 0;
    for (const char *at = suppressed; at && *at;) {
        const size_t length = strcspn(at, ",");
        if (length) suppressions.push_back(std::string(at, length));
        at += length + (at[length] == ',');
    }
}
