/* The commands of warpladder: one file each. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/line.h"

extern const wl_command wl_command_list, wl_command_run, wl_command_check, wl_command_explain, wl_command_reproduce,
    wl_command_machine, wl_command_distances, wl_command_makedb, wl_command_search, wl_command_align_reads,
    wl_command_likelihood, wl_command_simulate, wl_command_cc, wl_command_simulate_reads, wl_command_lab,
    wl_command_beagle, wl_command_merge, wl_command_compare, wl_command_report;

#endif
