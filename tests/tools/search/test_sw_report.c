/* Reports of a small search that is made by hand. Each format has to give its exact text. The scores, E-values, alignments and layout of
   the proteins are what blastp 2.12 printed for them. Names are as messy as files have them, and a strict parser reads the JSON.
   tests/tools/search/blast compares real reports with BLAST's. */
#include "tests/support/unit.h"
#include "tools/search/report/report.h"

/* --- A search ---------------------------------------------------------------------------------------------------- */

enum { MOST = 4, ROOM = 512 };

typedef struct {
    sw_scoring scoring;
    sw_statistics statistics;
    sw_database database;
    uint32_t length[MOST];
    uint64_t start[MOST], order[MOST], name_at[MOST];
    uint8_t residues[MOST * ROOM], query[ROOM], reverse[ROOM];
    char text[MOST * ROOM];
    sw_aligned hits[MOST];
    sw_found found;
} search;

static void check(wl_status status) {
    if (status != WL_OK) fail_msg("%s", wl_error());
}

static uint32_t encode(const search *s, const char *letters, uint8_t *codes) {
    uint32_t n = 0;
    for (; letters[n]; n++) codes[n] = (uint8_t)sw_code(s->scoring.alphabet, letters[n]);
    return n;
}

static void begin(search *s, const char *name, const char *comment, const char *query) {
    s->statistics = sw_statistics_of(&s->scoring);
    s->database = (sw_database){.alphabet = s->scoring.alphabet,
                                .set = {.length = s->length, .start = s->start, .residues = s->residues},
                                .order = s->order,
                                .name_at = s->name_at,
                                .text = s->text,
                                .title = "made.fasta"};
    s->found = (sw_found){.name = name,
                          .comment = comment,
                          .residues = s->query,
                          .length = encode(s, query, s->query),
                          .hits = s->hits,
                          .aligned = 1};
}

/* A sequence of the database, found on the query's strand or on the other. */
static void add(search *s, const char *name, const char *comment, const char *letters, int strand) {
    size_t k = s->database.set.count++, text = k * ROOM;
    s->start[k] = k * ROOM;
    s->length[k] = encode(s, letters, s->residues + s->start[k]);
    s->database.set.letters += s->length[k];
    s->order[k] = k;
    s->name_at[k] = text;
    text += (size_t)sprintf(s->text + text, "%s", name) + 1;
    sprintf(s->text + text, "%s", comment);
    s->hits[k] = (sw_aligned){.hit = {.order = k, .subject = k}, .strand = strand};
    if (strand < 0) {
        static const char complements[] = "TGCAYRSWMKVHDBN";
        for (uint32_t i = 0; i < s->found.length; i++)
            s->reverse[s->found.length - 1 - i] = (uint8_t)sw_code(SW_NUCLEOTIDE, complements[s->query[i]]);
        s->found.reverse = s->reverse;
    }
    check(sw_align(&s->scoring, strand < 0 ? s->reverse : s->query, s->found.length, s->residues + s->start[k],
                   s->length[k], &s->hits[k].alignment));
    s->hits[k].hit.score = s->hits[k].alignment.score;
    s->found.count++;
}

/* The whole report; the caller frees it. */
static char *report(search *s, const char *format) {
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    sw_report *r;
    s->found.space = sw_space_of(&s->statistics, s->found.length, s->database.set.letters, s->database.set.count);
    check(sw_report_open(format, stream, &s->scoring, &s->statistics, &s->database, &r));
    sw_report_begin(r);
    sw_report_query(r, &s->found);
    sw_report_end(r);
    sw_report_close(r);
    fclose(stream);
    return text;
}

static void free_search(search *s) {
    for (size_t k = 0; k < s->found.count; k++) sw_alignment_free(&s->hits[k].alignment);
}

static void expect(search *s, const char *format, const char *expected) {
    char *text = report(s, format);
    assert_string_equal(text, expected);
    free(text);
}

static void expect_part(search *s, const char *format, const char *expected) {
    char *text = report(s, format);
    if (!strstr(text, expected)) fail_msg("not in the report: %s\nthe report: %s", expected, text);
    free(text);
}

/* --- A strict parser of JSON: the grammar of RFC 8259, that strings are UTF-8, and that no object has a name twice - */

static const char *json_value(const char *c);
static const char *blanks(const char *c) { return c + strspn(c, " \t\r\n"); }

