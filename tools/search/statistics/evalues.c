/* What a score is worth. A score S is lambda S - ln K nats over chance. A chance alignment has m' n' places to begin, as Karlin & Altschul
   showed in 1990. m' and n' are the lengths less what an alignment of a chance score takes at their ends (Altschul & Gish, 1996). With the
   newer statistics, the places are counted for each pair, less what an alignment of its score takes of both (Park et al., 2012). */
#include "tools/search/statistics/evalues.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/database/alphabet.h"
#include "tools/search/statistics/table.h"

/* --- Parameters -------------------------------------------------------------------------------------------------- */

/* The slope is simulated; the rest follows from it, the slope without gaps, and what a gap of one residue costs (Park et
   al. 2012). */
static sw_line line_of(double gapped, double ungapped, int gap) {
    return (sw_line){.at = 2.0 * gap * (ungapped - gapped), .per = gapped};
}

static void add_lengths(const sw_protein_row *row, sw_statistics *s) {
    const sw_protein_limit *limit = sw_protein_limits;
    while (strcmp(limit->matrix, row->matrix) != 0) limit++;
    const int gap = row->open + row->extend;
    s->has_lengths = 1;
    s->length = line_of(row->alpha, limit->alpha, gap);
    s->variance = line_of(row->variance, limit->variance, gap);
    s->covariance = line_of(row->covariance, limit->variance, gap);
}

static sw_statistics of_protein(const sw_scoring *scoring) {
    const int open = scoring->gap_open - scoring->gap_extend, extend = scoring->gap_extend; // BLAST's counting
    for (const sw_protein_row *row = sw_protein_rows; row->matrix; row++) {
        if (strcmp(row->matrix, scoring->name) != 0 || row->open != open || row->extend != extend) continue;
        sw_scoring published;
        if (sw_scoring_named(row->matrix, &published) != WL_OK ||
            memcmp(published.matrix, scoring->matrix, sizeof published.matrix) != 0)
            break;
        sw_statistics found = {
            .known = 1, .lambda = row->lambda, .K = row->K, .H = row->H, .alpha = row->alpha, .beta = row->beta};
        add_lengths(row, &found);
        return found;
    }
    return (sw_statistics){0};
}

static int common_divisor(int a, int b) { return b == 0 ? a : common_divisor(b, a % b); }

/* Scores that have a common divisor d are d times smaller ones, and lambda and alpha, which are per unit of score,
   are d times smaller than theirs. */
static sw_statistics scaled(const sw_nucleotide_row *row, int divisor) {
    /* NCBI's simulations of 2 to an odd penalty, and of 3 to 4, recorded even scores only. */
    const int even = (row->match == 2 && (row->mismatch == -3 || row->mismatch == -5 || row->mismatch == -7)) ||
                     (row->match == 3 && row->mismatch == -4);
    return (sw_statistics){.known = 1,
                           .lambda = row->lambda / divisor,
                           .K = row->K,
                           .H = row->H,
                           .alpha = row->alpha / divisor,
                           .beta = row->beta,
                           .even = even};
}

static sw_statistics of_nucleotide(const sw_scoring *scoring) {
    const int a = sw_code(SW_NUCLEOTIDE, 'A'), c = sw_code(SW_NUCLEOTIDE, 'C');
    const int match = scoring->matrix[a][a], mismatch = scoring->matrix[a][c];
    const int open = scoring->gap_open - scoring->gap_extend, extend = scoring->gap_extend;
    sw_scoring published;
    if (match < 1 || mismatch > -1 || sw_scoring_nucleotide(match, mismatch, &published) != WL_OK ||
        memcmp(published.matrix, scoring->matrix, sizeof published.matrix) != 0)
        return (sw_statistics){0};
    const int d = common_divisor(match, -mismatch);
    for (const sw_nucleotide_row *row = sw_nucleotide_rows; row->match; row++)
        if (row->match * d == match && row->mismatch * d == mismatch && row->open * d == open &&
            row->extend * d == extend)
            return scaled(row, d);
    for (const sw_nucleotide_row *row = sw_nucleotide_limits; row->match; row++)
        if (row->match * d == match && row->mismatch * d == mismatch && row->open * d <= open &&
            row->extend * d <= extend) {
            sw_statistics found = scaled(row, d);
            found.by_composition = 1;
            sw_statistics_of_bases(scoring, &found);
            return found;
        }
    return (sw_statistics){0};
}

static void add_costs(int open, int extend, char text[SW_COSTS_TEXT]) {
    const size_t used = strlen(text);
    snprintf(text + used, SW_COSTS_TEXT - used, "%s%d, %d", used > 0 ? " or " : "", open, extend);
}

const char *sw_statistics_costs(const sw_scoring *scoring, char text[SW_COSTS_TEXT]) {
    *text = 0;
    if (scoring->alphabet == SW_PROTEIN) {
        for (const sw_protein_row *row = sw_protein_rows; row->matrix; row++)
            if (strcmp(row->matrix, scoring->name) == 0) add_costs(row->open, row->extend, text);
    } else {
        for (const sw_nucleotide_row *row = sw_nucleotide_rows; row->match; row++)
            if (row->match == scoring->matrix[0][0] && row->mismatch == scoring->matrix[0][1])
                add_costs(row->open, row->extend, text);
    }
    return *text ? text : strcpy(text, "none");
}

sw_statistics sw_statistics_of(const sw_scoring *scoring) {
    return scoring->alphabet == SW_PROTEIN ? of_protein(scoring) : of_nucleotide(scoring);
}

