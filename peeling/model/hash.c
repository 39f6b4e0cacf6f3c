/* What a model depends on, as one number. */
#include <string.h>

#include "harness/base/hash.h"
#include "peeling/model/internal.h"

static void join(uint64_t *hash, const void *bytes, size_t size) {
    *hash = wl_hash_join(*hash, wl_hash_bytes(bytes, size));
}

static void join_empirical(uint64_t *hash, const peeling_empirical *of) {
    join(hash, of->exchange, sizeof of->exchange);
    join(hash, of->frequency, sizeof of->frequency);
}

uint64_t peeling_settings_hash(const peeling_settings *settings) {
    const peeling_settings *s = settings;
    const int whole[] = {(int)s->kind, (int)s->code, s->rates,         s->free_rates, s->has_invariant,
                         s->median,    s->muse_gaut, s->variable_only, s->parts,      (int)s->frequencies};
    const double number[] = {s->invariant, s->alpha, s->kappa, s->omega};
    uint64_t hash = wl_hash_text(s->kind == PEELING_GTR ? s->alike : "");
    join(&hash, whole, sizeof whole);
    join(&hash, number, sizeof number);
    join(&hash, s->exchange, sizeof s->exchange);
    join(&hash, s->nucleotide, sizeof s->nucleotide);
    join(&hash, s->frequency, sizeof s->frequency);
    if (s->free_rates) {
        join(&hash, s->rate, (size_t)s->rates * sizeof *s->rate);
        join(&hash, s->share, (size_t)s->rates * sizeof *s->share);
    }
    if (s->kind == PEELING_EMPIRICAL && s->empirical) join_empirical(&hash, s->empirical);
    for (int p = 0; p < s->parts && s->parts > 1; p++) join_empirical(&hash, s->part[p]);
    return hash;
}
