#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "io/bytes.h"
#include "harness/base/memory.h"

wl_status wl_bytes_all(wl_bytes *bytes, char **text, size_t *size) {
    char *all = NULL;
    size_t used = 0, capacity = 0, room = 0;
    for (;;) {
        const unsigned char *chunk;
        size_t count;
        wl_status status = wl_bytes_chunk(bytes, &chunk, &count);
        if (status != WL_OK) {
            free(all);
            return status;
        }
        if (all == NULL || capacity - used <= count) {
            size_t more = capacity ? 2 * capacity : 2 * WL_BYTES_CHUNK;
            char *larger = more > capacity && wl_memory_room(&room, more) ? realloc(all, more) : NULL;
            if (larger == NULL) {
                free(all);
                return wl_fail(WL_NO_MACHINE, "%s: not enough memory for more than %zu bytes of it",
                               wl_bytes_name(bytes), used);
            }
            all = larger;
            capacity = more;
        }
        memcpy(all + used, chunk, count);
        used += count;
        all[used] = 0;
        if (count == 0) break;
    }
    *text = all;
    *size = used;
    return WL_OK;
}
