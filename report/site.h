/* The documents as a site: a folder of pages that needs no server and no network. */
#ifndef REPORT_SITE_H
#define REPORT_SITE_H

#include "harness/base/error.h"

/* Where the pages of `explain --interactive` lie in a site's folder: steps/PROBLEM_STAGE_steps.html. The pages of stages lead to those that
   there are. */
#define SITE_STEPS "steps"

/* README.md, the documents, ladders and labs, and all that they lead to, to `folder`. Pages that they lead to and that are not there are named
   on standard error, *dangling says how many. *pages: how many were written. */
wl_status site_write(const char *folder, size_t *pages, size_t *dangling);

#endif
