/* A lab: a stage with a part left out, and tests for what a student writes there.

   labs/NN_name/ has lab.ini (labs/README.md describes it), page.md, which the student reads, and wrong/, sed scripts that plant one
   mistake each in the solution. The solution is the stage itself; labs/stub.c makes the stub from it. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "harness/base/text.h"

enum { WL_LAB_KERNEL_MOST = 1 << 20 }; // bytes of a submission
enum { WL_LAB_TESTS = 32, WL_LAB_SHAPES = 32, WL_LAB_NO_COUNTER = -1, WL_LAB_PER_WORK = -2 };

/* Kinds of mistakes (labs/mistake.c). From MISSING to COMPILE nothing is tested. */
typedef enum {
    WL_LAB_NO_MISTAKE,
    WL_LAB_MISSING,
    WL_LAB_MARKS,
    WL_LAB_FORBIDDEN,
    WL_LAB_COMPILE,
    WL_LAB_EMPTY,
    WL_LAB_RACE,
    WL_LAB_MEMORY,
    WL_LAB_ALIGNMENT,
    WL_LAB_UNWRITTEN,
    WL_LAB_BARRIER,
    WL_LAB_ENDLESS,
    WL_LAB_STOPPED,
    WL_LAB_NOTHING,
    WL_LAB_AGAIN,
    WL_LAB_WRONG,
    WL_LAB_MORE,
    WL_LAB_FEWER,
    WL_LAB_MISTAKES
} wl_lab_mistake;

/* In two or three words, for tables; the hint that helps with all mistakes of the kind, or NULL; the kind that lab.ini calls `id`, or
   WL_LAB_NO_MISTAKE. */
const char *wl_lab_mistake_name(wl_lab_mistake kind);
const char *wl_lab_mistake_hint(wl_lab_mistake kind);
wl_lab_mistake wl_lab_mistake_called(const char *id);
/* The first kind from `first` to `last` that a message tells of; `other`: none. */
wl_lab_mistake wl_lab_mistake_of(const char *message, wl_lab_mistake first, wl_lab_mistake last, wl_lab_mistake other);

typedef struct {
    char *id;   // the section: "coalesced"
    char *name; // "Loads of a warp lie side by side"
    double points;
    char *shapes[WL_LAB_SHAPES]; // as options of the problem, drawn by the seed
    size_t shape_count;
    int counter, per;   // of wl_lab_counter_name; per: WL_LAB_NO_COUNTER: the counter itself
    double most, least; // the limits of the counter or its quotient
    int hidden;         // students do not see its output
    int condition;      // no other test earns points unless this one is passed
    char *hint;         // NULL: none
} wl_lab_test;

typedef struct {
    char *name, *folder; // "02_coalesced", and its path
    char *title;
    char *problem, *stage;        // "lessons", "02_coalesced": the solution
    char *calls;                  // the problem's functions that the stage may call: an extended regular expression
    char *steps;                  // limit per block on the simulated device; NULL: the default
    double seconds;               // limit for all tests together
    int barriers_for_all;         // no thread may return before a barrier that others reach
    double race_credit;           // the share of a test's points if a race is all that is wrong
    char *hints[WL_LAB_MISTAKES]; // of this lab, in place of wl_lab_mistake_hint; NULL: none
    uint64_t seed;                // of sizes and data
    wl_lab_test tests[WL_LAB_TESTS];
    size_t count;
    int visible_only; // hidden tests have been left out
    int one_only;     // all tests but one have been left out
} wl_lab;

/* Reads the lab of a folder with a lab.ini. `seed` draws the sizes. WL_BAD_INPUT names the wrong line. wl_lab_free frees, also after a
   failure. */
