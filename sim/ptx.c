/* Inline PTX becomes C++:

     asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, 3; @p add.s32 %0, %1, %2; }" : "+r"(a) : "r"(b), "r"(c));

   becomes

     do { bool p{}; ::wl_ptx::do_setp_lt<s32>(p, (b), 3); if (p) ::wl_ptx::do_add<s32>((a), (b), (c)); } while (0)

   where sim/include/sim_ptx.h has these functions: one for each instruction, by its types. Words of an instruction that say how a GPU
   caches or schedules are left out. Labels and branches are refused, as is an instruction that the header lacks. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/chevrons.h"

enum { OPERANDS = 64, ARGUMENTS = 16, LONGEST = 256 };

typedef struct {
    size_t at;                             // the statement, for messages
    size_t begin[OPERANDS], end[OPERANDS]; // its operands, with brackets
    size_t count;
} statement;

static int one_of(const char *word, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0) return 1;
    return 0;
}
#define ONE_OF(word, words) one_of(word, words, sizeof words / sizeof *words)

/* The template of the statement, without escapes and comments, in memory that the caller frees. Returns where its operands begin. */
static size_t read_template(size_t at, size_t close, char **instructions) {
    char *to = malloc(close - at + 1);
    size_t size = 0;
    if (to == NULL) fail(at, "not enough memory");
    for (; at < close && code[at] != ':'; at++) {
        if (text[at] != '"') continue;
        const size_t end = literal_end(at) - 1;
        for (at++; at < end; at++) {
            const int escape = text[at] == '\\';
            at += (size_t)escape;
            to[size++] = escape ? (text[at] == 'n' ? '\n' : ' ') : text[at];
        }
    }
    to[size] = '\0';
    for (char *comment = to; (comment = strstr(comment, "//")) != NULL;)
        while (*comment && *comment != '\n') *comment++ = ' ';
    for (char *comment = to; (comment = strstr(comment, "/*")) != NULL;) {
        char *end = strstr(comment, "*/");
        while (*comment && comment < (end ? end + 2 : comment + 1)) *comment++ = ' ';
    }
    *instructions = to;
    return at;
}

static char *trimmed(char *word) {
    while (isspace((unsigned char)*word)) word++;
    size_t size = strlen(word);
    while (size > 0 && isspace((unsigned char)word[size - 1])) word[--size] = '\0';
    return word;
}

/* A number, a register, an operand of the statement, a special register. */
static void put_value(FILE *out, const statement *s, const char *word) {
    static const char *const dimensions[][2] = {
        {"tid", "threadIdx"}, {"ntid", "blockDim"}, {"ctaid", "blockIdx"}, {"nctaid", "gridDim"}};
    const char *sign = word[0] == '-' && word[1] == '%' ? "-" : "";
    word += strlen(sign);
    if (word[0] == '%' && isdigit((unsigned char)word[1])) {
        const size_t number = strtoul(word + 1, NULL, 10);
        if (number >= s->count) fail(s->at, "inline PTX: there is no operand %s", word);
        fputs(sign, out);
        put_line(out, s->begin[number], s->end[number]);
        return;
    }
    if (word[0] == '%') {
        word += word[1] == '%' ? 2 : 1;
        for (size_t d = 0; d < sizeof dimensions / sizeof *dimensions; d++) {
            const size_t size = strlen(dimensions[d][0]);
            if (strncmp(word, dimensions[d][0], size) != 0 || word[size] != '.') continue;
            fprintf(out, "%s%s", dimensions[d][1], word + size);
            return;
        }
        fprintf(out, "::wl_ptx::special_%s()", word);
    } else if (word[0] == '0' && (word[1] == 'f' || word[1] == 'F') && strlen(word) == 10) {
        fprintf(out, "::wl_ptx::get<::wl_ptx::f32>(0x%su)", word + 2);
    } else if (word[0] == '0' && (word[1] == 'd' || word[1] == 'D') && strlen(word) == 18) {
        fprintf(out, "::wl_ptx::get<::wl_ptx::f64>(0x%sull)", word + 2);
    } else {
        fputs(word, out);
    }
}

