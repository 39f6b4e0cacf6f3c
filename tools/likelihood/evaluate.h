/* Evaluating over one device or several: the columns split into near-equal shares, each device computing its own
   transition matrices, as in the paper. */
#pragma once

#include <stddef.h>

#include "harness/bench/device.h"
#include "peeling/engine/engine.h"

typedef struct peeling_evaluator peeling_evaluator;

/* devices [count], at least one, all to be used: for equal shares they should be alike (leave the CPU out that
   wl_devices_select puts first). Of more devices than patterns the last are left out. `variant`: as of
   peeling_engine_find; NULL: each device's best. input->data and input->work (which may be empty) outlive the
   evaluator; `devices` and input->model need not. On success close with peeling_evaluator_close. WL_NO_MACHINE: no such
   variant, or what its open says; one line that names the device where there are several. */
wl_status peeling_evaluator_open(const wl_device *devices, size_t count, const char *variant,
                                 const peeling_input *input, peeling_evaluator **made);
void peeling_evaluator_close(peeling_evaluator *evaluator); // NULL: nothing

/* As of peeling_engine; the model may go when this returns. */
wl_status peeling_evaluator_set_model(peeling_evaluator *evaluator, const peeling_model *model);

/* Compute this list on all devices, and wait. *total is the shares' totals added in the order of the devices; site
   [patterns] in the data's order, or NULL. To be called from one thread at a time, the one that opened. */
wl_status peeling_evaluator_run(peeling_evaluator *evaluator, const peeling_work *work, double *total, double *site);

/* The engine of device `index`; how many devices are used; whether all of them take parts of a tree (see
   peeling_engine). */
const peeling_engine *peeling_evaluator_engine(const peeling_evaluator *evaluator, size_t index);
size_t peeling_evaluator_devices(const peeling_evaluator *evaluator);
int peeling_evaluator_keeps_partials(const peeling_evaluator *evaluator);
