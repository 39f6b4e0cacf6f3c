/* warpladder lab: the labs of a course, made, checked and graded. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "harness/base/cpu.h"
#include "harness/base/outfile.h"
#include "harness/base/text.h"
#include "labs/class.h"
#include "labs/sandbox.h"

static const wl_option options[] = {
    {"lab", "NAME", NULL, "check, grade: the lab, where the file 'lab' beside kernel.cu does not name it"},
    {"seed", "TEXT", NULL,
     "a number or a student's name: sizes and data are drawn by it (default: check: that of the file 'lab', or 1; "
     "grade: the submission's name)"},
    {"out", "PATH", NULL, "what is written: a folder (make; grade of several, or without --format), or a file"},
    {"format", "F:text gradescope classroom50 junit", "text", "check, grade: how the result is written"},
    {"source", "URL", NULL,
     "make, autograder: the git repository that other machines get Warpladder from (default of make: the git remote of "
     "the tree that this program was built from; without one, make leaves out what needs it)"},
    {"package", "FILE", NULL, "autograder: the .deb of Warpladder, in place of --source"},
    {"table", "T:students tests similar", "students", "report: what is printed as CSV"},
    {"jobs", "N", NULL, "grade: submissions at a time (default: one for each core)"},
    {"only", "TEST", NULL, "check, grade: run one test alone, by its name in lab.ini"},
    {"visible", NULL, NULL, "leave out the hidden tests, as check does"},
    {"trust-submissions", NULL, NULL, "grade: go on where the system has no sandbox"},
    {NULL, NULL, NULL, NULL},
};

/* ---- the lab of a line ---- */

static wl_lab_choice choice_of(const wl_args *args, const char *seed) {
    const char *given = wl_argument(&args->own, "seed");
    if (given) seed = given;
    return (wl_lab_choice){.seed = seed ? seed : "1",
                           .visible_only = wl_argument_given(&args->own, "visible"),
                           .only = wl_argument(&args->own, "only")};
}

static wl_status read_lab(const wl_args *args, const char *name, const char *seed, wl_lab *lab) {
    const wl_lab_choice choice = choice_of(args, seed);
    if (name == NULL)
        return wl_fail(WL_BAD_USAGE, "which lab is it? --lab NAME says it, or the file 'lab' beside kernel.cu");
    return wl_lab_open(name, &choice, lab);
}

/* The lab of the kernel that is checked or graded. `student` (NULL: nobody is graded) is the seed in place of the one beside the
   kernel, which a submission could choose. */
static wl_status lab_of_kernel(const wl_args *args, const char *kernel, const char *student, wl_lab *lab) {
    char *name, *seed;
    wl_lab_read_mark(kernel, &name, &seed);
    const char *given = wl_argument(&args->own, "lab");
    if (student && !given && name && !args->quiet)
        wl_print(stderr, "warpladder lab: graded as lab %s, as the submission says; --lab says it for sure\n", name);
    const wl_status status = read_lab(args, given ? given : name, student ? student : seed, lab);
    free(name);
    free(seed);
    return status;
}

/* ---- results ---- */

static wl_status write_result(const wl_args *args, const wl_lab_result *result) {
    static void (*const writers[])(FILE *, const wl_lab_result *) = {wl_lab_print, wl_lab_gradescope,
                                                                     wl_lab_classroom50, wl_lab_junit};
    const char *path = wl_argument(&args->own, "out");
    wl_outfile file;
    int place;
    WL_TRY(wl_argument_choice(&args->own, "format", &place));
    if (path == NULL) return writers[place](stdout, result), WL_OK;
    WL_TRY(wl_outfile_open(path, &file));
    writers[place](file.stream, result);
    return wl_outfile_commit(&file);
}

static wl_status grade_one(const wl_args *args, const char *kernel, wl_lab *lab, wl_lab_care care) {
    wl_lab_result result;
    wl_status status = wl_lab_grade(lab, kernel, care, &result);
    if (status == WL_OK) status = write_result(args, &result);
    if (status == WL_OK && result.score < wl_lab_points(lab))
        status = wl_fail(WL_CHECK_FAILED, "%s", ""); // all is said
    wl_lab_result_free(&result);
    wl_lab_free(lab);
    return status;
}

/* ---- the actions ---- */

static wl_status list(const wl_args *args) {
    (void)args;
    return wl_lab_list(stdout);
}

