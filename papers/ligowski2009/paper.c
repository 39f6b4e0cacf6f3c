/* Ligowski & Rudnicki 2009, Figure 4: cell updates per second over the query's length, and what limits them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers/ligowski2009/paper.h"
#include "harness/base/random.h"
#include "sw/scoring/scoring.h"

/* ---- the paper's tables ---- */

/* A header line that is a whole number from 1 to `most`. */
static wl_status whole(const wl_paper *paper, const char *key, double most, uint64_t *value) {
    double number = wl_paper_header_number(paper, key);
    if (!(number >= 1 && number <= most) || number != floor(number))
        return wl_fail(WL_BAD_INPUT, "%s: found '# %s: %s'; expected a whole number from 1 to %.0f", paper->path, key,
                       wl_paper_header(paper, key), most);
    *value = (uint64_t)number;
    return WL_OK;
}

typedef struct {
    uint64_t subjects, letters, longest, queries, shortest_query, longest_query, synthetic_subjects, synthetic_length;
} dimensions;

enum { QUERIES_MOST = 1000 };

static wl_status read_dimensions(const wl_paper *paper, dimensions *d) {
    WL_TRY(whole(paper, "subjects", 1e9, &d->subjects));
    WL_TRY(whole(paper, "letters", 1e12, &d->letters));
    WL_TRY(whole(paper, "longest", SW_DRAWN_MOST, &d->longest));
    WL_TRY(whole(paper, "queries", QUERIES_MOST, &d->queries));
    WL_TRY(whole(paper, "query_shortest", 1e6, &d->shortest_query));
    WL_TRY(whole(paper, "query_longest", 1e6, &d->longest_query));
    WL_TRY(whole(paper, "synthetic_subjects", 1e9, &d->synthetic_subjects));
    WL_TRY(whole(paper, "synthetic_length", 1e6, &d->synthetic_length));
    if (d->letters < d->subjects || d->letters > d->subjects * d->longest)
        return wl_fail(WL_BAD_INPUT, "%s: found %llu letters; expected %llu to %llu of %llu sequences up to %llu",
                       paper->path, (unsigned long long)d->letters, (unsigned long long)d->subjects,
                       (unsigned long long)(d->subjects * d->longest), (unsigned long long)d->subjects,
                       (unsigned long long)d->longest);
    if (d->shortest_query > d->longest_query)
        return wl_fail(WL_BAD_INPUT, "%s: found queries from %llu to %llu; expected the shortest first", paper->path,
                       (unsigned long long)d->shortest_query, (unsigned long long)d->longest_query);
    return WL_OK;
}

static wl_status read_papers(ligowski_run *run, dimensions *d) {
    static const char *const of_figure[] = {
        "short",          "figure",        "short_machine",    "subjects",           "letters", "longest", "queries",
        "query_shortest", "query_longest", "synthetic_length", "synthetic_subjects", "variant", NULL};
    static const char *const of_limits[] = {"operations_per_second", "bytes_per_second", "reached", NULL};
    WL_TRY(wl_paper_read("ligowski2009_figure4", &run->figure));
    WL_TRY(wl_paper_require(&run->figure, of_figure));
    WL_TRY(wl_paper_read("ligowski2009_limits", &run->limits));
    WL_TRY(wl_paper_require(&run->limits, of_limits));
    return read_dimensions(&run->figure, d);
}

/* ---- the data ---- */

/* From the shortest to the longest, evenly on a log scale, each moved at random within its step: the lengths are dense
   where they are short, as the paper says of its. */
static void choose_lengths(const dimensions *d, uint64_t seed, uint32_t *lengths) {
    enum { STREAM = 2009 };
    wl_random random = wl_random_stream(seed, STREAM);
    double low = log((double)d->shortest_query), step = (log((double)d->longest_query) - low) / (double)d->queries;
    for (uint64_t q = 0; q < d->queries; q++)
        lengths[q] = (uint32_t)(exp(low + step * ((double)q + wl_random_unit(&random))) + 0.5);
    lengths[0] = (uint32_t)d->shortest_query;
    lengths[d->queries - 1] = (uint32_t)d->longest_query;
}

enum { REDUCED = 64 };

/* On a machine without a GPU, the paper's database would take minutes for each line. There a part of it is used, with
   lengths of the same distribution: a CPU's speed does not depend on how many sequences there are. */
