/* Does a lab grade as it should? Its solution must get all points and its stub none. Each planted mistake must fail the test that the
   first line of the sed script names, for this reason: "# TEST: REASON". */
#include "labs/class.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "sim/toolchain/toolchain.h"

typedef struct {
    const wl_lab *lab;
    FILE *out;
    char *work;
    size_t wrong;
} verifying;

static void say(verifying *v, int right, const char *what, const char *found) {
    fprintf(v->out, "%s  %s: %s%s%s\n", right ? "  ok" : "  --", v->lab->name, what, *found ? ": " : "", found);
    v->wrong += !right;
}

static void score_of(const wl_lab_result *result, char text[128]) {
    snprintf(text, 128, "%g of %g points", result->score, wl_lab_points(result->lab));
}

/* The output of the first test that failed. */
static const char *first_failure(const wl_lab_result *result) {
    if (result->failed) return result->failed;
    for (size_t i = 0; i < result->lab->count; i++)
        if (result->tests[i].state == WL_LAB_LOST) return result->tests[i].output ? result->tests[i].output : "";
    return "";
}

static wl_status verify_solution(verifying *v) {
    char *path, text[128];
    wl_lab_result result;
    WL_TRY(wl_lab_solution(v->lab, &path));
    const wl_status status = wl_lab_grade(v->lab, path, WL_LAB_GRADED, &result);
    if (status == WL_OK) {
        const int right = result.score == wl_lab_points(v->lab);
        score_of(&result, text);
        say(v, right, "the solution", right ? text : first_failure(&result));
    }
    wl_lab_result_free(&result);
    free(path);
    return status;
}

static wl_status verify_stub(verifying *v) {
    char path[4096], text[128];
    wl_lab_result result;
    snprintf(path, sizeof path, "%s/stub.cu", v->work);
    WL_TRY(wl_lab_make_stub(v->lab, path));
    const wl_status status = wl_lab_grade(v->lab, path, WL_LAB_GRADED, &result);
    if (status == WL_OK) {
        score_of(&result, text);
        if (result.failed)
            say(v, 0, "the stub does not compile", result.failed);
        else
            say(v, result.score == 0, "the stub", text);
    }
    wl_lab_result_free(&result);
    return status;
}

/* Does the result lack the points of `test` and give the reason? "compile": it does not compile. */
static int loses(const wl_lab_result *result, const char *test, const char *reason) {
    if (result->failed) return strcmp(test, "compile") == 0 && strstr(result->failed, reason) != NULL;
    for (size_t i = 0; i < result->lab->count; i++)
        if (strcmp(result->lab->tests[i].id, test) == 0)
            return result->tests[i].state == WL_LAB_LOST && result->tests[i].output &&
                   strstr(result->tests[i].output, reason);
    return 0;
}

/* Splits "# loads: has most of them" into its two parts. */
static wl_status read_claim(const char *script, char **claim, char **reason) {
    WL_TRY(wl_text_read(script, claim));
    char *colon = strchr(*claim, ':');
    (*claim)[strcspn(*claim, "\n")] = 0;
    if (strncmp(*claim, "# ", 2) != 0 || colon == NULL || strlen(colon) < 3) {
        free(*claim);
        return wl_fail(
            WL_BAD_INPUT,
            "%s:1: expected '# TEST: REASON': the test that this mistake fails, and what the student is told", script);
    }
    *colon = 0;
    *reason = colon + 2;
    return WL_OK;
}

static wl_status plant(const verifying *v, const char *script, const char *to) {
    char *solution;
    WL_TRY(wl_lab_solution(v->lab, &solution));
    wl_word_list words = {0};
    int code = 0;
    wl_words(&words, "sh", "-c", "sed -f \"$1\" \"$2\" >\"$3\" && ! cmp -s \"$2\" \"$3\"", "sh", script, solution, to);
    wl_status status = wl_run_command(words.items, NULL, NULL, &code);
    if (status == WL_OK && code != 0) status = wl_fail(WL_BAD_INPUT, "%s: changes nothing in %s", script, solution);
    wl_words_free(&words);
    free(solution);
    return status;
}

static wl_status verify_planted(verifying *v, const char *script) {
    char path[4096], *claim = NULL, *reason = NULL;
    const char *slash = strrchr(script, '/');
    wl_lab_result result = {0};
    snprintf(path, sizeof path, "%s/planted.cu", v->work);
    WL_TRY(plant(v, script, path));
    WL_TRY(read_claim(script, &claim, &reason));
    wl_lab one; // only with the test that the mistake must fail
    wl_status status = wl_lab_read(v->lab->folder, v->lab->seed, &one);
    if (status == WL_OK && strcmp(claim + 2, "compile") != 0) status = wl_lab_keep(&one, claim + 2);
    if (status == WL_OK) status = wl_lab_grade(&one, path, WL_LAB_TRUSTED, &result);
    if (status == WL_OK) {
        const int right = loses(&result, claim + 2, reason);
        char what[256];
        snprintf(what, sizeof what, "%s loses %s", slash + 1, claim + 2);
        say(v, right, what,
            right              ? reason
            : result.score > 0 ? "it does not, or it does for another reason"
                               : first_failure(&result));
    }
    wl_lab_result_free(&result);
    wl_lab_free(&one);
    free(claim);
    return status;
}

static wl_status verify_one(const wl_lab *lab, FILE *out) {
    verifying v = {.lab = lab, .out = out};
    char *pattern;
    glob_t scripts = {0};
    if (asprintf(&pattern, "%s/wrong/*.sed", lab->folder) < 0) return wl_fail(WL_NO_MACHINE, "no memory for a path");
    wl_status status = wl_temporary_folder(&v.work);
    if (status == WL_OK) status = verify_solution(&v);
    if (status == WL_OK) status = verify_stub(&v);
    if (glob(pattern, 0, NULL, &scripts) == 0)
        for (size_t i = 0; status == WL_OK && i < scripts.gl_pathc; i++)
            status = verify_planted(&v, scripts.gl_pathv[i]);
    if (status == WL_OK && scripts.gl_pathc == 0)
        status = wl_fail(WL_BAD_INPUT, "%s: there are no planted mistakes", pattern);
    globfree(&scripts);
    free(pattern);
    if (v.work) wl_remove_folder(v.work);
    free(v.work);
    if (status == WL_OK && v.wrong > 0)
        return wl_fail(WL_CHECK_FAILED, "%s: %zu of the checks of this lab failed", lab->name, v.wrong);
    return status;
}

wl_status wl_lab_verify(const char *const *names, size_t count, const wl_lab_choice *choice, FILE *out) {
    char **all = NULL;
    wl_saved_error worst = {0};
    if (count == 0) WL_TRY(wl_lab_names(&all));
    for (size_t i = 0; all ? all[i] != NULL : i < count; i++) {
        wl_lab lab;
        wl_status status = wl_lab_open(all ? all[i] : names[i], choice, &lab);
        if (status == WL_OK) {
            status = verify_one(&lab, out);
            wl_lab_free(&lab);
        }
        wl_save_error(&worst, i, status);
    }
    for (char **name = all; name && *name; name++) free(*name);
    free(all);
    return wl_saved_error_again(&worst);
}
