/* Folders for temporary files. */
#pragma once

#include "harness/base/error.h"

/* A new folder for temporary files, and its end with all that is in it. The caller frees the path. */
wl_status wl_temporary_folder(char **path);
/* The same beside `file`, for what another program makes and a rename gives its name. Nobody else can put a link there beforehand, as
   they could under any name in a folder that is shared. What this program writes itself goes through wl_outfile_open. */
wl_status wl_folder_beside(const char *file, char **path);
void wl_remove_folder(const char *path);

/* Makes every missing folder of a path up to its last '/'. 0, or errno. The path is changed meanwhile. */
int wl_make_folders(char *path);
/* `name` in the user's cache folder, $XDG_CACHE_HOME/warpladder or ~/.cache/warpladder. The caller frees it; NULL: there is none. */
char *wl_cache_path(const char *name);
