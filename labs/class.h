/* Grades many submissions of a lab side by side, reports a class's results, and verifies that a lab grades as it should. */
#pragma once

#include "labs/lab.h"

typedef struct {
    const char *lab_folder;
    const char *seed; // NULL: each student's name is its seed
    int jobs;         // submissions at a time
    const char *out; // the folder for NAME.json (Gradescope's), NAME.xml (JUnit's), NAME.txt, class.tsv and similar.tsv
} wl_lab_class;

/* Grades each submission, a kernel.cu or a folder with one; its name is the file's or the folder's. WL_OK also if submissions are wrong.
   Those that cannot be graded get no points, and the reason as their output. */
wl_status wl_lab_grade_class(const wl_lab_class *class, const char *const *submissions, size_t count);

/* The file of a submission, and the student's name. The caller frees both. */
wl_status wl_lab_submission(const char *path, char **kernel, char **student);

/* The first line of class.tsv. The tests' fields are ID=POINTS/ALL REASON, with "ok" as the reason of one that is passed. */
extern const char wl_lab_class_head[];

/* Writes which pairs of submissions are alike to `path`; see labs/similar.c. `stub`: of it all have the kernel's names. */
wl_status wl_lab_write_similar(const char *const *submissions, size_t count, const char *stub, const char *path);

/* A table of the folders' classes as CSV to `out`: a line for each student and lab, for each test, or for each pair that is alike. Writes a
   page with all of it if `page` is not NULL. */
typedef enum { WL_LAB_STUDENTS, WL_LAB_BY_TEST, WL_LAB_SIMILAR } wl_lab_table;
wl_status wl_lab_report(const char *const *folders, size_t count, wl_lab_table table, FILE *out, const char *page);

/* Checks whether labs [count] (0: all) grade as they should, and writes what it finds to `out`. It checks all, even if one fails. The
   result is that of the first lab that cannot be read or grades wrongly (WL_CHECK_FAILED). */
wl_status wl_lab_verify(const char *const *names, size_t count, const wl_lab_choice *choice, FILE *out);
