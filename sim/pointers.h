/* What a program's source says of its arrays. */
#pragma once

#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "sim/internal.h"

namespace wl_sim {

/* The file as the compiler was given it; else the one with the same last names beside an installed program, or where the build folder is. */
std::ifstream opened(const std::string &path);
/* "data", if the line names exactly one of the pointers that its function has as parameters, else "". */
std::string pointer_name(const SourceLine &line);

/* "data", if the line calls exactly one function with an address as its first argument, as cudaMalloc(&s->data, bytes) does, else "". */
std::string allocated_name(const SourceLine &line);

} // namespace wl_sim
