/* Through which of its function's pointers does a line of source access memory? Figures and pages call arrays by these names. */
#include <algorithm>
#include <cctype>
#include <fstream>

#include "sim/pointers.h"

namespace wl_sim {

std::ifstream opened(const std::string &path) {
    std::ifstream file(path);
    char *program = file ? nullptr : realpath("/proc/self/exe", nullptr);
    for (const char *root : {"/../lib/warpladder/", "/../"})
        for (size_t slash = 0; program && !file && (slash = path.find('/', slash)) != std::string::npos; slash++)
            file.open(std::string(program, (size_t)(strrchr(program, '/') - program)) + root + path.substr(slash + 1));
    free(program);
    return file;
}

static bool is_of_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Where `name` begins in `text`, as a whole word, from `at` on. */
static size_t find_word(const std::string &text, const std::string &name, size_t at = 0) {
    for (; (at = text.find(name, at)) != std::string::npos; at++)
        if ((at == 0 || !is_of_name(text[at - 1])) &&
            (at + name.size() == text.size() || !is_of_name(text[at + name.size()])))
            break;
    return at;
}

/* The pointers among the parameters of the last definition of `function` at or before the end of `text`. */
static std::vector<std::string> pointers_of(const std::string &text, const std::string &function) {
    std::vector<std::string> found;
    size_t at = std::string::npos;
    for (size_t next = 0; (next = find_word(text, function, next)) != std::string::npos; next++)
        if (text[next + function.size()] == '(') at = next;
    if (at == std::string::npos) return found;
    size_t begin = at + function.size() + 1, depth = 1;
    for (size_t i = begin; i < text.size() && depth > 0; i++) {
        depth += text[i] == '(';
        depth -= text[i] == ')';
        if (depth > 1 || (depth == 1 && text[i] != ',')) continue;
        const std::string parameter = text.substr(begin, i - begin);
        size_t end = parameter.find_last_not_of(" \n");
        size_t first = end;
        while (first != std::string::npos && first > 0 && is_of_name(parameter[first - 1])) first--;
        if (parameter.find('*') != std::string::npos && first != std::string::npos && is_of_name(parameter[end]))
            found.push_back(parameter.substr(first, end + 1 - first));
        begin = i + 1;
    }
    return found;
}

/* Is what begins at `at` indexed, added to or followed there? A pointer to a structure, or one that is handed on, says nothing. */
static bool is_followed(const std::string &text, size_t at, size_t end) {
    const size_t next = text.find_first_not_of(' ', end);
    return (next != std::string::npos && strchr("[+", text[next])) || (at > 0 && text[at - 1] == '*');
}

std::string pointer_name(const SourceLine &line) {
    std::ifstream file = opened(line.file);
    std::string before, here;
    for (int number = 1; number <= line.line && std::getline(file, here); number++) {
        const size_t comment = here.find("//");
        if (comment != std::string::npos) here.resize(comment);
        before += here + "\n";
    }
    const std::string function = line.function.substr(0, line.function.find('<'));
    std::string name;
    for (const std::string &pointer : pointers_of(before, function)) {
        const size_t at = find_word(here, pointer);
        if (at == std::string::npos || !is_followed(here, at, at + pointer.size())) continue;
        if (!name.empty()) return ""; // several: which of them is not known
        name = pointer;
    }
    return name;
}

/* The end of the word before `at`, blanks aside. */
static size_t before(const std::string &text, size_t at) {
    return at == 0 ? std::string::npos : text.find_last_not_of(' ', at - 1);
}

/* Is `&` at `at` the beginning of a first argument, "(&" or "((void **)&"? */
static bool is_first_address(const std::string &text, size_t at) {
    size_t last = before(text, at);
    if (last == std::string::npos) return false;
    if (text[last] == ')') {
        const size_t star = before(text, last), open = text.rfind('(', last);
        if (star == std::string::npos || text[star] != '*' || open == std::string::npos) return false;
        last = before(text, open);
    }
    return last != std::string::npos && text[last] == '(';
}

std::string allocated_name(const SourceLine &line) {
    std::ifstream file = opened(line.file);
    std::string here, name;
    for (int number = 0; number < line.line; number++)
        if (!std::getline(file, here)) return "";
    here.resize(std::min(here.find("//"), here.size()));
    for (size_t at = 0; (at = here.find('&', at)) != std::string::npos; at++) {
        size_t end = at + 1, begin = end; // of the last of "s->parts.data"
        while (end < here.size() && (is_of_name(here[end]) || here[end] == '.' || here.compare(end, 2, "->") == 0))
            if (const bool arrow = here[end] == '-'; arrow || here[end] == '.')
                begin = end += arrow ? 2 : 1;
            else
                end++;
        if (begin == end || !is_first_address(here, at)) continue;
        if (!name.empty()) return ""; // several: which of them is not known
        name = here.substr(begin, end - begin);
    }
    return name;
}

} // namespace wl_sim
