/* The hits of protein queries in a database, as `warpladder search --format "qseqid sseqid score qstart qend sstart
   send"` prints them.

       cc search.c $(pkg-config --cflags --libs warpladder) -o search
       ./search proteins.fasta queries.fasta  */
#include "fasta.h"

static void print(const fasta *queries, const warpladder_hits *hits) {
    size_t count;
    const warpladder_hit *items = warpladder_hits_items(hits, &count);
    for (size_t i = 0; i < count; i++)
        printf("%s\t%s\t%d\t%zu\t%zu\t%zu\t%zu\n", queries->items[items[i].query].name, items[i].name, items[i].score,
               items[i].query_start + 1, items[i].query_end, items[i].subject_start + 1, items[i].subject_end);
}

int main(int argc, char **argv) {
    char *text;
    must(argc == 3, "expected a database, FASTA or .wdb, and a FASTA file of queries");
    fasta queries = read_fasta(argv[2], &text);
    warpladder *session;
    warpladder_database *database = NULL;
    warpladder_hits *hits = NULL;
    warpladder_search_options options = WARPLADDER_SEARCH_OPTIONS;
    options.highest_evalue = 1e-3;
    warpladder_status status = warpladder_open("auto", &session);
    if (status == WARPLADDER_OK) status = warpladder_database_open(session, argv[1], 0, &database);
    if (status == WARPLADDER_OK)
        status = warpladder_search(session, &options, database, queries.items, queries.count, &hits);
    if (status == WARPLADDER_OK)
        print(&queries, hits);
    else
        fprintf(stderr, "search: %s\n", warpladder_error(session));
    warpladder_hits_close(hits);
    warpladder_database_close(database);
    warpladder_close(session);
    free_fasta(&queries, text);
    return (int)status;
}
