/* A class: many submissions of a lab graded side by side, and what came of them; and whether a lab grades as it should. */
#ifndef WL_LABS_CLASS_H
#define WL_LABS_CLASS_H

#include "labs/lab.h"

typedef struct {
    const char *lab_folder;
    const char *seed; /* NULL: each student's name is its seed */
    int jobs;         /* submissions at a time */
    const char *out;  /* the folder for NAME.json (Gradescope's), NAME.xml (JUnit's), NAME.txt and class.tsv */
} wl_lab_class;

/* Grades each submission, a kernel.cu or a folder with one; its name is the file's or the folder's. WL_OK also where submissions are
   wrong; those that could not be graded get no points, and the reason as their output. */
wl_status wl_lab_grade_class(const wl_lab_class *class, const char *const *submissions, size_t count);

/* The file of a submission, and the student's name. The caller frees both. */
wl_status wl_lab_submission(const char *path, char **kernel, char **student);

/* class.tsv of each folder as CSV on `out`, a line a student and lab; and where `page` is not NULL, a page with the distribution. */
wl_status wl_lab_report(const char *const *folders, size_t count, FILE *out, const char *page);

/* Whether labs [count] (0: all) grade as they should: says what it finds on `out`. All are looked at even if one fails; the first that
   cannot be read or grades wrongly (WL_CHECK_FAILED) is the result. */
wl_status wl_lab_verify(const char *const *names, size_t count, const wl_lab_choice *choice, FILE *out);

#endif
