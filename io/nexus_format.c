#include "io/nexus.h"

#include <string.h>

wl_nexus_format wl_nexus_default_format(void) {
    wl_nexus_format format = {.match = -1};
    for (int symbol = 0; symbol < 256; symbol++) format.letter_of[symbol] = (char)symbol;
    return format;
}

static wl_status refuse_format(const wl_nexus_reader *r, const wl_nexus_word *what, const char *expected) {
    return WL_NEXUS_REFUSE(r, what, "found '%.*s' in FORMAT; expected %s", WL_NEXUS_TEXT(what), expected);
}

static wl_status read_datatype(wl_nexus_reader *r, wl_nexus_format *f, const wl_nexus_word *what) {
    static const struct {
        const char *name;
        wl_nexus_datatype type;
    } types[] = {{"DNA", WL_NEXUS_NUCLEOTIDES},
                 {"RNA", WL_NEXUS_NUCLEOTIDES},
                 {"NUCLEOTIDE", WL_NEXUS_NUCLEOTIDES},
                 {"PROTEIN", WL_NEXUS_PROTEIN}};
    wl_nexus_word value;
    WL_TRY(wl_nexus_value(r, what, &value));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!wl_nexus_says(&value, types[i].name)) continue;
        f->type = types[i].type;
        return WL_OK;
    }
    return refuse_format(r, &value, "the data type DNA, RNA, NUCLEOTIDE or PROTEIN");
}

/* One byte that means something of its own. */
static wl_status read_symbol(wl_nexus_reader *r, const wl_nexus_word *what, unsigned char *symbol) {
    wl_nexus_word value, close;
    wl_status status = wl_nexus_value(r, what, &value);
    const int in_quotes = status == WL_OK && wl_nexus_says(&value, "\"");
    if (in_quotes) status = wl_nexus_next(r, "=;,\"", &value);
    if (in_quotes && status == WL_OK) status = wl_nexus_next(r, "=;,\"", &close);
    if (status != WL_OK) return status;
    if (value.length != 1 || (in_quotes && !wl_nexus_says(&close, "\"")))
        return WL_NEXUS_REFUSE(r, &value, "found '%.*s' as %.*s; expected one character", WL_NEXUS_TEXT(&value),
                               WL_NEXUS_TEXT(what));
    *symbol = (unsigned char)value.text[0];
    return WL_OK;
}

/* The letter for a set of letters, as IUPAC has it; 0: there is none. */
static char letter_of_set(wl_nexus_datatype type, const char *letters, size_t count) {
    static const char nucleotides[] = "-ACMGRSVTWYHKDBN"; // by bits: A 1, C 2, G 4, T 8
    static const char *const pairs[] = {"DNB", "EQZ", "ILJ"};
    if (type == WL_NEXUS_NUCLEOTIDES) {
        unsigned set = 0;
        for (size_t i = 0; i < count; i++) {
            const char letter = (char)(letters[i] & ~0x20), *at = strchr(nucleotides, letter == 'U' ? 'T' : letter);
            if (letters[i] == '-' || letter == 0 || at == NULL) return 0;
            set |= (unsigned)(at - nucleotides);
        }
        return set == 0 ? 0 : nucleotides[set];
    }
    for (size_t p = 0; type == WL_NEXUS_PROTEIN && p < sizeof pairs / sizeof *pairs; p++) {
        unsigned set = 0;
        size_t i = 0;
        for (; i < count; i++) {
            const char letter = (char)(letters[i] & ~0x20);
            set |= letter == pairs[p][0] || letter == pairs[p][2];
            set |= 2u * (letter == pairs[p][1] || letter == pairs[p][2]);
            if (strchr(pairs[p], letter) == NULL) break;
        }
        if (i == count && set == 3) return pairs[p][2];
    }
    return 0;
}

wl_status wl_nexus_read_set(wl_nexus_reader *r, const wl_nexus_format *f, const wl_nexus_word *open, char *letter) {
    const char close = *open->text == '{' ? '}' : ')';
    char letters[32];
    size_t count = 0;
    for (;; r->next++) {
        WL_TRY(wl_nexus_skip(r, 0));
        if (r->next == r->end || *r->next == ';' || count == sizeof letters)
            return WL_NEXUS_REFUSE(r, open, "the set is not closed; expected '%c'", close);
        if (*r->next == close) break;
        if (*r->next != ',') letters[count++] = *r->next;
    }
    r->next++;
    *letter = letter_of_set(f->type, letters, count);
    if (*letter != 0) return WL_OK;
    return WL_NEXUS_REFUSE(r, open, "found the set '%.*s'; expected letters for which there is an ambiguity code",
                           (int)count, letters);
}

