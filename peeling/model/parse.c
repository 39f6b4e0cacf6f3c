/* Names of models: "GTR+G4". */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "peeling/model/model.h"

static const struct {
    const char *name;
    peeling_model_kind kind; // the first name of a kind is the one it is printed by
} models[] = {{"JC69", PEELING_JC69},       {"K80", PEELING_K80}, {"HKY85", PEELING_HKY85}, {"GTR", PEELING_GTR},
              {"POISSON", PEELING_POISSON}, {"WAG", PEELING_WAG}, {"GY94", PEELING_GY94},   {"M0", PEELING_GY94}};
enum { MODELS = sizeof models / sizeof models[0] };

#define KNOWN \
    "JC69, K80, HKY85, GTR, POISSON, WAG and GY94 (or M0), each with or without +G (four rate classes) or +G1 to +G64"

wl_status peeling_model_parse(const char *text, peeling_settings *settings) {
    const size_t length = strcspn(text, "+");
    int found = 0;
    while (found < MODELS &&
           !(strlen(models[found].name) == length && strncasecmp(text, models[found].name, length) == 0))
        found++;
    if (found == MODELS) return wl_fail(WL_BAD_USAGE, "unknown model '%.40s': known are " KNOWN, text);
    int rates = 1;
    const char *rest = text + length;
    if (*rest != '\0') {
        rates = 0;
        if (rest[1] == 'g' || rest[1] == 'G') {
            rest += 2;
            if (*rest == '\0') rates = 4;
            for (int digits = 0; rates >= 0 && *rest >= '0' && *rest <= '9' && digits < 2; rest++, digits++)
                rates = 10 * rates + (*rest - '0');
        }
        if (*rest != '\0' || rates < 1 || rates > PEELING_RATES_MOST)
            return wl_fail(WL_BAD_USAGE, "unknown model '%.40s': '%.40s' is not what can follow %s; known are " KNOWN,
                           text, text + length, models[found].name);
    }
    *settings = peeling_settings_of(models[found].kind);
    settings->rates = rates;
    return WL_OK;
}

const char *peeling_model_name(const peeling_settings *settings, char text[32]) {
    int found = 0;
    while (models[found].kind != settings->kind) found++;
    if (settings->rates == 1)
        snprintf(text, 32, "%s", models[found].name);
    else
        snprintf(text, 32, "%s+G%d", models[found].name, settings->rates);
    return text;
}