/* --- The search space -------------------------------------------------------------------------------------------- */

/* The expected length of an alignment whose score chance gives once in the space that `adjustment` leaves. Falls with
   it. */
static double chance_length(const sw_statistics *s, double m, double n, double sequences, double adjustment) {
    return s->alpha / s->lambda * (log(s->K) + log((m - adjustment) * (n - sequences * adjustment))) + s->beta;
}

/* The adjustment is the whole part of the fixed point of chance_length, or of the largest value that leaves
   K m' n' >= max(m, n), the smaller root of a quadratic, if that comes first. */
static int64_t length_adjustment(const sw_statistics *s, double m, double n, double sequences) {
    double b = m * sequences + n, c = m * n - fmax(m, n) / s->K;
    if (c < 0 || !(m > 0) || !(n > 0)) return 0;
    double most = 2 * c / (b + sqrt(b * b - 4 * sequences * c));
    int64_t low = 0,
            high = (int64_t)most; // chance_length(low) >= low, if at all; above `high` it is not, or not allowed
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if (chance_length(s, m, n, sequences, (double)middle) >= (double)middle)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

sw_space sw_space_of(const sw_statistics *statistics, uint32_t query_length, uint64_t database_letters,
                     size_t database_sequences) {
    sw_space space = {
        .database_letters = database_letters, .database_sequences = database_sequences, .query_length = query_length};
    double m = query_length, n = (double)database_letters, sequences = (double)database_sequences;
    if (statistics->known) space.length_adjustment = length_adjustment(statistics, m, n, sequences);
    double adjustment = (double)space.length_adjustment;
    space.size = (m - adjustment) * fmax(n - sequences * adjustment, 1);
    return space;
}

/* --- Scores ------------------------------------------------------------------------------------------------------ */

double sw_bits(const sw_statistics *statistics, int score) {
    if (!statistics->known) return NAN;
    return (statistics->lambda * score - log(statistics->K)) / log(2);
}

/* What an alignment of a score leaves of a sequence for its own beginning: the expected number of places, and the
   probability that there are any. What it takes is normally distributed. */
typedef struct {
    double places, any;
} room;

/* A variance. The line does not hold for the lowest scores. */
static double spread(const sw_statistics *s, const sw_line *line, double score) {
    return fmax(line->at + line->per * score, 2 * line->per / s->lambda);
}

static room room_in(const sw_statistics *s, double length, double score) {
    static const double one_over_root_2_pi = 0.39894228040143268;
    const double rest = length - (s->length.at + s->length.per * score);
    const double deviation = sqrt(spread(s, &s->variance, score)), z = rest / deviation;
    room r = {.any = erfc(-z / sqrt(2)) / 2};
    r.places = fmax(rest * r.any + deviation * one_over_root_2_pi * exp(-z * z / 2), 0); // rounding, far out
    return r;
}

static double chance(const sw_statistics *s, double score) { return s->K * exp(-s->lambda * score); }

/* The E-value of one pair, times how often its subject's length fits into the database. */
static double evalue_by_pair(const sw_statistics *s, const sw_space *space, double subject_length, double score) {
    const room query = room_in(s, space->query_length, score), subject = room_in(s, subject_length, score);
    const double both = spread(s, &s->covariance, score) * query.any * subject.any;
    return (query.places * subject.places + both) * chance(s, score) * (double)space->database_letters / subject_length;
}

/* Below the E-value with a subject of any length: without the covariance's term, the places in a subject per letter are
   a convex function of its length over that length, which falls to one least value and then rises. */
static double least_by_pair(const sw_statistics *s, const sw_space *space, double score) {
    enum { STEPS = 32 }; // each leaves two thirds
    static const double caution = 0.99;
    double low = 1, high = fmax((double)space->database_letters, 1);
    for (int step = 0; step < STEPS; step++) {
        const double third = cbrt(high / low), left = low * third, right = high / third;
        if (room_in(s, left, score).places / left < room_in(s, right, score).places / right)
            high = right;
        else
            low = left;
    }
    return caution * room_in(s, space->query_length, score).places * room_in(s, low, score).places / low *
           chance(s, score) * (double)space->database_letters;
}

double sw_evalue(const sw_statistics *statistics, const sw_space *space, uint32_t subject_length, int score) {
    if (!statistics->known) return NAN;
    if (statistics->by_pair) return evalue_by_pair(statistics, space, subject_length, score);
    double counted = statistics->even ? score & ~1 : score;
    return space->size * exp(-statistics->lambda * counted + log(statistics->K));
}

static int score_by_pair(const sw_statistics *statistics, const sw_space *space, double evalue) {
    int low = 1, high = 1;
    while (high < INT_MAX / 2 && least_by_pair(statistics, space, high) > evalue) high *= 2;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (least_by_pair(statistics, space, middle) > evalue)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int sw_score_for(const sw_statistics *statistics, const sw_space *space, double evalue) {
    if (!statistics->known) return 1;
    if (statistics->by_pair) return evalue > 0 ? score_by_pair(statistics, space, evalue) : INT_MAX;
    double exact = (log(statistics->K * space->size) - log(evalue)) / statistics->lambda; // the quotient could overflow
    if (!(evalue > 0) || exact >= INT_MAX / 2) return INT_MAX;
    int score = exact > 1 ? (int)exact : 1;
    while (sw_evalue(statistics, space, 1, score) > evalue) score++; // rounding, and odd scores that count less
    while (score > 1 && sw_evalue(statistics, space, 1, score - 1) <= evalue) score--;
    return score;
}
