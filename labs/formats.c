/* Results for people and for platforms. */
#include <math.h>
#include <string.h>

#include "harness/base/json.h"
#include "harness/base/text.h"
#include "labs/record.h"

static const char CHANGED[] = "changes outside of BEGIN YOUR CODE and END YOUR CODE do not count";

void wl_lab_put_measure(FILE *out, const wl_lab_test *test, const char *unit, const char *quote) {
    fprintf(out, "%s%s%s", quote, wl_lab_counter_name(test->counter), quote);
    if (test->per == WL_LAB_PER_WORK) fprintf(out, " per %.*s", (int)strlen(unit) - 1, unit); // one of them
    if (test->per >= 0) fprintf(out, " per %s%s%s", quote, wl_lab_counter_name(test->per), quote);
}

/* ---- a terminal ---- */

void wl_lab_tame(char *text) { wl_text_calm(text, strlen(text), "\n\t", '?'); }

static void indented(FILE *out, const char *text) {
    for (int begins = 1; *text; text++) {
        if (begins && *text != '\n') fputs("      ", out);
        begins = *text == '\n';
        fputc(*text, out);
    }
    fputc('\n', out);
}

/* The lab's or our own hint for the kind of mistake, and the test's for those that it is about. */
static void print_hints(FILE *out, const wl_lab *lab, wl_lab_mistake kind, const char *of_test) {
    const char *of_kind = lab->hints[kind] ? lab->hints[kind] : wl_lab_mistake_hint(kind);
    const char *hint = of_kind ? of_kind : kind >= WL_LAB_NOTHING ? of_test : NULL;
    if (hint) fprintf(out, "      Hint: %s\n", hint);
}

void wl_lab_print(FILE *out, const wl_lab_result *result) {
    const wl_lab *lab = result->lab;
    size_t missing = 0;
    if (result->failed) {
        fprintf(out, "Nothing was tested: %s\n", result->failed);
        print_hints(out, lab, result->mistake, NULL);
        fprintf(out, "%s: 0 of %g points\n", lab->title, wl_lab_points(lab));
        return;
    }
    for (size_t i = 0; i < lab->count; i++) {
        const wl_lab_test *t = &lab->tests[i];
        const wl_lab_verdict *v = &result->tests[i];
        const int is_partial = v->state == WL_LAB_PASSED && v->mistake != WL_LAB_NO_MISTAKE;
        fprintf(out, "  %-11s  %s (", is_partial ? "partly" : wl_lab_state_name(v->state), t->name);
        if (t->condition) fputs(t->points > 0 ? "a condition, " : "a condition", out);
        if (is_partial) fprintf(out, "%g of ", v->points);
        if (t->points > 0 || !t->condition) fprintf(out, "%g points", t->points);
        fprintf(out, ")%s%s\n", v->state == WL_LAB_HELD_BACK && v->output ? ": " : "",
                v->state == WL_LAB_HELD_BACK && v->output ? v->output : "");
        if (v->mistake == WL_LAB_NO_MISTAKE || missing++ > 0) continue; // one thing after the other
        if (v->output && *v->output) indented(out, v->output);
        print_hints(out, lab, v->mistake, t->hint);
    }
    if (result->changed) fprintf(out, "      Note: %s\n", CHANGED);
    fprintf(out, "%s: %g of %g points\n", lab->title, result->score, wl_lab_points(lab));
}

/* ---- JSON ---- */

static int is_whole(const wl_lab_verdict *v) { return v->state == WL_LAB_PASSED && v->mistake == WL_LAB_NO_MISTAKE; }

/* A test's output, or why it was not run. */
static const char *output_of(const wl_lab_result *result, size_t test) {
    const wl_lab_verdict *v = &result->tests[test];
    if (result->failed) return result->failed;
    if (v->state == WL_LAB_NOT_REACHED) return "not reached: the program had to be ended before";
    return v->output ? v->output : "";
}

static const char *visibility(const wl_lab_test *t) { return t->hidden ? "after_published" : "visible"; }

static void gradescope_test(FILE *out, const wl_lab_result *result, size_t i) {
    const wl_lab_test *t = &result->lab->tests[i];
    fprintf(out, "%s    {\"score\": %g, \"max_score\": %g, \"number\": \"%zu\", ", i ? ",\n" : "",
            result->tests[i].points, t->points, i + 1);
    wl_put_text(out, "\"name\": ", t->name);
    wl_put_text(out, ", \"output\": ", output_of(result, i));
    wl_put_text(out, ", \"tags\": [", t->id);
    fprintf(out, "], \"status\": \"%s\", \"visibility\": \"%s\"}", is_whole(&result->tests[i]) ? "passed" : "failed",
            visibility(t));
}