static const char *json_string(const char *c) {
    if (*c++ != '"') return NULL;
    while (*c != '"') {
        unsigned char byte = (unsigned char)*c++;
        if (byte < ' ') return NULL;
        if (byte == '\\') {
            if (*c == 'u') {
                if (strspn(c + 1, "0123456789abcdefABCDEF") < 4) return NULL;
                c += 5;
            } else if (*c && strchr("\"\\/bfnrt", *c)) {
                c++;
            } else {
                return NULL;
            }
        } else if (byte >= 0x80) {
            int more = byte >= 0xC2 && byte <= 0xDF   ? 1
                       : byte >= 0xE0 && byte <= 0xEF ? 2
                       : byte >= 0xF0 && byte <= 0xF4 ? 3
                                                      : 0;
            if (more == 0) return NULL;
            for (; more > 0; more--)
                if (((unsigned char)*c++ & 0xC0) != 0x80) return NULL;
        }
    }
    return c + 1;
}

static const char *json_number(const char *c) {
    const char *digits = "0123456789";
    c += *c == '-';
    if (!strspn(c, digits) || (*c == '0' && strspn(c, digits) > 1)) return NULL;
    c += strspn(c, digits);
    if (*c == '.') {
        if (!strspn(++c, digits)) return NULL;
        c += strspn(c, digits);
    }
    if (*c == 'e' || *c == 'E') {
        c++;
        c += *c == '-' || *c == '+';
        if (!strspn(c, digits)) return NULL;
        c += strspn(c, digits);
    }
    return c;
}

static const char *json_items(const char *c, char end, int named) {
    enum { NAMES = 64 };
    const char *names[NAMES];
    size_t count = 0;
    c = blanks(c + 1);
    if (*c == end) return c + 1;
    for (;;) {
        if (named) {
            const char *name = blanks(c);
            c = json_string(name);
            if (c == NULL || count == NAMES) return NULL;
            for (size_t k = 0; k < count; k++)
                if (strncmp(names[k], name, (size_t)(c - name)) == 0) return NULL;
            names[count++] = name;
            if (*(c = blanks(c)) != ':') return NULL;
            c++;
        }
        c = json_value(c);
        if (c == NULL) return NULL;
        c = blanks(c);
        if (*c == end) return c + 1;
        if (*c++ != ',') return NULL;
    }
}

static const char *json_value(const char *c) {
    c = blanks(c);
    if (*c == '{') return json_items(c, '}', 1);
    if (*c == '[') return json_items(c, ']', 0);
    if (*c == '"') return json_string(c);
    if (strncmp(c, "null", 4) == 0) return c + 4;
    return json_number(c);
}

static int is_json(const char *text) {
    const char *end = json_value(text);
    return end != NULL && *blanks(end) == '\0';
}

static void expect_json(search *s) {
    char *text = report(s, "json");
    if (!is_json(text)) fail_msg("not JSON: %s", text);
    free(text);
}

/* --- Tests ------------------------------------------------------------------------------------------------------- */

#define LONG_QUERY "VHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKG"
#define LONG_SUBJECT "MVHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPRFFESFGDLSTPDAVMGNPKVKAHGKKVLGAFSDGLAHLDNLKG"

static void proteins(search *s) {
    *s = (search){.scoring = {.gap_open = 0}};
    check(sw_scoring_named("BLOSUM62", &s->scoring));
    begin(s, "q1", "the query", LONG_QUERY);
    add(s, "s1", "a subject", LONG_SUBJECT, 0);
    add(s, "s2", "", "GDLSTPEAVMGN", 0);
}

TEST(tables) {
    static search s;
    proteins(&s);
    expect(&s, "tabular",
           "q1\ts1\t96.386\t83\t0\t1\t1\t83\t2\t81\t5.75e-45\t159\n"
           "q1\ts2\t91.667\t12\t1\t0\t46\t57\t1\t12\t3.41e-05\t27.3\n");
    expect(&s, " tabular  sseqid score nident gaps btop\tsstrand ",
           "s1\t402\t80\t3\t36W-T-Q-44\tN/A\ns2\t59\t11\t0\t6DE5\tN/A\n");
    expect(&s, "qcovhsp stitle sseq",
           "100\ts1 a subject\tVHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYP---RFFESFGDLSTPDAVMGNPKVKAHGKKVLG"
           "AFSDGLAHLDNLKG\n14\ts2\tGDLSTPEAVMGN\n");
    expect(&s, "std slen",
           "q1\ts1\t96.386\t83\t0\t1\t1\t83\t2\t81\t5.75e-45\t159\t81\n"
           "q1\ts2\t91.667\t12\t1\t0\t46\t57\t1\t12\t3.41e-05\t27.3\t12\n");
    expect(&s, "commented sseqid evalue",
           "# Warpladder " WL_VERSION "\n# Query: q1 the query\n# Database: made.fasta\n# Fields: subject id, evalue\n"
           "# 2 hits found\ns1\t5.75e-45\ns2\t3.41e-05\n# Warpladder processed 1 query\n");
    free_search(&s);
}

