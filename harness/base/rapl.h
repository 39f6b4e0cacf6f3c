/* Energy of processors: RAPL counters, which Linux shows as files. Most systems let only root read them. */
#pragma once

/* Joules of all processor packages, as Linux counts them below this folder. False where there is no counter that this user can read. */
#define WL_RAPL_FOLDER "/sys/class/powercap"
int wl_rapl_joules(const char *folder, double *joules);
