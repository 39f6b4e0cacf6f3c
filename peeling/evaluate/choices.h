/* Which stage computes an input: the rows that stages declare, or on a GPU that no row names a short timing. */
#ifndef PEELING_CHOICES_H
#define PEELING_CHOICES_H

#include "peeling/evaluate/engine.h"

/* Whether a stage's rows apply to the device: the simulated device and the CPU take those of an H200. */
int peeling_is_measured(const wl_device *device, const peeling_faster *rows);
int peeling_is_faster(const peeling_faster *rows, const peeling_input *input); // rows NULL: of every input

/* Of engines [count], which all take the input, the one that evaluates input->work in the least time. What was chosen is kept in
   $XDG_CACHE_HOME/warpladder/peeling.tsv (or ~/.cache), by device, program version and the input's sizes, each to a factor of two;
   where the folder cannot be written, the next process measures again. NULL: there is no work, or none of them could. */
const peeling_engine *peeling_choose_by_time(const wl_device *device, const peeling_input *input,
                                             const peeling_engine *const *engines, size_t count);

#endif