static sw_recipe recipe_of(ligowski_run *run, const dimensions *d, uint64_t seed) {
    run->reduced = run->devices.count > 1 || d->subjects < 1000 * REDUCED ? 1 : REDUCED;
    run->subjects = d->subjects / run->reduced;
    run->letters = d->letters / run->reduced;
    return (sw_recipe){.seed = seed,
                       .alphabet = SW_PROTEIN,
                       .subjects = run->subjects,
                       .longest = (uint32_t)d->longest,
                       .letters = run->letters};
}

static void tell(const wl_paper_request *asked, const char *database, size_t query, size_t queries, uint32_t length) {
    if (asked->progress)
        fprintf(stderr, "\r%s, query %zu of %zu, %u residues\033[K", database, query + 1, queries, length);
}

/* Every query against the Swiss-Prot-like database. */
static wl_status measure_curve(const wl_paper_request *asked, ligowski_run *run, sw_input *input,
                               const sw_set *queries) {
    wl_status status = WL_OK;
    for (size_t q = 0; status == WL_OK && q < queries->count; q++) {
        tell(asked, "Swiss-Prot", q, queries->count, queries->length[q]);
        input->queries = sw_set_part(queries, q, 1);
        status = ligowski_measure(run, "Swiss-Prot", input);
    }
    return status;
}

/* The paper's two synthetic databases, with the longest query. */
static wl_status measure_synthetic(const wl_paper_request *asked, ligowski_run *run, const dimensions *d,
                                   sw_input *input) {
    static const struct {
        const char *name;
        sw_kind kind;
    } databases[] = {{"Random1000", SW_KIND_RANDOM}, {"Regular1000", SW_KIND_IDENTICAL}};
    wl_status status = WL_OK;
    for (size_t i = 0; status == WL_OK && i < 2; i++) {
        sw_owned_set set;
        sw_recipe recipe = {.seed = asked->seed + 1,
                            .alphabet = SW_PROTEIN,
                            .kind = databases[i].kind,
                            .subjects = d->synthetic_subjects / run->reduced,
                            .length = (uint32_t)d->synthetic_length};
        tell(asked, databases[i].name, 0, 1, input->queries.length[0]);
        status = sw_generate_database(&recipe, &input->queries, &set);
        if (status != WL_OK) break;
        input->database = set.set;
        status = ligowski_measure(run, databases[i].name, input);
        sw_owned_set_free(&set);
    }
    return status;
}

static wl_status measure(const wl_paper_request *asked, ligowski_run *run, const dimensions *d) {
    uint32_t lengths[QUERIES_MOST];
    sw_owned_set queries, database;
    sw_input input = {0};
    sw_recipe recipe = recipe_of(run, d, asked->seed);
    choose_lengths(d, asked->seed, lengths);
    run->query_count = d->queries;
    run->shortest = (uint32_t)d->shortest_query;
    run->longest = (uint32_t)d->longest_query;
    WL_TRY(sw_scoring_named("BLOSUM62", &input.scoring));
    WL_TRY(sw_generate_queries(&recipe, d->queries, lengths, &queries));
    wl_status status = sw_generate_database(&recipe, &queries.set, &database);
    if (status == WL_OK) {
        input.queries = sw_set_part(&queries.set, queries.set.count - 1, 1);
        input.database = database.set;
        ligowski_choose_lines(run, &input);
        status = measure_curve(asked, run, &input, &queries.set);
        sw_owned_set_free(&database);
    }
    if (status == WL_OK) status = measure_synthetic(asked, run, d, &input);
    sw_owned_set_free(&queries);
    if (asked->progress) fputs("\r\033[K", stderr);
    return status;
}

/* ---- the traffic ---- */

/* Equal lengths, a block of the paper's threads, ten bands of its twelve rows: edges and idle threads, which the paper's sums
   leave out, are few. */