TEST(pairwise) {
    static search s;
    proteins(&s);
    expect(&s, "pairwise",
           "Warpladder " WL_VERSION "\n\nDatabase: made.fasta\n           2 sequences; 93 total letters\n\n\n"
           "Query= q1 the query\n\nLength=83\n"
           "                                                                      Score     E\n"
           "Sequences producing significant alignments:                          (Bits)  Value\n\n"
           "s1 a subject                                                          159     6e-45\n"
           "s2                                                                    27.3    3e-05\n\n\n"
           ">s1 a subject\nLength=81\n\n Score = 159 bits (402),  Expect = 6e-45\n"
           " Identities = 80/83 (96%), Positives = 80/83 (96%), Gaps = 3/83 (4%)\n\n"
           "Query  1   VHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYPWTQRFFESFGDLSTPDAVMGNPKV  60\n"
           "           VHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYP   RFFESFGDLSTPDAVMGNPKV\n"
           "Sbjct  2   VHLTPEEKSAVTALWGKVNVDEVGGEALGRLLVVYP---RFFESFGDLSTPDAVMGNPKV  58\n\n"
           "Query  61  KAHGKKVLGAFSDGLAHLDNLKG  83\n"
           "           KAHGKKVLGAFSDGLAHLDNLKG\n"
           "Sbjct  59  KAHGKKVLGAFSDGLAHLDNLKG  81\n\n\n"
           ">s2\nLength=12\n\n Score = 27.3 bits (59),  Expect = 3e-05\n"
           " Identities = 11/12 (92%), Positives = 12/12 (100%), Gaps = 0/12 (0%)\n\n"
           "Query  46  GDLSTPDAVMGN  57\n"
           "           GDLSTP+AVMGN\n"
           "Sbjct  1   GDLSTPEAVMGN  12\n\n\n\n"
           "Gapped\nLambda      K        H\n   0.267   0.0410    0.140\n\nEffective search space used: 5775\n\n\n"
           "  Database: made.fasta\n           2 sequences; 93 total letters\n\n\n"
           "Matrix: BLOSUM62\nGap Penalties: Existence: 11, Extension: 1\n");
    free_search(&s);
}

/* A gap longer than a line: its rows have no positions, as blastp prints them. */
TEST(row_of_gaps) {
    static search s;
    s = (search){.scoring = {.gap_open = 0}};
    check(sw_scoring_named("BLOSUM62", &s.scoring));
    check(sw_scoring_gaps(1, 0, &s.scoring));
    char query[200], subject[] = "WWWWWWWWWWHHHHHHHHHH";
    sprintf(query, "%.10s%0130d%s", subject, 0, subject + 10);
    for (char *c = query; (c = strchr(c, '0'));) *c = 'A';
    begin(&s, "q", "", query);
    add(&s, "s", "", subject, 0);
    expect_part(&s, "pairwise",
                "\nQuery  61   AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA  120\n"
                "                                                                        \n"
                "Sbjct       ------------------------------------------------------------  \n\n"
                "Query  121  AAAAAAAAAAAAAAAAAAAAHHHHHHHHHH  150\n"
                "                                HHHHHHHHHH\n"
                "Sbjct  11   --------------------HHHHHHHHHH  20\n");
    free_search(&s);
}

/* A query for which nothing was found is reported all the same. */
TEST(nothing_found) {
    static search s;
    proteins(&s);
    free_search(&s);
    s.found.count = 0;
    expect(&s, "tabular", "");
    expect_part(&s, "commented", "# Database: made.fasta\n# 0 hits found\n");
    expect_part(&s, "pairwise", "Length=83\n\n\n***** No hits found *****\n");
    expect_part(&s, "json", "\"hits\": []");
    expect_json(&s);
}

/* Without published statistics there are scores, and no E-values or bits. */
TEST(no_statistics) {
    static search s;
    s = (search){.scoring = {.gap_open = 0}};
    check(sw_scoring_named("BLOSUM62", &s.scoring));
    check(sw_scoring_gaps(11, 3, &s.scoring));
    begin(&s, "q", "", "WWW");
    add(&s, "s", "", "WWW", 0);
    expect(&s, "score bitscore evalue", "33\tNA\tNA\n");
    expect_part(&s, "pairwise", " Score = NA bits (33),  Expect = NA\n");
    expect_part(&s, "pairwise", "No E-values");
    expect_part(&s, "json", "\"score\": 33, \"bits\": null, \"evalue\": null");
    expect_part(&s, "json", "\"statistics\": null");
    expect_json(&s);
    free_search(&s);
}

/* The other strand: the query forwards, the subject's complement backwards, whichever of them was turned round to
   align. */
