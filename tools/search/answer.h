/* From what a scan has found to its report: strands are merged, hits aligned, further alignments added, filters applied. */
#pragma once

#include "tools/search/batch.h"
#include "tools/search/report/report.h"

/* Report the hits of a batch, query by query, and add their number to *hits. Alignments are computed where the report or the request
   needs them. One whose score is not the scan's: WL_CHECK_FAILED. */
wl_status sw_answers_report(const sw_search_request *request, const sw_batch *batch, sw_report *report, size_t *hits);
