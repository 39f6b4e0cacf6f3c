#include "cli/blast.h"

#include <string.h>

#include "cli/commands.h"

/* A search that looks at every cell has no heuristics to tune, and none of BLAST's filters and corrections of composition. */
const wl_foreign wl_blast_search[] = {
    {"query", 1, NULL, "--query=%s"},
    {"db", 1, NULL, "--db=%s"},
    {"subject", 1, NULL, "--db=%s"},
    {"out", 1, NULL, "--output=%s"},
    {"outfmt", 1, NULL, "--format=%s"},
    {"evalue", 1, NULL, "--evalue=%s"},
    {"max_target_seqs", 1, NULL, "--max-hits=%s"},
    {"num_alignments", 1, NULL, "--max-hits=%s"},
    {"num_descriptions", 1, NULL, NULL},
    {"max_hsps", 1, NULL, "--max-hsps=%s"},
    {"subject_besthit", 0, NULL, "--max-hsps=1"},
    {"qcov_hsp_perc", 1, NULL, "--min-coverage=%s"},
    {"perc_identity", 1, NULL, "--min-identity=%s"},
    {"min_raw_gapped_score", 1, NULL, "--min-score=%s"},
    {"num_threads", 1, NULL, "--threads=%s"},
    {"matrix", 1, NULL, "--matrix=%s"},
    {"gapopen", 1, NULL, "--gap-open=%s"},
    {"gapextend", 1, NULL, "--gap-extend=%s"},
    {"reward", 1, NULL, "--match=%s"},
    {"penalty", 1, NULL, "--mismatch=%s"},
    {"strand", 1, NULL, "--strand=%s"},
    {"task", 1, "blastp", ""},
    {"task", 1, "blastp-fast", ""},
    {"task", 1, "blastp-short", "--matrix=PAM30\n--gap-open=9\n--gap-extend=1"},
    {"task", 1, "blastn", "--nucleotide"},
    {"task", 1, "blastn-short", "--nucleotide\n--match=1\n--mismatch=-3\n--gap-open=5\n--gap-extend=2"},
    {"task", 1, "dc-megablast", "--nucleotide"},
    {"task", 1, "rmblastn", "--nucleotide"},
    {"seg", 1, "no", ""},
    {"seg", 1, NULL, NULL},
    {"dust", 1, "no", ""},
    {"dust", 1, NULL, NULL},
    {"soft_masking", 1, "false", ""},
    {"soft_masking", 1, NULL, NULL},
    {"comp_based_stats", 1, "0", ""},
    {"comp_based_stats", 1, "F", ""},
    {"comp_based_stats", 1, NULL, NULL},
    {"use_sw_tback", 0, NULL, ""},
    {"lcase_masking", 0, NULL, NULL},
    {"word_size", 1, NULL, NULL},
    {"threshold", 1, NULL, NULL},
    {"window_size", 1, NULL, NULL},
    {"xdrop_ungap", 1, NULL, NULL},
    {"xdrop_gap", 1, NULL, NULL},
    {"xdrop_gap_final", 1, NULL, NULL},
    {"no_greedy", 0, NULL, ""},
    {"mt_mode", 1, NULL, NULL},
    {"line_length", 1, NULL, NULL},
    {"parse_deflines", 0, NULL, NULL},
    {"show_gis", 0, NULL, NULL},
    {"version", 0, NULL, "--version"},
    {"help", 0, NULL, "--help"},
    {NULL, 0, NULL, NULL},
};

const wl_foreign wl_blast_makedb[] = {
    {"in", 1, NULL, "--input=%s"},      {"out", 1, NULL, "--output=%s.wdb"},
    {"dbtype", 1, "prot", ""},          {"dbtype", 1, "nucl", "--nucleotide"},
    {"input_type", 1, "fasta", ""},     {"parse_seqids", 0, NULL, NULL},
    {"hash_index", 0, NULL, NULL},      {"title", 1, NULL, NULL},
    {"blastdb_version", 1, NULL, NULL}, {"taxid", 1, NULL, NULL},
    {"taxid_map", 1, NULL, NULL},       {"max_file_sz", 1, NULL, NULL},
    {"logfile", 1, NULL, NULL},         {"version", 0, NULL, "--version"},
    {"help", 0, NULL, "--help"},        {NULL, 0, NULL, NULL},
};

const wl_command *wl_blast_called(const char *program, const char *words[WL_BLAST_WORDS], int *count) {
    static const struct {
        const char *name;
        const wl_command *command;
        const char *words[WL_BLAST_WORDS];
    } programs[] = {
        {"blastp", &wl_command_search, {"--query=-", "--statistics=spouge", "--max-hsps=all"}},
        {"blastn", &wl_command_search, {"--query=-", "--nucleotide", "--max-hsps=all"}},
        {"makeblastdb", &wl_command_makedb, {NULL}},
    };
    const char *slash = strrchr(program, '/');
    if (slash) program = slash + 1;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        if (strcmp(program, programs[i].name) != 0) continue;
        for (*count = 0; *count < WL_BLAST_WORDS && programs[i].words[*count]; ++*count)
            words[*count] = programs[i].words[*count];
        return programs[i].command;
    }
    return NULL;
}
