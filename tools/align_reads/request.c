#include "tools/align_reads/request.h"

int papara_out_of_line(const papara_data *data, const papara_aligned *aligned, size_t r) {
    return aligned->chance > 0 && aligned->best[r].score > PAPARA_OUT_OF_LINE * aligned->chance * data->length[r];
}

void papara_align_range(const papara_align_request *request, size_t *first, size_t *end) {
    *first = request->reads > 0 ? request->first_read : 0;
    *end = request->reads > 0 ? request->first_read + request->reads : request->data->reads.count;
}

papara_reads papara_align_reads(const papara_align_request *request) {
    papara_reads reads = request->data->reads;
    size_t first, end;
    papara_align_range(request, &first, &end);
    if (first == 0 && end == reads.count) return reads;
    reads.length += first;
    reads.start += first;
    reads.count = end - first;
    reads.letters = reads.longest = 0;
    for (size_t r = 0; r < reads.count; r++) {
        reads.letters += reads.length[r];
        if (reads.length[r] > reads.longest) reads.longest = reads.length[r];
    }
    return reads;
}