static wl_status make(const wl_args *args) {
    const char *out = wl_argument(&args->own, "out"), *given = wl_argument(&args->own, "source");
    wl_lab lab;
    char *remote = NULL;
    if (args->count != 2 || out == NULL) return wl_fail(WL_BAD_USAGE, "expected 'lab make NAME --out DIR'");
    WL_TRY(read_lab(args, args->words[1], NULL, &lab));
    if (given == NULL && wl_lab_source(&remote) != WL_OK && !args->quiet)
        wl_print(stderr, "warpladder lab: %s\n", wl_error());
    const wl_status status = wl_lab_make(&lab, out, given ? given : remote);
    free(remote);
    if (status == WL_OK && !args->quiet)
        wl_print(stdout, "%s: kernel.cu is to be completed; ./check there says what is missing\n", out);
    wl_lab_free(&lab);
    return status;
}

static wl_status check(const wl_args *args) {
    const char *kernel = args->count > 1 ? args->words[1] : "kernel.cu";
    wl_lab lab;
    WL_TRY(lab_of_kernel(args, kernel, NULL, &lab));
    wl_lab_drop_hidden(&lab);
    return grade_one(args, kernel, &lab, WL_LAB_CHECKED);
}

static wl_status grade_several(const wl_args *args) {
    int64_t jobs = wl_cpu_threads();
    char *folder;
    const char *name = wl_argument(&args->own, "lab"), *out = wl_argument(&args->own, "out");
    if (name == NULL || out == NULL)
        return wl_fail(
            WL_BAD_USAGE,
            "expected --lab NAME and --out DIR: so several submissions are graded, and one without --format");
    for (const char *const *o = (const char *const[]){"format", "only", "visible", NULL}; *o; o++)
        if (wl_argument_given(&args->own, *o))
            return wl_fail(WL_BAD_USAGE, "option --%s: found with several submissions; expected one", *o);
    if (wl_argument_given(&args->own, "jobs")) WL_TRY(wl_argument_integer(&args->own, "jobs", 1, 1024, &jobs));
    WL_TRY(wl_lab_find(name, &folder));
    const wl_lab_class class = {folder, wl_argument(&args->own, "seed"), (int)jobs, out};
    const wl_status status = wl_lab_grade_class(&class, args->words + 1, (size_t)args->count - 1);
    free(folder);
    return status;
}

static wl_status grade(const wl_args *args) {
    wl_lab lab;
    char *kernel, *student;
    if (args->count < 2) return wl_fail(WL_BAD_USAGE, "expected 'lab grade SUBMISSION...'");
    if (*wl_sandbox_lacks() && !wl_argument_given(&args->own, "trust-submissions"))
        return wl_fail(WL_NO_MACHINE,
                       "submissions need a sandbox to run in: %s; --trust-submissions runs them with your rights",
                       wl_sandbox_lacks());
    /* With --out and no format of a file, one submission is a class of one: a folder for `report`. */
    if (args->count > 2 || (wl_argument_given(&args->own, "out") && !wl_argument_given(&args->own, "format") &&
                            !wl_argument_given(&args->own, "only") && !wl_argument_given(&args->own, "visible")))
        return grade_several(args);
    if (wl_argument_given(&args->own, "jobs"))
        return wl_fail(WL_BAD_USAGE, "option --jobs: found with one submission; expected several");
    WL_TRY(wl_lab_submission(args->words[1], &kernel, &student));
    wl_status status = lab_of_kernel(args, kernel, student, &lab);
    if (status == WL_OK) status = grade_one(args, kernel, &lab, WL_LAB_GRADED);
    if (status == WL_CHECK_FAILED && wl_argument(&args->own, "out") != NULL) status = WL_OK; // the file has it
    free(kernel);
    free(student);
    return status;
}

static wl_status report(const wl_args *args) {
    if (args->count < 2) return wl_fail(WL_BAD_USAGE, "expected 'lab report DIR...', folders that 'lab grade' wrote");
    int table;
    WL_TRY(wl_argument_choice(&args->own, "table", &table));
    return wl_lab_report(args->words + 1, (size_t)args->count - 1, (wl_lab_table)table, stdout,
                         wl_argument(&args->own, "out"));
}

static wl_status verify(const wl_args *args) {
    const wl_lab_choice choice = choice_of(args, NULL);
    return wl_lab_verify(args->words + 1, (size_t)args->count - 1, &choice, stdout);
}

