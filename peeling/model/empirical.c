/* Models of amino acids whose exchange rates were estimated from many alignments: those in data/, which are compiled in as texts, and
   users' own files in the same layout, which is PAML's. */
#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/base/text.h"
#include "peeling/model/internal.h"

enum { PAIRS = 190, NUMBERS = PAIRS + 20 };

/* 190 exchange rates and 20 frequencies, with blanks between them; '#' begins a comment, and what follows is not read: PAML's files end
   with their history. */
static wl_status parse(const char *name, const char *text, peeling_empirical *made) {
    double number[NUMBERS];
    int count = 0, line = 1;
    for (const char *at = text; count < NUMBERS;) {
        while (isspace((unsigned char)*at)) line += *at++ == '\n';
        if (*at == '#') {
            at += strcspn(at, "\n");
            continue;
        }
        char *end;
        const double value = strtod(at, &end);
        if (end == at || (*end && !isspace((unsigned char)*end)))
            return wl_fail(WL_BAD_INPUT,
                           "%s:%d: found '%.*s' after %d numbers; expected 190 exchange rates and 20 frequencies", name,
                           line, (int)(*at ? strcspn(at, " \t\r\n") : 0) % 40, at, count);
        if (!(value >= 0) || isinf(value))
            return wl_fail(WL_BAD_INPUT, "%s:%d: found %g; expected %s of 0 or above", name, line, value,
                           count < PAIRS ? "an exchange rate" : "a frequency");
        number[count++] = value;
        at = end;
    }
    memcpy(made->exchange, number, sizeof made->exchange);
    memcpy(made->frequency, number + PAIRS, sizeof made->frequency);
    if (peeling_frequencies_check(made->frequency, 20) == WL_OK) return WL_OK;
    return wl_fail(WL_BAD_INPUT, "%s:%d: %s", name, line, wl_error());
}

wl_status peeling_empirical_read(const char *path, peeling_empirical *made) {
    const char *slash = strrchr(path, '/');
    char *text;
    memset(made, 0, sizeof *made);
    snprintf(made->name, sizeof made->name, "%.*s", (int)sizeof made->name - 1, slash ? slash + 1 : path);
    WL_TRY(wl_text_read(path, &text));
    const wl_status status = parse(path, text, made);
    free(text);
    return status;
}

/* --- Those that are published ------------------------------------------------------------------------------------ */

static peeling_empirical *published; // as peeling_published
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void parse_all(void) {
    size_t count = 0;
    while (peeling_published[count].name != NULL) count++;
    peeling_empirical *made = calloc(count + 1, sizeof *made);
    for (size_t i = 0; made && i < count; i++) {
        snprintf(made[i].name, sizeof made[i].name, "%s", peeling_published[i].name);
        if (parse(made[i].name, peeling_published[i].text, &made[i]) != WL_OK) abort(); // the tests read all of them
    }
    published = made;
}

const peeling_empirical *peeling_empirical_at(size_t i) {
    pthread_once(&once, parse_all);
    return published && peeling_published[i].name != NULL ? &published[i] : NULL;
}

/* Case and hyphens do not matter: "jtt-dcmut" and "JTTDCMut". */
static int is_named(const char *name, const char *text, size_t length) {
    for (size_t i = 0; i < length || *name;) {
        if (*name == '-')
            name++;
        else if (i < length && text[i] == '-')
            i++;
        else if (i == length || toupper((unsigned char)*name++) != toupper((unsigned char)text[i++]))
            return 0;
    }
    return 1;
}

const peeling_empirical *peeling_empirical_named(const char *text, size_t length) {
    const peeling_empirical *found = NULL;
    for (size_t i = 0; (found = peeling_empirical_at(i)) != NULL; i++)
        if (is_named(found->name, text, length)) return found;
    return NULL;
}

void peeling_empirical_exchange(const peeling_empirical *model, double *exchange) {
    const double *next = model->exchange;
    for (int i = 0; i < 20; i++) {
        exchange[i * 20 + i] = 0;
        for (int j = 0; j < i; j++) exchange[i * 20 + j] = exchange[j * 20 + i] = *next++;
    }
}
