/* What a search leaves in files: likelihoods of columns, a tree, and models. */
#include "tools/likelihood/optimize/search.h"

static size_t width_of(const peeling_likelihood *l) { return l->columns.alphabet == PEELING_CODONS ? 3 : 1; }

/* Where letter i of a part's columns, from 0, is in the alignment, from 1. */
static size_t place_of(const peeling_search *s, size_t p, size_t i) {
    const peeling_likelihood *l = &s->parts[p];
    const size_t width = width_of(l), place = width * (l->column ? l->column[i / width] : i / width) + i % width;
    return (s->partitions->count > 0 ? s->partitions->items[p].column[place] : place) + 1;
}

/* Columns that are not in the alignment follow it. */
static void write_columns(FILE *stream, const peeling_search *s, size_t p) {
    const peeling_likelihood *l = &s->parts[p];
    const uint32_t present = l->columns.columns - l->columns.constants;
    uint64_t added = present;
    for (uint32_t c = 0; c < l->columns.columns; c++)
        for (uint64_t k = peeling_columns_repeats(&l->columns, c); k-- > 0;) {
            const double site = l->site[l->columns.pattern_of[c]];
            const uint64_t number = s->partitions->count > 0 ? place_of(s, p, width_of(l) * c)
                                                             : (place_of(s, p, width_of(l) * c) - 1) / width_of(l) + 1;
            if (s->request->all_trees)
                fprintf(stream, " %.10f", site);
            else
                fprintf(stream, "%llu\t%.17g\n", (unsigned long long)(c < present ? number : ++added), site);
        }
}

void peeling_search_write_sites(FILE *stream, const peeling_search *s) {
    const int all = s->request->all_trees;
    if (all && s->tree == 1) fprintf(stream, "%zu %llu\n", s->trees, (unsigned long long)peeling_search_columns(s));
    if (all) fprintf(stream, "tree%zu", s->tree);
    if (!all) fputs("column\tlog_likelihood\n", stream);
    for (size_t p = 0; p < s->count; p++) write_columns(stream, s, p);
    if (all) putc('\n', stream);
}

/* Lengths of the tree, of which each part's are a multiple. */
void peeling_search_write_tree(FILE *stream, const peeling_search *s) {
    peeling_tree *tree = &s->parts[0].tree;
    for (uint32_t v = 0; v < tree->nodes; v++) tree->length[v] /= s->scale[0];
    peeling_tree_write(stream, tree, (const char *const *)s->parts[0].names);
    for (uint32_t v = 0; v < tree->nodes; v++) tree->length[v] *= s->scale[0];
}

/* "1-100, 200-300\3", whatever the file said: other programs know neither '.' nor a charset that is no partition. */
static void write_ranges(FILE *stream, const peeling_search *s, size_t p, const char *between) {
    const peeling_columns *columns = &s->parts[p].columns;
    const size_t letters = width_of(&s->parts[p]) * (size_t)(columns->columns - columns->constants);
    for (size_t first = 0, last; first < letters; first = last + 1) {
        const size_t begin = place_of(s, p, first), left = letters - first;
        const size_t next = left > 1 ? place_of(s, p, first + 1) : 0, step = next > begin ? next - begin : 1;
        size_t count = 1;
        while (count < left && place_of(s, p, first + count) == begin + count * step) count++;
        if (count == 2 && step > 1) count = 1;
        last = first + count - 1;
        fprintf(stream, "%s%zu", first > 0 ? between : "", begin);
        if (count > 1) fprintf(stream, "-%zu", place_of(s, p, last));
        if (count > 1 && step > 1) fprintf(stream, "\\%zu", step);
    }
}

/* NCBI's number of a genetic code, which models do not have. */
static void write_code(FILE *stream, const peeling_settings *settings) {
    const int number = peeling_code_number(settings->code);
    if (peeling_alphabet_of(settings->kind) == PEELING_CODONS && number != 1) fprintf(stream, "CODON%d, ", number);
}

/* IQ-TREE has medians for all partitions or for none: here they are rates. */
static peeling_settings without_medians(const peeling_settings *settings) {
    peeling_settings made = *settings;
    if (!made.median || made.free_rates || made.rates < 2) return made;
    peeling_gamma_rates(made.alpha, made.rates, 1, made.rate);
    for (int r = 0; r < made.rates; r++) made.share[r] = 1.0 / made.rates;
    made.free_rates = 1;
    return made;
}

static void write_raxml(FILE *stream, const peeling_search *s) {
    char model[PEELING_LINE];
    for (size_t p = 0; p < s->count; p++) {
        const peeling_settings *settings = &s->parts[p].settings;
        fputs(peeling_model_line(settings, PEELING_LINE_RAXML, model, sizeof model), stream);
        if (s->scaled) fprintf(stream, "+BU{%.17g}", s->scale[p]);
        fprintf(stream, ", %s = ", peeling_search_name(s, p));
        write_code(stream, settings);
        write_ranges(stream, s, p, ", ");
        putc('\n', stream);
    }
}

void peeling_search_write_models(FILE *stream, const peeling_search *s, peeling_line_style style) {
    char model[PEELING_LINE];
    if (style == PEELING_LINE_RAXML) {
        write_raxml(stream, s);
        return;
    }
    fputs("#NEXUS\nbegin sets;\n", stream);
    for (size_t p = 0; p < s->count; p++) {
        fprintf(stream, "  charset %s = ", peeling_search_name(s, p));
        write_code(stream, &s->parts[p].settings);
        write_ranges(stream, s, p, " ");
        fputs(";\n", stream);
    }
    fputs("  charpartition optimised =\n", stream);
    for (size_t p = 0; p < s->count; p++) {
        const peeling_settings settings = without_medians(&s->parts[p].settings);
        fprintf(stream, "    %s: %s{%.17g}%s\n",
                peeling_model_line(&settings, PEELING_LINE_IQTREE, model, sizeof model), peeling_search_name(s, p),
                peeling_tree_length(&s->parts[p].tree), p + 1 < s->count ? "," : ";");
    }
    fputs("end;\n", stream);
}
