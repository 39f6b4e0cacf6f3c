/* warpladder-mpi: search, distances and align-reads by all ranks of an MPI run. */
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/call.h"
#include "cli/commands.h"
#include "cli/manual.h"
#include "harness/base/outfile.h"
#include "harness/base/thread.h"
#include "harness/bench/device.h"
#include "mpi/messages.h"
#include "mpi/run.h"

static const char *const tools[] = {"search", "distances", "align-reads"};
enum { TOOLS = sizeof tools / sizeof *tools };

static const wl_command *tool_at(size_t t) { return wl_command_named(tools[t]); }

static const wl_option own_options[] = {
    {"work", "DIR", NULL,
     "keep finished units of work in DIR; the same command, repeated after a failure, goes on with them"},
    {"units", "N", NULL, "cut the work into N units (default: 8 for each rank; with --work, those that DIR has)"},
    {"help", NULL, NULL, "print this"},
    {"version", NULL, NULL, "print the program's version"},
};
enum { OWN_OPTIONS = sizeof own_options / sizeof *own_options, OWN_OF_TOOLS = 2 };

static const char usage[] = "mpirun -n RANKS warpladder-mpi COMMAND [OPTION...]\n";
static const char about[] =
    "The commands search, distances and align-reads of warpladder, computed by all ranks of an MPI run. The output is "
    "that of\n"
    "'warpladder COMMAND' with the same options, byte for byte; 'warpladder COMMAND --help' tells these. Beside "
    "them:\n\n";
static const char more[] =
    "\nGPUs: --device auto gives each rank of a host one of its GPUs in turn, of those that CUDA_VISIBLE_DEVICES "
    "leaves.\n"
    "Threads: a rank takes its share of the host's processors, or OMP_NUM_THREADS, or --threads.\n\n"
    "Example:\n"
    "  mpirun -n 16 warpladder-mpi search --db db.wdb --query q.fasta -o hits.txt --work hits.work\n";

/* --- Help, for people, manual pages and shells ------------------------------------------------------------------- */

/* "  --work=DIR     keep ..." for each option, through `put`. */
static void put_options(void (*put)(const char *text)) {
    for (const wl_option *o = own_options; o < own_options + OWN_OPTIONS; o++) {
        char name[32], line[256];
        snprintf(name, sizeof name, "--%s%s%s", o->name, o->argument ? "=" : "", o->argument ? o->argument : "");
        snprintf(line, sizeof line, "  %-14s %s\n", name, o->help);
        put(line);
    }
}

static void put_plain(const char *text) { fputs(text, stdout); }

static void print_help(void) {
    printf("Usage: %s%s", usage, about);
    put_options(put_plain);
    put_plain(more);
}

static void print_page(void) {
    wl_manual_begin("warpladder-mpi", "search, distances and align-reads by the ranks of an MPI run");
    wl_manual_text(usage);
    printf(".SH DESCRIPTION\n.nf\n");
    wl_manual_text(about);
    put_options(wl_manual_text);
    wl_manual_text(more);
    printf(".fi\n.SH SEE ALSO\n");
    for (size_t t = 0; t < TOOLS; t++) {
        printf(".BR warpladder\\-");
        wl_manual_text(tool_at(t)->name);
        printf(" (1)%s\n", t + 1 < TOOLS ? "," : "");
    }
}

/* As of `warpladder --words`; `tool`: of one alone. */
static wl_status print_words(const wl_command *tool) {
    for (size_t t = 0; t < TOOLS && tool == NULL; t++) printf("\t%s\t\t\t%s\n", tool_at(t)->name, tool_at(t)->brief);
    for (size_t t = 0; t < TOOLS; t++) {
        char name[] = "warpladder", word[] = "--words", *argv[] = {name, word, NULL};
        wl_args args;
        int finished;
        if (tool != NULL && tool != tool_at(t)) continue;
        WL_TRY(wl_args_read(tool_at(t), 2, argv, &args, &finished));
        for (int i = 0; i < OWN_OF_TOOLS; i++)
            printf("%s\t--%s\t%s\t\t%s\n", tool_at(t)->name, own_options[i].name, own_options[i].argument,
                   own_options[i].help);
    }
    return WL_OK;
}

