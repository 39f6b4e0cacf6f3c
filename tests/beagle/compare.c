/* Log-likelihoods against BEAGLE (Ayres et al. 2019), an independent program: random trees, models and data, of nucleotides, amino
   acids and codons, rates of one class and of several, with missing and ambiguous characters. The serial reference, the CPU code that
   large results are checked against, and BEAGLE's code with and without rescaling: all within 1e-9 of each other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/check.h"
#include "harness/bench/device.h"
#include "harness/base/random.h"
#include "peeling/model/model.h"
#include "peeling/problem.h"
#include "peeling/reference.h"

void beagle_register(void); // beagle.c

enum { INPUTS = 60 };
static const double tolerance = 1e-9;

static void require(int condition, const char *what) {
    if (condition) return;
    printf("%s: %s\n", what, wl_error());
    exit(1);
}

static const wl_variant *cpu_variant(const char *name) {
    size_t count;
    const wl_variant *const *variants = wl_variants(&count);
    for (size_t v = 0; v < count; v++)
        if (strcmp(variants[v]->problem, "peeling") == 0 && strcmp(variants[v]->name, name) == 0 &&
            variants[v]->backend == WL_CPU)
            return variants[v];
    require(0, name);
    return NULL;
}

/* [patterns + 1], poisoned beforehand; the caller frees it. */
static double *evaluate(const char *name, const peeling_input *in, const wl_device *device) {
    const wl_variant *variant = cpu_variant(name);
    void *state = NULL;
    double *output = wl_poisoned(sizeof *output * (in->data.patterns + (size_t)1));
    require(output != NULL, "memory");
    require(variant->prepare(device, in, &state) == WL_OK, name);
    require(variant->launch(state) == WL_OK && variant->collect(state, output, 0) == WL_OK, name);
    variant->release(state);
    return output;
}

/* Written so that NaN is different. */
static size_t differences(const char *name, const char *options, const double *theirs, const double *ours,
                          size_t count) {
    size_t different = 0;
    for (size_t c = 0; c < count; c++) {
        if (fabs(theirs[c] - ours[c]) <= tolerance * fabs(ours[c])) continue;
        if (different++ == 0)
            printf("%s at '%s': number %zu of %zu is %.15g, ours %.15g\n", name, options, c, count, theirs[c], ours[c]);
    }
    return different;
}

/* One input's options. */
static void draw(wl_random *random, char *text, size_t size) {
    static const char *const models[] = {"JC69", "K80",  "HKY85", "HKY85",
                                         "GTR",  "GTR",  "WAG",   "Poisson",
                                         "GY94", "GY94", "GY94",  "GY94 --code vertebrate-mitochondrial"};
    static const char *const rates[] = {"", "+G2", "+G4", "+G4", "+G7"};
    static const char *const shapes[] = {"yule", "yule", "ladder", "balanced"};
    const char *model = models[wl_random_below(random, sizeof models / sizeof *models)];
    const char *rate = rates[wl_random_below(random, 5)];
    const size_t name = strcspn(model, " ");
    const int many = strncmp(model, "GY94", 4) == 0;
    char alpha[24] = "";
    if (*rate != '\0') snprintf(alpha, sizeof alpha, " --alpha %.3f", 0.2 + 2 * wl_random_unit(random));
    snprintf(text, size,
             "--model %.*s%s%s --taxa %u --patterns %u --tree-shape %s --height %.3f%s --missing %.1f --ambiguous %.1f",
             (int)name, model, rate, model + name, 2 + wl_random_below(random, many ? 25 : 80),
             1 + wl_random_below(random, many ? 60 : 400), shapes[wl_random_below(random, 4)],
             0.05 + 1.5 * wl_random_unit(random), alpha, 0.2 * wl_random_below(random, 2),
             0.1 * wl_random_below(random, 2));
}

int main(void) {
    beagle_register();
    static const char *const theirs_are[] = {"beagle_sse", "beagle_plain", "beagle_sse_unscaled"};
    const wl_problem *problem = wl_problem_named("peeling");
    wl_device_list devices;
    wl_random random = wl_random_stream(2009, 1);
    size_t different = 0, numbers = 0;
    require(problem != NULL, "no problem peeling");
    require(wl_devices_select("cpu", &devices) == WL_OK, "no cpu");
    for (uint64_t i = 0; i < INPUTS; i++) {
        char options[300];
        draw(&random, options, sizeof options);
        wl_arguments arguments;
        void *input;
        require(wl_arguments_parse(problem->options, options, &arguments) == WL_OK, options);
        require(problem->input_create(&arguments, i, 0, &input) == WL_OK, options);
        const peeling_input *in = input;
        const size_t count = in->data.patterns + (size_t)1;
        double *ours = evaluate("cpu_simd", in, &devices.items[0]);
        for (size_t v = 0; v < sizeof theirs_are / sizeof *theirs_are; v++) {
            double *theirs = evaluate(theirs_are[v], in, &devices.items[0]);
            different += differences(theirs_are[v], options, theirs, ours, count);
            numbers += count;
            free(theirs);
        }
        double *reference = malloc(sizeof *reference * count);
        require(reference != NULL, "memory");
        peeling_reference(in, 0, in->data.patterns, reference);
        reference[in->data.patterns] = peeling_reference_total(in, reference);
        different += differences("reference", options, reference, ours, count);
        free(reference);
        free(ours);
        free(arguments.values);
        problem->input_free(input);
    }
    printf("%zu log-likelihoods of %d inputs by BEAGLE: %zu differ from ours\n", numbers, INPUTS, different);
    return different > 0;
}
