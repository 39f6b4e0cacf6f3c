/* parasail_pairs FUNCTION QUERIES SUBJECTS: the seconds that a function of parasail needs for the scores of all pairs of nucleotides, +2 and
   -3, a gap of k letters 3 + 2k, on one thread; and the sum of the scores. For search_session.sh. */
#include <parasail.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    char *letters;
    int length;
} sequence;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static size_t read_file(const char *path, sequence **all) {
    enum { LONGEST = 1 << 20 };
    FILE *file = fopen(path, "r");
    size_t count = 0;
    if (file == NULL) exit(2);
    for (int c = getc(file), in_name = 0; c != EOF; c = getc(file)) {
        if (c == '>') {
            *all = realloc(*all, (count + 1) * sizeof **all);
            (*all)[count++] = (sequence){malloc(LONGEST), 0};
            in_name = 1;
        } else if (c == '\n') {
            in_name = 0;
        } else if (!in_name) {
            (*all)[count - 1].letters[(*all)[count - 1].length++] = (char)c;
        }
    }
    fclose(file);
    return count;
}

int main(int argc, char **argv) {
    parasail_function_t *align = argc == 4 ? parasail_lookup_function(argv[1]) : NULL;
    if (align == NULL) return 2;
    const parasail_matrix_t *matrix = parasail_matrix_create("ACGT", 2, -3);
    sequence *query = NULL, *subject = NULL;
    const size_t queries = read_file(argv[2], &query), subjects = read_file(argv[3], &subject);
    long sum = 0;
    const double begin = now();
    for (size_t q = 0; q < queries; q++)
        for (size_t s = 0; s < subjects; s++) {
            parasail_result_t *result =
                align(query[q].letters, query[q].length, subject[s].letters, subject[s].length, 5, 2, matrix);
            sum += result->score;
            parasail_result_free(result);
        }
    printf("%.4f %ld\n", now() - begin, sum);
    return 0;
}
