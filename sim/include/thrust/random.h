#include "thrust/wl_thrust.h" // which has it all
