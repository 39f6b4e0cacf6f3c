#include "harness/bench/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/memory.h"
#include "harness/base/text.h"

static wl_status no_memory(void) { return wl_fail(WL_NO_MACHINE, "no memory for the values of an option"); }

static void free_values(wl_axis *axis) {
    for (size_t i = 0; i < axis->count; i++) free(axis->values[i]);
    free(axis->values);
    *axis = (wl_axis){0};
}

static wl_status add_value(wl_axis *axis, const char *text, size_t length) {
    if (!WL_GROW(axis->values, axis->count, 1)) return no_memory();
    axis->values[axis->count] = strndup(text, length);
    return axis->values[axis->count] == NULL ? no_memory() : (axis->count++, WL_OK);
}

/* --- Ranges ------------------------------------------------------------------------------------------------------ */

static int number(const char **at, double *value) {
    const char *end;
    *value = wl_decimal(*at, &end);
    if (end == *at || !isfinite(*value)) return 0;
    *at = end;
    return 1;
}

typedef struct {
    double from, to, by;
    char kind; // 'x': by is a factor; '+': a step; 0: how many values
} range;

static int read_range(const char *text, range *r) {
    const char *at = text;
    if (!number(&at, &r->from) || *at++ != ':' || !number(&at, &r->to) || *at++ != ':') return 0;
    r->kind = *at == 'x' || *at == '+' ? *at++ : 0;
    return number(&at, &r->by) && *at == 0;
}

/* Value number `i`, from its place, so that no rounding adds up. */
static double value_of(const range *r, size_t i) {
    const double step = r->kind ? r->by : (r->to - r->from) / (r->by - 1);
    const double x = r->kind == 'x' ? r->from * pow(r->by, (double)i) : r->from + step * (double)i;
    return r->kind == 0 && r->from == floor(r->from) && r->to == floor(r->to) ? round(x) : x;
}

static wl_status spread(const range *r, const char *text, wl_axis *axis) {
    const int grows = r->kind == 'x'   ? r->from > 0 && r->by > 1
                      : r->kind == '+' ? r->by > 0
                                       : r->by >= 2 && r->by == floor(r->by) && r->to > r->from;
    const double limit = r->to + 1e-9 * fabs(r->to); // the end counts as reached within a rounding
    char value[32];
    if (!grows || r->to < r->from)
        return wl_fail(WL_BAD_USAGE,
                       "option --%s: found the range '%.60s'; expected FROM:TO:N with N from 2 on, FROM:TO:+STEP with "
                       "a step above 0, or FROM:TO:xFACTOR with a factor above 1",
                       axis->name, text);
    for (size_t i = 0; value_of(r, i) <= limit && (r->kind || (double)i < r->by); i++) {
        const double x = value_of(r, i);
        if (i == WL_SWEEP_MOST)
            return wl_fail(WL_BAD_USAGE, "option --%s: found a range of more than %d values; expected at most so many",
                           axis->name, WL_SWEEP_MOST);
        if (i > 0 && x == value_of(r, i - 1)) continue; // rounded to the same
        snprintf(value, sizeof value, fabs(x) >= 1e9 && x == floor(x) ? "%.0f" : "%.10g", x);
        WL_TRY(add_value(axis, value, strlen(value)));
    }
    return WL_OK;
}

/* --- Lists ------------------------------------------------------------------------------------------------------- */

static int is_list(const wl_option *option, const char *text, int *is_number) {
    const int has_words = strchr(option->argument, ':') != NULL;
    if (strchr(text, ',') == NULL || strchr(option->argument, ',') != NULL || strpbrk(text, "{}") != NULL) return 0;
    *is_number = 1;
    for (const char *at = text;; at++) {
        double value;
        const char *end = at;
        if (!number(&end, &value) || (*end && *end != ',')) *is_number = 0;
        at += strcspn(at, ",");
        if (*at == 0) break;
    }
    return *is_number || has_words;
}

static wl_status split(const char *text, wl_axis *axis) {
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        if (length == 0)
            return wl_fail(WL_BAD_USAGE, "option --%s: found '%.60s'; expected values with one ',' between them",
                           axis->name, text);
        WL_TRY(add_value(axis, at, length));
        at += length;
        if (*at == 0) return WL_OK;
    }
}

/* --- The sweep --------------------------------------------------------------------------------------------------- */

static wl_status find_axis(const wl_arguments *given, size_t option, wl_axis *axis) {
    const wl_option *o = &given->options[option];
    const char *text = given->values[option];
    range r;
    *axis = (wl_axis){.name = o->name, .option = option, .is_number = 1};
    /* A file's name may look like anything. */
    if (text == NULL || o->argument == NULL || strstr(o->argument, "FILE") != NULL ||
        strstr(o->argument, "DIR") != NULL)
        return WL_OK;
    if (read_range(text, &r)) return spread(&r, text, axis);
    return is_list(o, text, &axis->is_number) ? split(text, axis) : WL_OK;
}

wl_status wl_sweep_begin(const wl_arguments *given, wl_sweep *sweep) {
    *sweep = (wl_sweep){.points = 1, .point = *given};
    sweep->point.values = malloc((given->count + 1) * sizeof *sweep->point.values);
    if (sweep->point.values == NULL) return no_memory();
    if (given->count > 0) memcpy(sweep->point.values, given->values, given->count * sizeof *given->values);
    for (size_t i = 0; i < given->count; i++) {
        wl_axis axis;
        const wl_status status = find_axis(given, i, &axis);
        if (status == WL_OK && axis.count > 0 && sweep->count < WL_AXES_MOST) {
            sweep->axes[sweep->count++] = axis;
            sweep->points *= axis.count;
            if (sweep->points <= WL_SWEEP_MOST) continue;
            return wl_fail(WL_BAD_USAGE, "found at least %zu combinations of the options' values; expected at most %d",
                           sweep->points, WL_SWEEP_MOST);
        }
        const size_t found = axis.count;
        free_values(&axis);
        WL_TRY(status);
        if (found > 0)
            return wl_fail(WL_BAD_USAGE, "option --%s: found one more option of several values; expected at most %d",
                           given->options[i].name, WL_AXES_MOST);
    }
    return WL_OK;
}

int wl_sweep_next(wl_sweep *sweep) {
    if (sweep->at == sweep->points) return 0;
    for (size_t rest = sweep->at, k = sweep->count; k-- > 0; rest /= sweep->axes[k].count) {
        wl_axis *axis = &sweep->axes[k];
        axis->at = rest % axis->count;
        sweep->point.values[axis->option] = axis->values[axis->at];
    }
    sweep->at++;
    return 1;
}

void wl_sweep_label(const wl_sweep *sweep, wl_row *row) {
    row->axis_count = sweep->count;
    for (size_t k = 0; k < sweep->count; k++) {
        const wl_axis *axis = &sweep->axes[k];
        wl_axis_value *value = &row->axes[k];
        value->is_number = axis->is_number;
        snprintf(value->text, sizeof value->text, "%s", axis->values[axis->at]);
        snprintf(value->name, sizeof value->name, "%s", axis->name);
        for (char *at = value->name; *at; at++)
            if (*at == '-') *at = '_';
    }
}

void wl_sweep_free(wl_sweep *sweep) {
    for (size_t k = 0; k < sweep->count; k++) free_values(&sweep->axes[k]);
    free(sweep->point.values);
    *sweep = (wl_sweep){0};
}
