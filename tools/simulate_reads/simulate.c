#include "tools/simulate_reads/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "papara/problem.h"
#include "tools/simulate_reads/evolve.h"

enum { NAME_MOST = 16, READ_STREAMS = 1 };

static wl_status check(const papara_recipe *r) {
    if (r->taxa < 3) return wl_fail(WL_BAD_USAGE, "found %u taxa to simulate; expected at least 3", r->taxa);
    if (r->taxa > INT32_MAX / 2)
        return wl_fail(WL_BAD_USAGE, "found %u taxa to simulate; expected at most %d", r->taxa, INT32_MAX / 2);
    if (r->sites < 1 || r->sites > PAPARA_SITES_MOST)
        return wl_fail(WL_BAD_USAGE, "found %u sites to simulate; expected 1 to %u", r->sites, PAPARA_SITES_MOST);
    uint32_t most = r->sites < PAPARA_READ_MOST ? r->sites : PAPARA_READ_MOST;
    if (r->shortest < 1 || r->shortest > r->longest || r->longest > most)
        return wl_fail(WL_BAD_USAGE, "found reads of %u to %u letters to simulate; expected lengths from 1 to %u",
                       r->shortest, r->longest, most);
    const struct {
        const char *what;
        double value, most;
    } numbers[] = {{"depth", r->depth, 100},
                   {"indels a substitution", r->indels, 100},
                   {"error rate", r->error, 1},
                   {"rate of lost and gained letters", r->indel_error, 1}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(numbers[i].value >= 0 && numbers[i].value <= numbers[i].most))
            return wl_fail(WL_BAD_USAGE, "found %g as the %s of a simulation; expected 0 to %g", numbers[i].value,
                           numbers[i].what, numbers[i].most);
    return WL_OK;
}

/* --- Memory ------------------------------------------------------------------------------------------------------ */

/* count texts of `size` characters each, in one block. NULL: no memory. */
static char **texts(uint32_t count, size_t size) {
    char **text = malloc((count + (size_t)1) * sizeof *text);
    char *block = calloc(count + (size_t)1, size);
    if (text == NULL || block == NULL) {
        WL_FREE(text, block);
        return NULL;
    }
    for (uint32_t t = 0; t <= count; t++) text[t] = block + t * size; // [count] too: text[0] is there for free
    return text;
}

static void free_texts(char **text) {
    if (text) free(text[0]);
    free(text);
}

void papara_simulated_free(papara_simulated *s) {
    free(s->newick);
    free_texts(s->name);
    free_texts(s->row);
    free_texts(s->read_name);
    free_texts(s->read);
    free(s->source);
    if (s->column) free(s->column[0]);
    free(s->column);
    *s = (papara_simulated){0};
}

static int digits(uint32_t number) { return snprintf(NULL, 0, "%u", number); }

static wl_status allocate(const papara_recipe *r, papara_simulated *s) {
    const size_t reads = r->reads + (size_t)1; // room for one more, so that nothing has no size
    *s = (papara_simulated){.taxa = r->taxa, .sites = r->sites, .reads = r->reads};
    size_t since = 0;
    double bytes = (double)r->taxa * (r->sites + 100.) + (double)reads * (5. * r->longest + 100);
    if (bytes < 0x1p62 && wl_memory_room(&since, (size_t)bytes)) {
        s->name = texts(r->taxa, NAME_MOST);
        s->row = texts(r->taxa, (size_t)r->sites + 1);
        s->read_name = texts(r->reads, NAME_MOST);
        s->read = texts(r->reads, (size_t)r->longest + 1);
        s->source = malloc(reads * sizeof *s->source);
        s->column = calloc(reads, sizeof *s->column);
        if (s->column) s->column[0] = malloc(reads * r->longest * sizeof **s->column);
    }
    if (!s->name || !s->row || !s->read_name || !s->read || !s->source || !s->column || !s->column[0])
        return wl_fail(WL_NO_MACHINE, "not enough memory to simulate %u taxa of %u sites and %u reads", r->taxa,
                       r->sites, r->reads);
    for (uint32_t q = 1; q < r->reads; q++) s->column[q] = s->column[0] + (size_t)q * r->longest;
    for (uint32_t t = 0; t < r->taxa; t++) snprintf(s->name[t], NAME_MOST, "t%0*u", digits(r->taxa), t + 1);
    for (uint32_t q = 0; q < r->reads; q++) snprintf(s->read_name[q], NAME_MOST, "r%0*u", digits(r->reads), q + 1);
    return WL_OK;
}

/* --- Reads ------------------------------------------------------------------------------------------------------- */

/* A read of `length` letters from a random place of a row whose letters are in the columns where [count]. A letter is lost only if enough
   are left for the length. */
static void cut(const papara_recipe *recipe, wl_random *random, const char *row, const uint32_t *where, uint32_t count,
                uint32_t length, char *read, int32_t *column) {
    uint32_t next = wl_random_below(random, count - length + 1);
    for (uint32_t k = 0; k < length; k++) {
        double u = wl_random_unit(random);
        if (k > 0 && u < recipe->indel_error / 2) { // an added letter
            read[k] = (char)papara_simulated_letter(recipe->alphabet, random);
            column[k] = -1;
            continue;
        }
        if (u >= recipe->indel_error / 2 && u < recipe->indel_error && count - next > length - k)
            next++; // a lost letter
        char letter = row[where[next]];
        if (wl_random_unit(random) < recipe->error)
            letter = papara_substituted_letter(recipe->alphabet, letter, random);
        read[k] = letter;
        column[k] = (int32_t)where[next++];
    }
}

/* Each read has a random stream of its own, so the order of the threads does not matter. */
static wl_status cut_reads(const papara_recipe *recipe, papara_simulated *s) {
    int failed = 0;
#pragma omp parallel reduction(| : failed)
    {
        uint32_t *where = malloc(recipe->sites * sizeof *where);
        failed = where == NULL;
#pragma omp for schedule(static)
        for (uint32_t q = 0; q < recipe->reads; q++) {
            if (where == NULL) continue;
            wl_random random = wl_random_stream(recipe->seed, ((uint64_t)READ_STREAMS << 40) + q);
            uint32_t length = recipe->shortest + wl_random_below(&random, recipe->longest - recipe->shortest + 1);
            s->source[q] = wl_random_below(&random, recipe->taxa);
            const char *row = s->row[s->source[q]];
            uint32_t count = 0;
            for (uint32_t c = 0; c < recipe->sites; c++) {
                where[count] = c;
                count += row[c] != '-';
            }
            cut(recipe, &random, row, where, count, length, s->read[q], s->column[q]);
        }
        free(where);
    }
    return failed ? wl_fail(WL_NO_MACHINE, "not enough memory to cut reads from %u sites", recipe->sites) : WL_OK;
}

wl_status papara_simulate(const papara_recipe *recipe, papara_simulated *simulated) {
    *simulated = (papara_simulated){0};
    wl_status status = check(recipe);
    if (status == WL_OK) status = allocate(recipe, simulated);
    if (status == WL_OK) status = papara_evolve(recipe, simulated->name, simulated->row, &simulated->newick);
    if (status == WL_OK) status = cut_reads(recipe, simulated);
    if (status != WL_OK) papara_simulated_free(simulated);
    return status;
}
