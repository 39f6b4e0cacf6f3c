/* sam_read SAM REFERENCES.fa: reads alignments with htslib and counts NM again, from each record's letters, its CIGAR and the reference;
   prints name, flag, reference, position, CIGAR and score of each. The exit code is 1 where a count differs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <htslib/faidx.h>
#include <htslib/sam.h>

/* Letters that differ, and those of gaps. */
static int count_edits(const bam1_t *record, const char *reference) {
    const uint32_t *cigar = bam_get_cigar(record);
    const uint8_t *letters = bam_get_seq(record);
    int64_t at = record->core.pos, letter = 0;
    int edits = 0;
    for (uint32_t c = 0; c < record->core.n_cigar; c++) {
        const int operation = bam_cigar_op(cigar[c]), length = (int)bam_cigar_oplen(cigar[c]);
        if (operation == BAM_CMATCH)
            for (int i = 0; i < length; i++) edits += seq_nt16_str[bam_seqi(letters, letter + i)] != reference[at + i];
        if (operation == BAM_CINS || operation == BAM_CDEL) edits += length;
        if (bam_cigar_type(operation) & 1) letter += length;
        if (bam_cigar_type(operation) & 2) at += length;
    }
    return letter == record->core.l_qseq ? edits : -1;
}

static int64_t tag(const bam1_t *record, const char *name) {
    const uint8_t *value = bam_aux_get(record, name);
    return value ? bam_aux2i(value) : -1;
}

int main(int argc, char **argv) {
    samFile *file = argc == 3 ? sam_open(argv[1], "r") : NULL;
    sam_hdr_t *header = file ? sam_hdr_read(file) : NULL;
    faidx_t *references = argc == 3 ? fai_load(argv[2]) : NULL;
    bam1_t *record = bam_init1();
    int result = 0, wrong = 0;
    if (header == NULL || references == NULL) return 2;
    while ((result = sam_read1(file, header, record)) >= 0) {
        const char *name = sam_hdr_tid2name(header, record->core.tid);
        int length = 0;
        char *reference = name ? fai_fetch(references, name, &length) : NULL;
        printf("%s\t%d\t%s\t%lld\t%lld\n", bam_get_qname(record), record->core.flag, name ? name : "*",
               (long long)record->core.pos + 1, (long long)tag(record, "AS"));
        if (reference && count_edits(record, reference) != tag(record, "NM")) wrong++;
        if (!(record->core.flag & BAM_FUNMAP) && reference == NULL) wrong++;
        free(reference);
    }
    fai_destroy(references);
    bam_destroy1(record);
    sam_hdr_destroy(header);
    sam_close(file);
    return result < -1 || wrong > 0;
}
