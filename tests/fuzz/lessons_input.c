/* The lessons' --input: what is accepted must be an input every variant can run. */
#include "harness/bench/problem.h"
#include "lessons/problem.h"
#include "tests/fuzz/target.h"

static wl_status try(const uint8_t *data, size_t size) {
    static const wl_problem *lessons;
    if (lessons == NULL) lessons = wl_problem_named("lessons");
    const char *path = fuzz_file(data, size), *values[16] = {0};
    wl_arguments arguments = {lessons->options, values, 0};
    for (; lessons->options[arguments.count].name; arguments.count++)
        if (strcmp(lessons->options[arguments.count].name, "input") == 0) values[arguments.count] = path;
    void *created = NULL;
    wl_status status = lessons->input_create(&arguments, 1, 0, &created);
    if (status != WL_OK) {
        REQUIRE(created == NULL);
        fuzz_require_refusal(status, path);
        return status;
    }
    const lessons_input *input = created;
    size_t instances = (size_t)input->instances, attributes = (size_t)input->attributes, pitch;
    REQUIRE(input->instances > 0 && input->attributes > 0 && input->alphabet >= 2 && input->alphabet <= 128);
    for (size_t k = 0; k < instances * attributes; k++)
        REQUIRE(input->data[k] >= 0 && input->data[k] < input->alphabet);
    for (size_t i = 0; input->names && i < instances; i++) REQUIRE(*input->names[i]);
    char *rows = lessons_char_rows(input, &pitch);
    REQUIRE(rows && pitch % 4 == 0 && pitch >= attributes);
    free(rows);
    if (instances * instances * attributes <= 100000) {
        int *distance = malloc(lessons->output_size(input));
        char first[16];
        REQUIRE(distance);
        lessons->reference(input, 0, lessons->slices(input), distance);
        for (size_t i = 0; i < instances; i++) REQUIRE(distance[i * instances + i] == 0);
        REQUIRE(lessons->compare(input, distance, distance, first, sizeof first) == 0);
        free(distance);
    }
    lessons->input_free(created);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    wl_status status = try(data, size);
    if (fuzz_also_packed(data, size)) {
        unsigned char *packed;
        size_t packed_size = fuzz_pack(data, size, &packed);
        REQUIRE(try(packed, packed_size) == status);
        free(packed);
    }
    return 0;
}
