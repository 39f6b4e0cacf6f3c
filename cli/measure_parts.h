/* `run` and `reproduce` in parts: units of measurement are shared out, and a merge shows them as a single run shows its own. */
#ifndef CLI_MEASURE_PARTS_H
#define CLI_MEASURE_PARTS_H

#include "cli/parts.h"

/* In their tables of options, after WL_OPTION_PART. */
#define WL_OPTION_PART_OUTPUT(more) \
    { "output", "FILE", NULL, "with --part, the file of the part (also -o FILE)" more }

/* `whole` is the command as ever. In a part it measures some of the units and shows nothing (wl_units_some), in a merge it measures
   none. */
wl_status wl_measure_parts_run(const wl_line *line, wl_status (*whole)(const wl_line *line));

#endif