/* [address] or [address + offset], of the memory that the instruction names. */
static void put_address(FILE *out, const statement *s, char *word, const char *memory) {
    word[strlen(word) - 1] = '\0';
    word = trimmed(word + 1);
    char *offset = strpbrk(word + 1, "+-"), sign = offset ? *offset : '+';
    if (offset) *offset++ = '\0';
    fprintf(out, "::wl_ptx::%s(", memory);
    put_value(out, s, trimmed(word));
    fprintf(out, ", %c", sign);
    if (offset)
        put_value(out, s, trimmed(offset));
    else
        fputc('0', out);
    fputc(')', out);
}

/* Splits the list at commas outside of brackets, into at most ARGUMENTS items. */
static size_t split(char *list, char **items) {
    size_t count = 0, depth = 0;
    list = trimmed(list);
    if (*list == '\0') return 0;
    items[count++] = list;
    for (; *list; list++) {
        depth += strchr("[{", *list) != NULL;
        depth -= strchr("]}", *list) != NULL && depth > 0;
        if (*list != ',' || depth > 0) continue;
        *list = '\0';
        if (count == ARGUMENTS) return count;
        items[count++] = list + 1;
    }
    return count;
}

static void put_argument(FILE *out, const statement *s, char *word, const char *memory) {
    char *items[ARGUMENTS];
    word = trimmed(word);
    if (*word == '[') {
        put_address(out, s, word, memory);
    } else if (*word == '{') { // a vector: its elements
        word[strlen(word) - 1] = '\0';
        const size_t count = split(word + 1, items);
        for (size_t i = 0; i < count; i++) {
            if (i > 0) fputs(", ", out);
            put_argument(out, s, items[i], memory);
        }
    } else {
        put_value(out, s, word);
    }
}

/* .reg .f32 a, b<4>; declares variables. */
static void put_registers(FILE *out, const statement *s, char *words) {
    char *items[ARGUMENTS], *type = strtok(words, " \t\n");
    char *names = strtok(NULL, "");
    if (type == NULL || names == NULL || *type != '.') fail(s->at, "inline PTX: expected '.reg .TYPE NAME'");
    const size_t count = split(names, items);
    for (size_t i = 0; i < count; i++) {
        char *name = trimmed(items[i]), *range = strchr(name, '<');
        if (range) *range++ = '\0';
        for (long n = 0; n < (range ? atol(range) : 1); n++) {
            fprintf(out, "::wl_ptx::%s %s", type + 1, name);
            fprintf(out, range ? "%ld{}; " : "{}; ", n);
        }
    }
}

/* add.rn.f32: the function do_add and the types in angle brackets. *memory: how the instruction's addresses are meant. Returns whether
   it orders other accesses. */
static int put_name(FILE *out, char *opcode, const char *suffix, const char **memory) {
    static const char *const types[] = {"s8",    "s16",  "s32", "s64", "u8",   "u16",  "u32",
                                        "u64",   "b8",   "b16", "b32", "b64",  "b128", "f16",
                                        "f16x2", "bf16", "f32", "f64", "pred", "tf32", "bf16x2"};
    static const char *const left_out[] = {"ca",
                                           "cg",
                                           "cs",
                                           "cv",
                                           "lu",
                                           "nc",
                                           "wb",
                                           "wt",
                                           "weak",
                                           "gpu",
                                           "sys",
                                           "cta",
                                           "sc",
                                           "ftz",
                                           "rn",
                                           "uni",
                                           "full",
                                           "approx",
                                           "global",
                                           "local",
                                           "gl",
                                           "param",
                                           "aligned",
                                           "const",
                                           "sync",
                                           "L1::no_allocate",
                                           "L1::evict_last",
                                           "L1::evict_first",
                                           "L2::64B",
                                           "L2::128B",
                                           "L2::256B",
                                           "generic",
                                           "proxy",
                                           "cluster",
                                           "L2::cache_hint"};
    static const char *const orders[] = {"acquire", "release", "acq_rel"};
    char used[LONGEST] = "";
    const char *separator = "";
    int ordered = 0;
    fputs("::wl_ptx::do_", out);
    const int plain_access = strncmp(opcode, "ld.", 3) == 0 || strncmp(opcode, "st.", 3) == 0;
    for (char *part = strtok(opcode, "."), *first = part; part != NULL; part = strtok(NULL, ".")) {
        const int order = ONE_OF(part, orders), relaxed = strcmp(part, "relaxed") == 0;
        ordered |= order;
        if (strcmp(part, "shared") == 0 || strncmp(part, "shared::", 8) == 0) {
            *memory = "shared";
        } else if (part != first && ONE_OF(part, types)) {
            if (strlen(used) + strlen(part) + 16 < sizeof used)
                sprintf(used + strlen(used), "%s::wl_ptx::%s", *used ? ", " : "", part);
        } else if (part != first && ((order || relaxed) && plain_access)) {
            fputs("_volatile", out);
        } else if (part == first || !(order || relaxed || ONE_OF(part, left_out))) {
            fprintf(out, "%s%s", separator, part);
            separator = "_";
        }
    }
    fputs(suffix, out);
    if (*used) fprintf(out, "<%s>", used);
    return ordered;
}

