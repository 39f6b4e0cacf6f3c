#include "cli/search/blast.h"

const wl_alias wl_blast_searches[] = {{"blastp", {"--query=-", "--statistics=spouge", "--max-hsps=all"}},
                                      {"blastn", {"--query=-", "--nucleotide", "--max-hsps=all"}},
                                      {NULL, {NULL}}};
const wl_alias wl_blast_makers[] = {{"makeblastdb", {NULL}}, {NULL, {NULL}}};