wl_status wl_lab_read(const char *folder, uint64_t seed, wl_lab *lab);
void wl_lab_free(wl_lab *lab);
/* Leaves out the hidden tests; or all tests but one. WL_BAD_USAGE: there is no such test. */
void wl_lab_drop_hidden(wl_lab *lab);
wl_status wl_lab_keep(wl_lab *lab, const char *id);
/* The folder of a lab by its name, "02_coalesced", its number, "2", or its stage, "lessons/02_coalesced". WL_BAD_USAGE names all
   labs. The caller frees. */
wl_status wl_lab_find(const char *name, char **folder);
/* The names of all labs, sorted; the caller frees each and the array, which ends with NULL. */
wl_status wl_lab_names(char ***names);
/* Prints a table of all labs. WL_BAD_INPUT as wl_lab_read. */
wl_status wl_lab_list(FILE *out);
/* The file from which the stub is made. The caller frees. */
wl_status wl_lab_solution(const wl_lab *lab, char **path);
double wl_lab_points(const wl_lab *lab);
/* A seed of a text such as a student's name: the same on every machine. A whole number is itself. */
uint64_t wl_lab_seed(const char *text);

/* ---- labs/open.c ---- */

/* How to read a lab. */
typedef struct {
    const char *seed; // a number or a student's name (wl_lab_seed)
    int visible_only; // without the hidden tests
    const char *only; // only this test, by its name; NULL: all
} wl_lab_choice;

/* The lab of a name (wl_lab_find) or of a whole path, read as `choice` says. WL_BAD_USAGE: there is no such lab, or no such test;
   WL_BAD_INPUT as wl_lab_read. On success wl_lab_free frees. */
wl_status wl_lab_open(const char *name, const wl_lab_choice *choice, wl_lab *lab);
/* Reads a file that a stranger may have made: no FIFO, which would never end, no link, and at most `most` bytes. The caller frees. */
wl_status wl_lab_read_plain(const char *path, size_t most, char **text);
/* The name and the seed in the file `lab` beside a kernel. Either is NULL if it is not found. The caller frees both. */
void wl_lab_read_mark(const char *kernel, char **name, char **seed);

/* ---- labs/stub.c ---- */

/* Makes the stub from `text`, the solution: leaves out the lines between each pair of marks BEGIN SOLUTION and END SOLUTION, and adds marks
   and an opening comment for students. The caller frees. */
wl_status wl_lab_stub(const wl_lab *lab, const char *text, char **stub);
/* The lab's own file with the regions of a submission. WL_BAD_INPUT, with a line of `name`: the number of regions is wrong, or a region
   has more than the statements of a kernel. The flag
   *changed says that it also differs from the lab elsewhere, which does not count, and *empty that its regions have no code. The caller
   frees. */
wl_status wl_lab_splice(const wl_lab *lab, const char *submission, const char *name, char **kernel, int *changed,
                        int *empty);
/* What students have written, region after region. NULL: there are none. The caller frees. */
char *wl_lab_written(const char *submission);
/* The next token from *at on, of *length bytes; NULL: there is none. Comments and blanks are passed over. */
const char *wl_lab_token(const char **at, const char *end, size_t *length);

/* The names of the stage's kernels, separated by blanks. The caller frees. */
wl_status wl_lab_kernels(const wl_lab *lab, char **names);

/* ---- labs/source.c ---- */

/* The address that other machines can clone Warpladder from, of the git remote of the tree that this program was built from. WL_BAD_USAGE:
   there is none. The caller frees. */
wl_status wl_lab_source(char **address);

/* ---- labs/make.c ---- */

/* Writes the student's repository. The folder must not exist, or be empty. `source`: the git repository from which other machines get
   Warpladder; NULL: the notebook, the workflow and the devcontainer, which need it, are left out. */
wl_status wl_lab_make(const wl_lab *lab, const char *folder, const char *source);
/* The stub alone. */
wl_status wl_lab_make_stub(const wl_lab *lab, const char *path);
/* Gradescope's autograder.zip at `path`: setup.sh, which installs `package` (NULL: none), a .deb, or builds `source`
   (NULL: none), and run_autograder. WL_BAD_INPUT: `package` is none. WL_NO_MACHINE: it cannot be written or packed. */