static const wl_command *tool_named(const char *name) {
    for (size_t t = 0; t < TOOLS; t++)
        if (strcmp(name, tool_at(t)->name) == 0) return tool_at(t);
    return NULL;
}

/* What one process answers without others. 0: nothing. */
static int answers(int argc, char **argv) {
    const char *first = argc > 1 ? argv[1] : "";
    const wl_command *tool = argc == 3 && strcmp(argv[2], "--words") == 0 ? tool_named(first) : NULL;
    if (tool != NULL || (argc == 2 && strcmp(first, "--words") == 0)) return print_words(tool) == WL_OK;
    if (argc != 2) return 0;
    if (strcmp(first, "--help") == 0)
        print_help();
    else if (strcmp(first, "--version") == 0)
        puts("warpladder-mpi " WL_VERSION);
    else if (strcmp(first, "--man") == 0)
        print_page();
    else
        return 0;
    return 1;
}

/* --- This process among the others ------------------------------------------------------------------------------ */

/* The processors of this host that its ranks may use, over those ranks. One that the launcher has tied to processors of its own
   takes these. *share: the processors of how many ranks one may use once the others have nothing left to do. */
static int threads_of(MPI_Comm host, int ranks, int *share) {
    cpu_set_t own, all;
    *share = 1;
    if (sched_getaffinity(0, sizeof own, &own) != 0) return 0;
    MPI_Allreduce(&own, &all, sizeof own, MPI_BYTE, MPI_BOR, host);
    const int mine = CPU_COUNT(&own), together = CPU_COUNT(&all);
    if (mine == together) *share = ranks;
    if (getenv("OMP_NUM_THREADS")) return 0;
    if (mine < together) return mine;
    return together / ranks > 0 ? together / ranks : 1;
}

static void find_place(wl_mpi_run *run) {
    MPI_Comm host;
    int ranks, place;
    MPI_Comm_rank(MPI_COMM_WORLD, &run->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run->ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, run->rank, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &place);
    MPI_Comm_size(host, &ranks);
    run->driver.gpu = run->ranks > 1 ? place : -1;
    run->threads = threads_of(host, ranks, &run->driver.merge_share);
    MPI_Comm_free(&host);
    if (run->threads > 0) {
        omp_set_num_threads(run->threads);
        wl_threads_unless_given(run->threads);
    }
}

/* The number of this process on its host, as launchers tell it before MPI starts (Open MPI, MPICH, Slurm); -1: none does. */
static int place_told(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        if (text && *text >= '0' && *text <= '9') return atoi(text);
    }
    return -1;
}

/* A GPU takes some tenths of a second to start, and so does MPI. The context that this makes is the process's, and the tool finds it when
   it asks for its device. If the launcher's number is another than MPI's, the tool starts another GPU. */
static void *start_gpu(void *unused) {
    char text[64];
    wl_device_list devices;
    const char *request = wl_devices_one("auto", place_told(), text);
    if (request == text) wl_devices_select(request, &devices); // what fails, the tool will say
    return unused;
}

/* --device cpu, or any other word, needs no GPU before it is read. */
static int may_start_gpu(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], "--d", 3) == 0 && (argv[i][3] == 0 || argv[i][3] == 'e')) return 0;
    return place_told() >= 0;
}

/* Open MPI looks for fast networks as long as for all else of its start. Ranks of one host share memory. */
static void leave_out_networks(void) {
    const char *all = getenv("OMPI_COMM_WORLD_SIZE"), *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (all && here && strcmp(all, here) == 0) setenv("OMPI_MCA_pml", "ob1", 0);
}

/* --- The line ---------------------------------------------------------------------------------------------------- */

/* Takes --name VALUE or --name=VALUE out of the words. 1: there was one. -1: without a value. */
static int take_option(int *argc, char **argv, const char *name, const char **value) {
    const size_t length = strlen(name);
    for (int i = 1; i < *argc; i++) {
        if (strncmp(argv[i], name, length) != 0 || (argv[i][length] != 0 && argv[i][length] != '=')) continue;
        const int words = argv[i][length] == '=' ? 1 : 2;
        if (i + words > *argc) return -1;
        *value = words == 1 ? argv[i] + length + 1 : argv[i + 1];
        memmove(argv + i, argv + i + words, (size_t)(*argc - i - words + 1) * sizeof *argv);
        *argc -= words;
        return 1;
    }
    return 0;
}