TEST(other_strand) {
    static search s;
    s = (search){.scoring = {.gap_open = 0}};
    check(sw_scoring_nucleotide(2, -3, &s.scoring));
    begin(&s, "q", "", "AACCGTTTGCACGRCATTTGA");
    add(&s, "plus", "", "TTTTTTCCGTTTGCACGRCATT", 1);
    add(&s, "minus", "", "AAATGCCGTGAAACGGTTCC", -1); // the complement of CAAACGG.. less a base
    expect(&s, "sseqid qstart qend sstart send sstrand qseq sseq",
           "plus\t3\t18\t7\t22\tplus\tCCGTTTGCACGRCATT\tCCGTTTGCACGRCATT\n"
           "minus\t1\t19\t18\t1\tminus\tAACCGTTTGCACGRCATTT\tAACCGTTT-CACGGCATTT\n");
    expect_part(&s, "pairwise",
                " Strand=Plus/Minus\n\n"
                "Query  1   AACCGTTTGCACGRCATTT  19\n"
                "           |||||||| |||| |||||\n"
                "Sbjct  18  AACCGTTT-CACGGCATTT  1\n");
    expect_part(&s, "json", "\"subject_from\": 18, \"subject_to\": 1, \"strand\": \"minus\"");
    expect_json(&s);
    free_search(&s);
}

/* Names are others' text: a line stays a line, a field a field, and JSON stays JSON and UTF-8. */
TEST(messy_names) {
    static search s;
    s = (search){.scoring = {.gap_open = 0}};
    check(sw_scoring_named("BLOSUM62", &s.scoring));
    begin(&s, "q\"\\", "caf\xc3\xa9 \xff\xc0\x80 \xed\xa0\x80 \xf4\x90\x80\x80 \x01tab\there", "WWWWW");
    add(&s, "sp|P1|A\"B", "two\ttabs\x01>other \xe2\x82", "WWWWW", 0);
    add(&s, "", "", "WWWW", 0);
    expect(&s, "qseqid sseqid stitle", "q\"\\\tsp|P1|A\"B\tsp|P1|A\"B two tabs\nq\"\\\tSubject_2\tSubject_2\n");
    expect_part(&s, "json",
                "\"query\": \"q\\\"\\\\\", \"comment\": \"caf\xc3\xa9 \\ufffd\\ufffd\\ufffd \\ufffd\\ufffd\\ufffd "
                "\\ufffd\\ufffd\\ufffd\\ufffd \\u0001tab\\u0009here\"");
    expect_json(&s);
    free_search(&s);
    static char words[4000];
    for (int i = 0; i < 450; i++)
        strcat(words,
               i % 50 ? "abcde " : "a-word-that-is-longer-than-a-line-of-sixty-characters-however-it-is-broken ");
    s = (search){.scoring = s.scoring};
    begin(&s, "q", words, "WWWWW");
    add(&s, "s", "", "WWWWW", 0);
    char *text = report(&s, "pairwise");
    for (char *line = strtok(strstr(text, "Query="), "\n"); strncmp(line, "Length", 6) != 0; line = strtok(NULL, "\n"))
        assert_true(strlen(line) <= 60 || !strchr(line, ' '));
    free(text);
    free_search(&s);
}

/* What does not need alignments says so; an unknown name is refused, with what is known. */
TEST(formats) {
    static search s;
    proteins(&s);
    static const struct {
        const char *format;
        int aligns;
    } good[] = {{"tabular", 1},
                {"pairwise", 1},
                {"json", 1},
                {"commented", 1},
                {"qseqid sseqid score bitscore evalue", 0},
                {"commented stitle slen", 0},
                {"score qseq", 1},
                {"qseqid,sseqid", 0},
                {"7 qseqid, sseqid", 0},
                {"10 delim=@ qseqid", 0},
                {"6", 1}};
    sw_report *r;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        check(sw_report_open(good[i].format, stdout, &s.scoring, &s.statistics, &s.database, &r));
        assert_int_equal(sw_report_aligns(r), good[i].aligns);
        sw_report_close(r);
    }
    static const char *const bad[] = {
        "asn1",          "qseqid nonsense", "pairwise qseqid",  "json x",    "std std std std std std",
        "qseqid;sseqid", "tabular tabular", "10 delim= qseqid", "6 qseqid 7"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(sw_report_open(bad[i], stdout, &s.scoring, &s.statistics, &s.database, &r), WL_BAD_USAGE);
    assert_int_equal(sw_report_open("wrong", stdout, &s.scoring, &s.statistics, &s.database, &r), WL_BAD_USAGE);
    assert_non_null(strstr(wl_error(), "'wrong'"));
    assert_non_null(strstr(wl_error(), " saccver"));
    free_search(&s);
}

int main(void) { return run_all_tests(NULL, NULL); }
