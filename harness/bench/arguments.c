/* The values of options, by name. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench/problem.h"
#include "harness/base/text.h"

static size_t index_of(const wl_arguments *arguments, const char *name) {
    for (size_t i = 0; i < arguments->count; i++)
        if (strcmp(arguments->options[i].name, name) == 0) return i;
    fprintf(stderr, "warpladder: the program asks for an option it does not have: --%s\n", name);
    abort();
}

const char *wl_argument(const wl_arguments *arguments, const char *name) {
    size_t i = index_of(arguments, name);
    return arguments->values[i] ? arguments->values[i] : arguments->options[i].default_value;
}

int wl_argument_given(const wl_arguments *arguments, const char *name) {
    return arguments->values[index_of(arguments, name)] != NULL;
}

wl_status wl_argument_integer(const wl_arguments *arguments, const char *name, int64_t low, int64_t high,
                              int64_t *value) {
    const char *text = wl_argument(arguments, name);
    if (!text)
        return wl_fail(WL_BAD_USAGE, "option --%s is missing; expected a whole number from %lld to %lld", name,
                       (long long)low, (long long)high);
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    /* strtoll skips leading white space; an option's value has none. */
    if (!(isdigit((unsigned char)text[0]) || text[0] == '-' || text[0] == '+') || end == text || *end)
        return wl_fail(WL_BAD_USAGE, "option --%s: '%.80s' is no whole number; expected one from %lld to %lld", name,
                       text, (long long)low, (long long)high);
    if (errno == ERANGE || number < low || number > high)
        return wl_fail(WL_BAD_USAGE, "option --%s: %.80s is out of range; expected a whole number from %lld to %lld",
                       name, text, (long long)low, (long long)high);
    *value = number;
    return WL_OK;
}

wl_status wl_argument_number(const wl_arguments *arguments, const char *name, double low, double high, double *value) {
    const char *text = wl_argument(arguments, name);
    const char *end = "";
    const double number = text == NULL               ? (double)NAN
                          : strcmp(text, "inf") == 0 ? (double)INFINITY
                                                     : wl_decimal(text, &end);
    if (*end || !(number >= low && number <= high)) // NaN fails
        return wl_fail(WL_BAD_USAGE, "option --%s: found '%.80s'; expected a number from %g to %g", name,
                       text ? text : "", low, high);
    *value = number;
    return WL_OK;
}

wl_status wl_argument_bytes(const wl_arguments *arguments, const char *name, size_t *bytes) {
    const char *text = wl_argument(arguments, name), *suffixes = "KMG", *suffix;
    if (text == NULL) return WL_OK;
    const char *end;
    double number = wl_decimal(text, &end);
    if (number > 0 && *end && (suffix = strchr(suffixes, toupper((unsigned char)*end))) != NULL) {
        number *= exp2(10.0 * (double)(suffix - suffixes + 1));
        end++;
    }
    if (!(number >= 1 && number < 0x1p60) || *end || *text == '+')
        return wl_fail(WL_BAD_USAGE, "option --%s: found '%.80s'; expected bytes, as in 500M or 4G", name, text);
    *bytes = (size_t)number;
    return WL_OK;
}

wl_status wl_argument_seed(const char *text, uint64_t *seed) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end || errno == ERANGE)
        return wl_fail(WL_BAD_USAGE, "option --seed: found '%.80s'; expected a whole number from 0 to %llu", text,
                       (unsigned long long)UINT64_MAX);
    *seed = value;
    return WL_OK;
}

wl_status wl_argument_choice(const wl_arguments *arguments, const char *name, int *place) {
    const char *argument = arguments->options[index_of(arguments, name)].argument;
    const char *colon = argument ? strchr(argument, ':') : NULL;
    if (colon) return wl_argument_choice_of(arguments, name, colon + 1, place);
    fprintf(stderr, "warpladder: the program asks for a choice where the option's row lists none: --%s\n", name);
    abort();
}

