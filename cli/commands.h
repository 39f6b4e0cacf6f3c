/* The commands of warpladder: one function and one file each. */
#ifndef WL_CLI_COMMANDS_H
#define WL_CLI_COMMANDS_H

/* Each gets its own words (argv[0] is "warpladder list") and returns the program's exit code; what went wrong has
   been said on standard error by then. The table of names is in main.c. */
int wl_command_list(int argc, char **argv);
int wl_command_run(int argc, char **argv);
int wl_command_check(int argc, char **argv);
int wl_command_explain(int argc, char **argv);
int wl_command_reproduce(int argc, char **argv);
int wl_command_machine(int argc, char **argv);
int wl_command_distances(int argc, char **argv);
int wl_command_makedb(int argc, char **argv);
int wl_command_search(int argc, char **argv);
int wl_command_align_reads(int argc, char **argv);
int wl_command_likelihood(int argc, char **argv);
int wl_command_simulate_reads(int argc, char **argv);
int wl_command_simulate(int argc, char **argv);
int wl_command_cc(int argc, char **argv);

#endif