static wl_status count_traffic(const wl_paper_request *asked, ligowski_run *run) {
    enum { SUBJECTS = 256, LENGTH = 64, QUERY = 120 };
    const uint32_t length = QUERY;
    sw_owned_set queries, database;
    sw_input input = {0};
    sw_recipe recipe = {.seed = asked->seed, .alphabet = SW_PROTEIN, .subjects = SUBJECTS, .length = LENGTH};
    char pattern[256] = "";
    for (size_t i = 0; i < run->limits.rows; i++) {
        const char *variant = wl_paper_text(&run->limits, i, "variant");
        size_t used = strlen(pattern);
        if (variant != NULL && used + strlen(variant) + 8 < sizeof pattern)
            snprintf(pattern + used, sizeof pattern - used, "%s%s/%s", used > 0 ? " " : "", run->problem->name,
                     variant);
    }
    WL_TRY(sw_scoring_named("BLOSUM62", &input.scoring));
    WL_TRY(sw_generate_queries(&recipe, 1, &length, &queries));
    wl_status status = sw_generate_database(&recipe, &queries.set, &database);
    if (status == WL_OK) {
        void *view = &input;
        wl_expectation expected = {.result = NULL};
        wl_inputs inputs = {.problem = run->problem, .count = 1, .inputs = &view, .expected = &expected};
        input.queries = queries.set;
        input.database = database.set;
        status = wl_traffic_count(&inputs, pattern, asked->progress, &run->traffic);
        free(expected.result);
        sw_owned_set_free(&database);
    }
    sw_owned_set_free(&queries);
    return status;
}

/* ---- showing it ---- */

static void print(FILE *stream, const void *run) {
    ligowski_print(stream, run);
    ligowski_print_limits(stream, run);
}

static wl_status show(const wl_paper_request *asked, const wl_reproduction *which, const ligowski_run *run) {
    const wl_reproduction_output files[] = {
        {"", "ligowski2009", 1, 0, &run->figure, ligowski_head, ligowski_rows, 0},
        {"_limits", "ligowski2009_limits", 0, 0, &run->figure, ligowski_limits_head, ligowski_limits_rows, 0},
        {"_sums", NULL, 0, 0, &run->figure, ligowski_sums_head, ligowski_sums_rows, 0}};
    const wl_reproduction_shown shown = {run, run->machine, print, ligowski_print_json, files, 3};
    return wl_reproduction_show(asked, which, &shown);
}

/* ---- the whole ---- */

static wl_status verdict(const ligowski_run *run) {
    int any = 0;
    for (size_t i = 0; i < run->count; i++) {
        const ligowski_point *p = &run->points[i];
        if (wl_failed(&p->verdict))
            return wl_fail(WL_CHECK_FAILED, "the check of %s/%s on %s, %s, query of %u, failed: %s", run->problem->name,
                           p->line.variant->name, wl_backend_name(p->line.variant->backend), p->database,
                           p->query_length, p->verdict.reason);
        any |= wl_passed(&p->verdict);
    }
    if (any || run->count == 0) return run->traffic.count > 0 ? wl_traffic_status(&run->traffic) : WL_OK;
    return wl_fail(WL_NO_MACHINE, "no variant runs here; the first: %s", wl_verdict_line(&run->points[0].verdict).text);
}

static wl_status reproduce(const wl_paper_request *asked, const wl_reproduction *which) {
    ligowski_run run = {
        .problem = wl_problem_named("sw"), .options = wl_reproduction_point_options(5, 0.25), .seed = asked->seed};
    dimensions d;
    int simulated;
    if (run.problem == NULL) return wl_fail(WL_NO_MACHINE, "%s: this program has no problem sw", which->name);
    wl_status status = wl_reproduction_devices(asked, 2, &run.devices, &simulated);
    if (status == WL_OK) status = wl_reproduction_try(asked, which);
    if (status == WL_OK) status = read_papers(&run, &d);
    if (status == WL_OK) {
        wl_reproduction_machine(&run.devices, run.machine, sizeof run.machine);
        status = measure(asked, &run, &d);
    }
    if (status == WL_OK && (simulated || run.devices.count > 1)) // --device cpu alone asks for no stages
        status = count_traffic(asked, &run);
    if (status == WL_OK) status = show(asked, which, &run);
    if (status == WL_OK) status = verdict(&run);
    wl_traffic_free(&run.traffic);
    wl_result_file_free(&run.figure);
    wl_result_file_free(&run.limits);
    free(run.points);
    return status;
}

static wl_reproduction paper = {
    .name = "ligowski2009",
    .summary = "Ligowski & Rudnicki 2009, Figure 4: Smith-Waterman, cell updates per second over the query's length",
    .run = reproduce,
};

WL_REGISTER_REPRODUCTION(paper)
