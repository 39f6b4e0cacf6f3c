/* Formats by name, and what is common to all of them. */
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "io/names.h"
#include "tools/search/report/internal.h"

static const char blanks[] = " \t,"; // a list with commas is a list, too

static int word_is(const char *word, size_t length, const char *name) {
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

static wl_status add_columns(const char *names, sw_report *report) {
    for (const char *word = names + strspn(names, blanks); *word; word += strspn(word, blanks)) {
        const sw_column *added[SW_COLUMNS_MOST];
        size_t length = strcspn(word, blanks), count = 1;
        if (word_is(word, length, "std"))
            count = sw_columns_standard(added);
        else if (strspn(word, "0123456789") == length)
            return wl_fail(WL_BAD_USAGE,
                           "option --format: found '%.*s'; expected one of BLAST's 0, 5, 6, 7, 10 and 17, or a name",
                           (int)(length < 40 ? length : 40), word);
        else if ((added[0] = sw_column_named(word, length)) == NULL) {
            char known[1024];
            sw_columns_known(known, sizeof known);
            return wl_fail(WL_BAD_USAGE,
                           "option --format: unknown column '%.*s'; expected pairwise, tabular, commented, csv, sam, "
                           "xml, json, or of:%s",
                           (int)(length < 40 ? length : 40), word, known);
        }
        if (report->column_count + count > SW_COLUMNS_MOST)
            return wl_fail(WL_BAD_USAGE, "option --format: more than %d columns; expected at most that many",
                           SW_COLUMNS_MOST);
        memcpy(report->columns + report->column_count, added, count * sizeof *added);
        report->column_count += count;
        word += length;
    }
    return WL_OK;
}

/* BLAST's delim=@ before the columns. */
static wl_status take_separator(const char **word, sw_report *report) {
    static const char lead[] = "delim=";
    if (strncmp(*word, lead, sizeof lead - 1) != 0) return WL_OK;
    const char *text = *word + sizeof lead - 1;
    const size_t length = strcspn(text, " \t"); // a comma may stand here
    if (length == 0 || length >= sizeof report->separator)
        return wl_fail(WL_BAD_USAGE, "option --format: found '%.40s'; expected delim= and one to %zu characters", *word,
                       sizeof report->separator - 1);
    memcpy(report->separator, text, length);
    report->separator[length] = '\0';
    *word = text + length;
    *word += strspn(*word, blanks);
    return WL_OK;
}

/* Formats that are no tables: whole alignments, and no columns to choose. */
static int shows_all(sw_format format) {
    return format == SW_PAIRWISE || format == SW_JSON || format == SW_SAM || format == SW_XML;
}

static wl_status parse(const char *text, sw_report *report) {
    static const struct {
        const char *name, *number; // NULL, or BLAST's
        sw_format format;
        const char *separator;
    } formats[] = {{"pairwise", "0", SW_PAIRWISE, ""},
                   {"tabular", "6", SW_TABULAR, "\t"},
                   {"commented", "7", SW_COMMENTED, "\t"},
                   {"csv", "10", SW_TABULAR, ","},
                   {"sam", "17", SW_SAM, ""},
                   {"json", NULL, SW_JSON, ""},
                   {"xml", "5", SW_XML, ""}};
    const char *word = text + strspn(text, blanks);
    const char *const name = word;
    const size_t length = strcspn(word, blanks);
    if (length == 0)
        return wl_fail(
            WL_BAD_USAGE,
            "option --format: is empty; expected pairwise, tabular, commented, csv, sam, xml, json, or columns");
    report->format = SW_TABULAR;
    strcpy(report->separator, "\t");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (word_is(word, length, formats[i].name) || (formats[i].number && word_is(word, length, formats[i].number))) {
            report->format = formats[i].format;
            strcpy(report->separator, formats[i].separator);
            word += length;
            word += strspn(word, blanks);
            break;
        }
    if (shows_all(report->format))
        return *word == '\0'
                   ? WL_OK
                   : wl_fail(WL_BAD_USAGE, "option --format: found '%.40s' after %.*s; expected nothing there", word,
                             (int)length, name);
    WL_TRY(take_separator(&word, report));
    return add_columns(*word ? word : "std", report);
}

/* NULL: no memory. */
static sw_report *make(const sw_scoring *scoring, const sw_statistics *statistics, const sw_database *database) {
    sw_report *made = calloc(1, sizeof *made);
    if (made == NULL) return NULL;
    made->scoring = scoring;
    made->statistics = *statistics;
    made->database = database;
    made->evalue = 10;
    return made;
}

wl_status sw_report_open(const char *text, FILE *stream, const sw_scoring *scoring, const sw_statistics *statistics,
                         const sw_database *database, sw_report **report) {
    sw_report *made = make(scoring, statistics, database);
    if (made == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a report");
    made->stream = stream;
    wl_status status = parse(text, made);
    if (status == WL_OK && made->format == SW_SAM && scoring->alphabet != SW_NUCLEOTIDE)
        status = wl_fail(WL_BAD_USAGE, "option --format: found sam with proteins; expected --nucleotide with it");
    if (status == WL_OK)
        *report = made;
    else
        free(made);
    return status;
}

void sw_report_set_evalue(sw_report *report, double evalue) { report->evalue = evalue; }

wl_status sw_report_take(sw_found_taker *take, void *context, int aligns, const sw_scoring *scoring,
                         const sw_statistics *statistics, const sw_database *database, sw_report **report) {
    sw_report *made = make(scoring, statistics, database);
    if (made == NULL) return wl_fail(WL_NO_MACHINE, "no memory for a report");
    made->format = SW_TAKEN;
    made->take = take;
    made->context = context;
    made->aligns = aligns;
    *report = made;
    return WL_OK;
}

int sw_report_aligns(const sw_report *report) {
    for (size_t i = 0; i < report->column_count; i++)
        if (report->columns[i]->aligns) return 1;
    return shows_all(report->format) || report->aligns;
}

wl_status sw_report_begin(sw_report *report) {
    if (report->format == SW_PAIRWISE) sw_pairwise_begin(report);
    if (report->format == SW_JSON) sw_json_begin(report);
    return report->format == SW_SAM ? sw_sam_begin(report) : WL_OK;
}

void sw_report_query(sw_report *report, const sw_found *found) {
    report->queries++;
    if (report->format == SW_TAKEN)
        report->take(report->context, report, found);
    else if (report->format == SW_PAIRWISE)
        sw_pairwise_query(report, found);
    else if (report->format == SW_JSON)
        sw_json_query(report, found);
    else if (report->format == SW_XML)
        sw_xml_query(report, found);
    else if (report->format == SW_SAM)
        sw_sam_query(report, found);
    else
        sw_table_query(report, found);
}

void sw_report_end(sw_report *report) {
    if (report->format == SW_PAIRWISE) sw_pairwise_end(report);
    if (report->format == SW_JSON) sw_json_end(report);
    if (report->format == SW_XML) sw_xml_end(report);
    if (report->format == SW_COMMENTED) sw_table_end(report);
}

static size_t show_renamed(const char *what, const sw_renamed *r, char *text, size_t used) {
    const struct {
        size_t count;
        const char *how;
    } all[] = {{r->replaced, "with '_' for what SAM does not allow"},
               {r->cut, "cut to 254 characters"},
               {r->numbered, "with a number, since another has the same"},
               {r->repeated, "the same as another's"}};
    const char *between = used > 0 ? "; " : "";
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].count == 0 || used >= SW_RENAMED_TEXT) continue;
        used += (size_t)snprintf(text + used, SW_RENAMED_TEXT - used, "%s%s%zu %s", between, what, all[i].count,
                                 all[i].how);
        between = ", ";
        what = "";
    }
    return used;
}

/* How many names another sequence before them has; 0 also without memory. */
static size_t count_repeated(const sw_report *report, const sw_owned_set *queries) {
    const size_t count = queries ? queries->set.count : report->database->set.count;
    wl_name *names = malloc(count * sizeof *names);
    size_t named = 0, again, first;
    for (size_t i = 0; names != NULL && i < count; i++) {
        const char *name = queries ? queries->name[i] : sw_database_name(report->database, i);
        if (*name) names[named++] = (wl_name){name, i};
    }
    wl_names_sort(names, named);
    const size_t repeated = wl_names_repeated(names, named, &again, &first);
    free(names);
    return repeated;
}

const char *sw_report_renamed(const sw_report *report, const sw_owned_set *queries, char text[SW_RENAMED_TEXT]) {
    sw_renamed references = report->references, reads = report->reads;
    *text = 0;
    if (report->format != SW_SAM && report->database->mapped == 0) references.repeated = count_repeated(report, NULL);
    reads.repeated = count_repeated(report, queries);
    show_renamed("names of queries: ", &reads, text, show_renamed("names of subjects: ", &references, text, 0));
    return text;
}

void sw_report_close(sw_report *report) { WL_FREE(report->repeated, report->at, report); }
