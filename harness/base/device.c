#include "harness/base/device.h"

const char *wl_backend_name(wl_backend backend) {
    static const char *const names[WL_BACKENDS] = {"cpu", "gpu", "sim"};
    return backend < WL_BACKENDS ? names[backend] : "?";
}