/* One instruction, which ended with a semicolon. */
static void put_instruction(FILE *out, const statement *s, char *words) {
    char *items[ARGUMENTS];
    words = trimmed(words);
    while (*words == '{' || *words == '}') words = trimmed(words + 1);
    if (*words == '\0') return;
    if (strncmp(words, ".reg", 4) == 0) {
        put_registers(out, s, words + 4);
        return;
    }
    if (*words == '@') {
        const int negated = words[1] == '!';
        char *condition = words + 1 + negated;
        words = condition + strcspn(condition, " \t\n");
        if (*words) *words++ = '\0';
        fprintf(out, "if (%s", negated ? "!" : "");
        put_value(out, s, condition);
        fputs(") ", out);
        words = trimmed(words);
    }
    char *opcode = words;
    words += strcspn(words, " \t\n");
    if (*words) *words++ = '\0';
    if (strchr(opcode, ':') == opcode + strlen(opcode) - 1 || strncmp(opcode, "bra", 3) == 0 || *opcode == '.')
        fail(s->at, "inline PTX: '%s' is not simulated", opcode);
    char *name;
    size_t size;
    FILE *call = open_memstream(&name, &size);
    if (call == NULL) fail(s->at, "not enough memory");
    const char *memory = "global", *suffix = "";
    const size_t count = split(words, items);
    if (strncmp(opcode, "mov.", 4) == 0 && count == 2)
        suffix = *trimmed(items[0]) == '{' ? "_unpack" : *trimmed(items[1]) == '{' ? "_pack" : "";
    const int ordered = put_name(call, opcode, suffix, &memory);
    fclose(call);
    fprintf(out, "%s%s(", ordered ? "{ __threadfence(); " : "", name);
    free(name);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) fputs(", ", out);
        put_argument(out, s, items[i], i > 0 && strncmp(opcode, "cp", 2) == 0 ? "global" : memory);
    }
    fputs(ordered ? "); __threadfence(); } " : "); ", out);
}

void put_ptx(FILE *out, size_t open, size_t close) {
    statement s = {.at = open};
    char *instructions;
    size_t colons = 0;
    for (size_t i = read_template(open + 1, close, &instructions); i < close && colons < 3; i++) {
        colons += code[i] == ':';
        if (code[i] != '(') continue;
        if (s.count == OPERANDS) fail(open, "inline PTX: more than %d operands", OPERANDS);
        s.begin[s.count] = i;
        i = matching(i, '(', ')');
        s.end[s.count++] = i + 1;
    }
    fputs("do { ", out);
    for (char *begin = instructions, *end; *begin; begin = end) {
        end = begin + strcspn(begin, ";");
        if (*end) *end++ = '\0';
        put_instruction(out, &s, begin);
    }
    fputs("} while (0)", out);
    free(instructions);
    for (size_t i = open; i < close; i++) { // what follows keeps its line
        if (text[i] != '\n') continue;
        fputc('\n', out);
        if (text[i + 1] == '#') put(out, i + 1, i + 1 + strcspn(text + i + 1, "\n"));
    }
}
