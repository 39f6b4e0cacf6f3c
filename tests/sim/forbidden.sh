#!/bin/sh
# forbidden.sh CC LD NM OBJCOPY PRIVATE_OBJECTS: a variant that calls the reference, the list of problems or another program is not
# built, and the message names the function. One that calls what is allowed is.
cc=$1 ld=$2 nm=$3 objcopy=$4 script=$5
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
for called in lessons_reference wl_problems wl_sim_leave_out_kernels wl_sim_limit wl_sim_launching dlsym fork system syscall; do
    echo "int $called(); int launch(void) { return $called(); }" >"$folder/k.c"
    "$cc" -w -c "$folder/k.c" -o "$folder/k.o" || exit 1
    said=$(sh "$script" "$ld" "$nm" "$objcopy" "$folder/lessons.06_mine.sim.o" "$folder/k.o" 2>&1) && {
        echo "$called: built"
        exit 1
    }
    case $said in
    "lessons.06_mine.sim calls $called, which no variant may: "*) ;;
    *) echo "$called: found '$said'" && exit 1 ;;
    esac
done
echo 'void _exit(int); void *malloc(unsigned long); void launch(void) { if (malloc(1)) _exit(0); }' >"$folder/k.c"
"$cc" -w -c "$folder/k.c" -o "$folder/k.o" && sh "$script" "$ld" "$nm" "$objcopy" "$folder/lessons.06_mine.sim.o" "$folder/k.o" || exit 1
"$nm" -u "$folder/lessons.06_mine.sim.o" | grep -q 'wl_exit_at_once$' || { echo "_exit is not the harness's" && exit 1; }