static wl_status read_own(int *argc, char **argv, wl_mpi_run *run) {
    const char *chunks = NULL, *again;
    char *end;
    if (take_option(argc, argv, "--work", &run->folder) < 0)
        return wl_fail(WL_BAD_USAGE, "option --work: the value is missing; expected --work DIR");
    if (take_option(argc, argv, "--units", &chunks) < 0)
        return wl_fail(WL_BAD_USAGE, "option --units: the value is missing; expected --units N");
    if (take_option(argc, argv, "--work", &again) || take_option(argc, argv, "--units", &again))
        return wl_fail(WL_BAD_USAGE, "options --work and --units: found twice; expected each once");
    if (run->folder && *run->folder == 0)
        return wl_fail(WL_BAD_USAGE, "option --work: is empty; expected the name of a folder");
    if (chunks == NULL) return WL_OK;
    run->chunks = strtoull(chunks, &end, 10);
    if (*chunks >= '0' && *chunks <= '9' && *end == 0 && run->chunks >= 1 && run->chunks <= 1000000) return WL_OK;
    return wl_fail(WL_BAD_USAGE, "option --units: found '%.80s'; expected a whole number from 1 to 1000000", chunks);
}

static wl_status call(const wl_command *tool, int argc, char **argv, wl_mpi_run *run) {
    char program[64];
    wl_args args;
    wl_argfile given;
    int finished = 1;
    snprintf(program, sizeof program, "warpladder %s", tool->name); // as in the single run's line
    argv[0] = program;
    wl_status status = wl_argfile_read(tool->foreign, argc, argv, &given);
    if (status == WL_OK) status = wl_args_read(tool, given.argc, given.argv, &args, &finished);
    if (!finished) { // else it is a wrong line, or help that was asked for
        args.quiet |= run->rank > 0;
        args.ignored = given.ignored;
        wl_parts_drive(&run->driver);
        status = tool->run(&args);
        if (status == WL_OK && run->rank == 0) wl_tell_end(&args);
        wl_args_free(&args);
    }
    wl_argfile_free(&given);
    return status;
}

static wl_status run_all(int argc, char **argv, wl_mpi_run *run, const wl_command **tool) {
    WL_TRY(read_own(&argc, argv, run));
    if (argc < 2) return wl_fail(WL_BAD_USAGE, "found no command; expected search, distances or align-reads");
    *tool = tool_named(argv[1]);
    if (*tool == NULL)
        return wl_fail(WL_BAD_USAGE, "found the command '%.80s'; expected search, distances or align-reads", argv[1]);
    return call(*tool, argc - 1, argv + 1, run);
}

int main(int argc, char **argv) {
    if (answers(argc, argv)) {
        const int error = wl_write_error(stdout);
        if (error != 0) fprintf(stderr, "warpladder-mpi: standard output: %s\n", strerror(error));
        return error != 0 ? WL_NO_MACHINE : WL_OK;
    }
    int provided;
    pthread_t starting;
    wl_devices_main(argv);
    leave_out_networks(); // before other threads read the environment
    const int starts = may_start_gpu(argc, argv) && wl_thread_start(&starting, start_gpu, NULL);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    wl_outfile_on_signals_quietly();
    wl_mpi_run run = wl_mpi_run_of();
    const wl_command *tool = NULL;
    find_place(&run);
    if (run.rank > 0 && freopen("/dev/null", "w", stdout) == NULL) return WL_NO_MACHINE; // one rank writes the output
    const wl_status status = run_all(argc, argv, &run, &tool);
    if (starts) pthread_join(starting, NULL);
    if (status != WL_OK) wl_mpi_fail(tool ? tool->name : "", status);
    const int code = run.rank == 0 ? wl_finish(tool, WL_OK) : WL_OK;
    if (code != WL_OK) MPI_Abort(MPI_COMM_WORLD, code);
    wl_mpi_meet();
    MPI_Finalize();
    return code;
}