static wl_status autograder(const wl_args *args) {
    const char *out = wl_argument(&args->own, "out"), *source = wl_argument(&args->own, "source"),
               *package = wl_argument(&args->own, "package");
    wl_lab lab;
    if (args->count != 2 || out == NULL || (source == NULL) == (package == NULL))
        return wl_fail(WL_BAD_USAGE,
                       "expected 'lab autograder NAME --out FILE.zip' with --package FILE.deb or --source URL");
    WL_TRY(read_lab(args, args->words[1], NULL, &lab));
    const wl_status status = wl_lab_make_autograder(&lab, source, package, out);
    wl_lab_free(&lab);
    return status;
}

/* ---- parts of a run, in a process of their own ---- */

/* Does it run in the sandbox? */
static int is_closed(const wl_args *args) { return args->count > 3 && strcmp(args->words[3], "closed") == 0; }

static wl_status build(const wl_args *args) {
    wl_lab lab;
    if (args->count < 3 || fcntl(WL_SANDBOX_RESULTS, F_GETFD) < 0)
        return wl_fail(WL_BAD_USAGE, "'lab build' is a part of 'lab grade'");
    if (is_closed(args)) WL_TRY(wl_sandbox_enter(0));
    WL_TRY(read_lab(args, args->words[1], NULL, &lab));
    const wl_status status = wl_lab_build_into(&lab, args->words[2], WL_SANDBOX_RESULTS);
    wl_lab_free(&lab);
    return status;
}

static wl_status trial(const wl_args *args) {
    wl_lab lab;
    if (args->count < 3 || fcntl(WL_SANDBOX_RESULTS, F_GETFD) < 0)
        return wl_fail(WL_BAD_USAGE, "'lab trial' is a part of 'lab check' and 'lab grade'");
    WL_TRY(read_lab(args, args->words[1], NULL, &lab));
    wl_status status = is_closed(args) ? wl_sandbox_enter(1) : WL_OK;
    if (status == WL_OK) status = wl_lab_trial(&lab, strtoul(args->words[2], NULL, 10), WL_SANDBOX_RESULTS);
    wl_lab_free(&lab);
    return status;
}

typedef struct {
    const char *name;
    wl_status (*run)(const wl_args *args);
    const char *takes; // the options that it uses, separated by blanks
} action;

static int takes(const action *a, const char *option) {
    const size_t length = strlen(option);
    for (const char *at = a->takes; (at = strstr(at, option)) != NULL; at += length)
        if ((at == a->takes || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0)) return 1;
    return 0;
}

static wl_status run(const wl_args *args) {
    static const action actions[] = {
        {"list", list, ""},
        {"make", make, "seed out source"},
        {"check", check, "lab seed out format only visible"},
        {"grade", grade, "lab seed out format jobs only visible trust-submissions"},
        {"report", report, "out table"},
        {"verify", verify, "seed only visible"},
        {"autograder", autograder, "out source package seed"},
        {"build", build, "seed only visible"},
        {"trial", trial, "seed only visible"},
    };
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(args->words[0], actions[i].name) != 0) continue;
        for (const wl_option *o = options; o->name; o++)
            if (wl_argument_given(&args->own, o->name) && !takes(&actions[i], o->name))
                return wl_fail(WL_BAD_USAGE, "found the option --%s, which 'lab %s' does not have", o->name,
                               actions[i].name);
        return actions[i].run(args);
    }
    return wl_fail(WL_BAD_USAGE, "found '%.80s'; expected list, make, check, grade, report, verify or autograder",
                   args->words[0]);
}

static const wl_command command_lab = {
    .name = "lab",
    .brief = "make, check and grade the labs of a course",
    .arguments =
        "list | make NAME | check [KERNEL] | grade SUBMISSION... | report DIR... | verify [NAME...] | autograder NAME",
    .summary = "Make a student's repository of a lab, check the kernel in it, or grade submissions. No GPU is needed. "
               "docs/teaching.md is the instructor's manual.",
    .example = "warpladder lab make 02_coalesced --seed 17 --out mylab && mylab/check\n"
               "  warpladder lab grade --lab 02_coalesced --out graded submissions/*\n"
               "  warpladder lab report graded --out class.html",
    .options = options,
    .common = WL_TAKES_QUIET,
    .least = 1,
    .most = WL_WORDS_MOST,
    .run = run,
};

WL_REGISTER_COMMAND(command_lab)