wl_status wl_argument_choice_of(const wl_arguments *arguments, const char *name, const char *words, int *place) {
    const char *text = wl_argument(arguments, name);
    char known[320] = "";
    size_t used = 0;
    *place = 0;
    for (const char *word = words; *word; ++*place) {
        const size_t length = strcspn(word, " ");
        if (strlen(text) == length && strncmp(text, word, length) == 0) return WL_OK;
        const char *between = word == words ? "" : word[length] ? ", " : " or ";
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%.*s", between, (int)length, word);
        if (used >= sizeof known) used = sizeof known - 1; // the rest is cut off
        word += length + (word[length] != 0);
    }
    return wl_fail(WL_BAD_USAGE, "option --%s: found '%.40s'; expected %s", name, text, known);
}

wl_status wl_argument_refuse_without(const wl_arguments *arguments, const char *option, const char *other) {
    if (!wl_argument_given(arguments, option) || wl_argument_given(arguments, other)) return WL_OK;
    return wl_fail(WL_BAD_USAGE, "option --%s: found without --%s; expected both", option, other);
}

wl_status wl_argument_refuse_both(const wl_arguments *arguments, const char *option, const char *other) {
    if (!wl_argument_given(arguments, option) || !wl_argument_given(arguments, other)) return WL_OK;
    return wl_fail(WL_BAD_USAGE, "options --%s, --%s: found both; expected one of them", option, other);
}

wl_status wl_argument_list(const wl_arguments *arguments, const char *name, uint32_t high, size_t most,
                           const char *example, uint32_t *values, size_t *count) {
    *count = 0;
    for (const char *at = wl_argument(arguments, name);; at++) {
        char *end;
        unsigned long long value = *at >= '0' && *at <= '9' ? strtoull(at, &end, 10) : 0;
        if (value < 1 || value > high || (*end != ',' && *end))
            return wl_fail(WL_BAD_USAGE, "option --%s: found '%.60s'; expected lengths from 1 to %u, as %s", name, at,
                           high, example);
        if (*count == most)
            return wl_fail(WL_BAD_USAGE, "option --%s: found more than %zu; expected at most so many", name, most);
        values[(*count)++] = (uint32_t)value;
        if (*end == 0) return WL_OK;
        at = end;
    }
}

wl_status wl_arguments_parse(const wl_option *options, const char *text, wl_arguments *parsed) {
    size_t count = 0;
    while (options[count].name) count++;
    const char **values = calloc((count + 1) * sizeof *values + strlen(text) + 1, 1); // the text follows them
    if (!values) return wl_fail(WL_NO_MACHINE, "no memory for the options");
    char *words = strcpy((char *)(values + count + 1), text), *rest = NULL;
    for (char *word = strtok_r(words, " =", &rest); word; word = strtok_r(NULL, " =", &rest)) {
        size_t i = 0;
        while (i < count && (strncmp(word, "--", 2) != 0 || strcmp(word + 2, options[i].name) != 0)) i++;
        char *value = i < count && options[i].argument ? strtok_r(NULL, " =", &rest) : "";
        if (i == count || !value) {
            free(values);
            return wl_fail(WL_BAD_USAGE, "'%s' cannot be read as options", text);
        }
        values[i] = value;
    }
    *parsed = (wl_arguments){options, values, count};
    return WL_OK;
}

wl_status wl_arguments_small(const wl_arguments *given, const char *small, wl_arguments *parsed) {
    for (size_t i = 0; i < given->count; i++) {
        const char *argument = given->options[i].argument;
        if (given->values[i] != NULL && argument != NULL && strcmp(argument, "FILE") == 0) small = NULL;
    }
    WL_TRY(wl_arguments_parse(given->options, small == NULL ? "" : small, parsed));
    for (size_t i = 0; i < given->count; i++)
        if (given->values[i] != NULL) parsed->values[i] = given->values[i];
    return WL_OK;
}

wl_status wl_input_count(const wl_problem *problem, const wl_arguments *arguments, size_t *count) {
    *count = 1;
    return problem->input_count ? problem->input_count(arguments, count) : WL_OK;
}