/* "X=A Y={CT}". */
static wl_status read_equates(wl_nexus_reader *r, wl_nexus_format *f, const wl_nexus_word *what) {
    wl_nexus_word word;
    wl_status status = wl_nexus_value(r, what, &word);
    if (status == WL_OK && !wl_nexus_says(&word, "\"")) return refuse_format(r, &word, "'\"' behind EQUATE=");
    while (status == WL_OK) {
        status = wl_nexus_next(r, "=\"{(", &word);
        if (status != WL_OK || wl_nexus_says(&word, "\"")) break;
        if (word.length != 1) return refuse_format(r, &word, "one character and '=' in EQUATE");
        const unsigned char symbol = (unsigned char)*word.text;
        wl_nexus_word value;
        status = wl_nexus_value(r, &word, &value);
        if (status != WL_OK) break;
        r->next = value.text + 1; // "A Y={CT}" needs no blanks
        if (*value.text == '{' || *value.text == '(')
            status = wl_nexus_read_set(r, f, &value, &f->letter_of[symbol]);
        else
            f->letter_of[symbol] = *value.text;
    }
    return status;
}

static wl_status skip_string(wl_nexus_reader *r, const wl_nexus_word *what) {
    wl_nexus_word word;
    wl_status status = wl_nexus_value(r, what, &word);
    if (status != WL_OK || !wl_nexus_says(&word, "\"")) return status;
    do {
        status = wl_nexus_next(r, "\";", &word);
    } while (status == WL_OK && !wl_nexus_says(&word, "\"") && !wl_nexus_says(&word, ";"));
    if (status == WL_OK && wl_nexus_says(&word, ";")) return refuse_format(r, &word, "a second '\"'");
    return status;
}

/* INTERLEAVE, INTERLEAVE=YES or =NO. */
static wl_status read_interleave(wl_nexus_reader *r, wl_nexus_format *f, const wl_nexus_word *what) {
    f->interleaved = 1;
    wl_status status = wl_nexus_skip(r, 0);
    if (status != WL_OK || r->next == r->end || *r->next != '=') return status;
    wl_nexus_word value;
    WL_TRY(wl_nexus_value(r, what, &value));
    f->interleaved = wl_nexus_says(&value, "YES");
    return f->interleaved || wl_nexus_says(&value, "NO") ? WL_OK : refuse_format(r, &value, "INTERLEAVE=YES or =NO");
}

wl_status wl_nexus_read_format(wl_nexus_reader *r, wl_nexus_format *f) {
    int gap = -1, missing = -1, *symbols[] = {&gap, &missing, &f->match};
    static const char *const names[] = {"GAP", "MISSING", "MATCHCHAR"};
    for (;;) {
        wl_nexus_word word;
        wl_status status = wl_nexus_next(r, "=;,\"", &word);
        size_t k = 0;
        if (status != WL_OK) return status;
        if (wl_nexus_says(&word, ";")) break;
        while (k < 3 && !wl_nexus_says(&word, names[k])) k++;
        if (k < 3) {
            unsigned char symbol = 0;
            status = read_symbol(r, &word, &symbol);
            *symbols[k] = symbol;
        } else if (wl_nexus_says(&word, "DATATYPE")) {
            status = read_datatype(r, f, &word);
        } else if (wl_nexus_says(&word, "INTERLEAVE")) {
            status = read_interleave(r, f, &word);
        } else if (wl_nexus_says(&word, "EQUATE")) {
            status = read_equates(r, f, &word);
        } else if (wl_nexus_says(&word, "SYMBOLS")) {
            status = skip_string(r, &word);
        } else if (!wl_nexus_says(&word, "RESPECTCASE") && !wl_nexus_says(&word, "NOINTERLEAVE")) {
            return refuse_format(r, &word, "DATATYPE, GAP, MISSING, MATCHCHAR, INTERLEAVE, EQUATE or SYMBOLS");
        }
        if (status != WL_OK) return status;
    }
    if (gap >= 0) f->letter_of[gap] = '-';
    if (missing >= 0) f->letter_of[missing] = '?';
    return WL_OK;
}
