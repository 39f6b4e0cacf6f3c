#include "harness/base/resident.h"

void wl_resident_lock(wl_resident *kept) { pthread_mutex_lock(&kept->lock); }
void wl_resident_unlock(wl_resident *kept) { pthread_mutex_unlock(&kept->lock); }