void wl_lab_gradescope(FILE *out, const wl_lab_result *result) {
    const wl_lab *lab = result->lab;
    size_t ranked = 0;
    fprintf(out, "{\n  \"score\": %g,\n  \"execution_time\": %.2f,\n", result->score, result->seconds);
    wl_put_text(out, "  \"output\": ", result->failed ? result->failed : result->changed ? CHANGED : lab->title);
    fprintf(out, ",\n  \"visibility\": \"visible\",\n  \"stdout_visibility\": \"hidden\",\n");
    wl_put_text(out, "  \"extra_data\": {\"lab\": ", lab->name);
    fprintf(out, ", \"seed\": \"%llu\"},\n  \"tests\": [\n", (unsigned long long)lab->seed);
    for (size_t i = 0; i < lab->count; i++) gradescope_test(out, result, i);
    fprintf(out, "\n  ],\n  \"leaderboard\": [");
    for (size_t i = 0; i < lab->count; i++) {
        if (!isfinite(result->tests[i].value)) continue;
        wl_put_text(out, ranked++ ? ", {\"name\": " : "{\"name\": ", lab->tests[i].name);
        fprintf(out, ", \"value\": %.4g, \"order\": \"asc\"}", result->tests[i].value);
    }
    fprintf(out, "]\n}\n");
}

void wl_lab_classroom50(FILE *out, const wl_lab_result *result) {
    const wl_lab *lab = result->lab;
    fprintf(out, "{\n  \"schema\": \"classroom50/result/v1\",\n");
    fprintf(out, "  \"score\": %g,\n  \"max-score\": %g,\n  \"tests\": [\n", result->score, wl_lab_points(lab));
    for (size_t i = 0; i < lab->count; i++) {
        wl_put_text(out, i ? ",\n    {\"test-name\": " : "    {\"test-name\": ", lab->tests[i].name);
        fprintf(out, ", \"passed\": %s, \"score\": %g, \"max-score\": %g, ",
                is_whole(&result->tests[i]) ? "true" : "false", result->tests[i].points, lab->tests[i].points);
        wl_put_text(out, "\"output\": ", lab->tests[i].hidden ? "" : output_of(result, i));
        fputs("}", out);
    }
    fprintf(out, "\n  ]\n}\n");
}

/* ---- XML ---- */

static void xml_text(FILE *out, const char *text) {
    size_t length;
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '<')
            fputs("&lt;", out);
        else if (c == '>')
            fputs("&gt;", out);
        else if (c == '&')
            fputs("&amp;", out);
        else if (c == '"')
            fputs("&quot;", out);
        else if (c == '\n')
            fputs("&#10;", out);
        else if (c >= 0x80 && wl_control_length((const unsigned char *)text) == 0 &&
                 (length = wl_utf8_length((const unsigned char *)text)) > 0)
            fwrite(text, 1, length, out), text += length - 1;
        else if ((c >= ' ' && c < 0x7F) || c == '\t')
            fputc(c, out);
        else
            fputc('?', out);
    }
}

void wl_lab_junit(FILE *out, const wl_lab_result *result) {
    const wl_lab *lab = result->lab;
    size_t failures = 0;
    for (size_t i = 0; i < lab->count; i++) failures += !is_whole(&result->tests[i]);
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" "
            "time=\"%.2f\">\n",
            lab->name, lab->count, failures, result->seconds);
    for (size_t i = 0; i < lab->count; i++) {
        fprintf(out, "  <testcase classname=\"%s\" name=\"", lab->name);
        xml_text(out, lab->tests[i].name);
        if (is_whole(&result->tests[i])) {
            fputs("\"/>\n", out);
            continue;
        }
        fputs("\"><failure message=\"", out);
        xml_text(out, output_of(result, i));
        fputs("\"/></testcase>\n", out);
    }
    fputs("</testsuite>\n", out);
}

/* ---- a class ---- */

void wl_lab_line(FILE *out, const char *student, const wl_lab_result *result) {
    const wl_lab *lab = result->lab;
    char why[WL_LAB_REASON];
    fprintf(out, "%s%s\t%s\t%g\t%g\t%.2f\t%s", wl_is_formula(student) ? "'" : "", student, lab->name, result->score,
            wl_lab_points(lab), result->seconds, wl_lab_first_reason(result, why));
    for (size_t i = 0; i < lab->count; i++)
        fprintf(out, "\t%s=%g/%g %s", lab->tests[i].id, result->tests[i].points, lab->tests[i].points,
                is_whole(&result->tests[i]) && !result->failed ? "ok" : wl_lab_reason(result, i, why));
    fputc('\n', out);
}
