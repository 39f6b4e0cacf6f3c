#include "harness/base/rapl.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* The first number of a file; 0 where there is none. */
static int number_in(const char *folder, const char *zone, const char *name, double *number) {
    char path[600];
    if (snprintf(path, sizeof path, "%s/%s/%s", folder, zone, name) >= (int)sizeof path) return 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    const int found = fscanf(file, "%lf", number) == 1;
    fclose(file);
    return found;
}

/* "intel-rapl:0", AMD's too, is a package; its parts "intel-rapl:0:0" are within it. "intel-rapl:1" can also be "psys", the machine. */
static int is_package(const char *folder, const char *zone) {
    char path[600], name[32] = "";
    const char *colon = strchr(zone, ':');
    if (strncmp(zone, "intel-rapl:", 11) != 0 || strchr(colon + 1, ':') != NULL) return 0;
    if (snprintf(path, sizeof path, "%s/%s/name", folder, zone) >= (int)sizeof path) return 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    const int found = fgets(name, sizeof name, file) != NULL && strncmp(name, "package", 7) == 0;
    fclose(file);
    return found;
}

int wl_rapl_joules(const char *folder, double *joules) {
    double sum = 0, microjoules;
    int packages = 0, known = 1;
    DIR *zones = opendir(folder);
    if (zones == NULL) return 0;
    for (const struct dirent *zone; (zone = readdir(zones)) != NULL;) {
        if (!is_package(folder, zone->d_name)) continue;
        packages++;
        known = known && number_in(folder, zone->d_name, "energy_uj", &microjoules);
        if (known) sum += microjoules;
    }
    closedir(zones);
    *joules = sum / 1e6;
    return packages > 0 && known;
}