wl_status wl_lab_make_autograder(const wl_lab *lab, const char *source, const char *package, const char *path);

/* ---- labs/grader.c ---- */

typedef enum {
    WL_LAB_NOT_REACHED, // the program had to be ended before
    WL_LAB_PASSED,
    WL_LAB_LOST,
    WL_LAB_HELD_BACK // passed, but without points as long as another test fails; `output` says which
} wl_lab_state;

typedef struct {
    wl_lab_state state;
    wl_lab_mistake mistake; // a test that is lost; or passed, but for a race that is forgiven
    double points;
    double value;   // of the counter or the quotient; NAN: nothing was counted
    char shape[96]; // the sizes at which it is lost; "": none
    char *output;   // what the student reads; may be ""
} wl_lab_verdict;

typedef struct {
    const wl_lab *lab;
    wl_lab_verdict tests[WL_LAB_TESTS];
    char *failed;           // why nothing was tested, such as an error of the compiler; NULL
    wl_lab_mistake mistake; // of the whole submission
    int changed;            // the submission differs from the lab outside of its regions, which does not count
    double score, seconds;
} wl_lab_result;

/* "passed", "not reached" and so on; what cost the points of a test, or of the first test that has lost some: "race at instances 5, attributes 9", "". `text` of
   at least WL_LAB_REASON bytes, which is returned. */
enum { WL_LAB_REASON = 160 };
const char *wl_lab_state_name(wl_lab_state state);
const char *wl_lab_reason(const wl_lab_result *result, size_t test, char *text);
const char *wl_lab_first_reason(const wl_lab_result *result, char *text);

/* Builds the program with the student's stage, which runs its tests. */
wl_status wl_lab_build(const wl_lab *lab, const char *kernel, const char *program);
/* The same, in a folder of its own, and copied to an open file. */
wl_status wl_lab_build_into(const wl_lab *lab, const char *kernel, int file);

typedef enum { WL_LAB_TRUSTED, WL_LAB_CHECKED, WL_LAB_GRADED } wl_lab_care;

/* Builds the stage with the student's kernel and tests it. Trusted: the whole file (for verify); else only its regions. Except for
   `check`, each part runs in the sandbox where wl_sandbox_lacks says that there is one, and else in a process with limits. WL_OK also
   if no test passed. wl_lab_result_free frees. */
wl_status wl_lab_grade(const wl_lab *lab, const char *kernel, wl_lab_care care, wl_lab_result *result);
void wl_lab_result_free(wl_lab_result *result);

/* ---- labs/trial.c: runs within the program that the student's stage is linked to ---- */

/* Runs the tests from `first` on and writes records for wl_lab_grade to the open file `results`. */
wl_status wl_lab_trial(const wl_lab *lab, size_t first, int results);

/* ---- labs/formats.c ---- */

/* Replaces what terminals obey, and is no end of a line, by '?'. */
void wl_lab_tame(char *text);

/* "global_load_sectors per comparison", of a problem whose work counts `unit`s; each name between quotes, "" or "`". */
void wl_lab_put_measure(FILE *out, const wl_lab_test *test, const char *unit, const char *quote);

/* For a terminal: what is missing, in order, with a hint for the first mistake. */
void wl_lab_print(FILE *out, const wl_lab_result *result);
/* Gradescope's results.json, Classroom 50's result.json, JUnit's XML. */
void wl_lab_gradescope(FILE *out, const wl_lab_result *result);
void wl_lab_classroom50(FILE *out, const wl_lab_result *result);
void wl_lab_junit(FILE *out, const wl_lab_result *result);
/* One line per student, tab-separated, and its head. */
void wl_lab_line(FILE *out, const char *student, const wl_lab_result *result);
