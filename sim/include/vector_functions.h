/* make_int4 and the like are defined with their types. */
#include "vector_types.h"
