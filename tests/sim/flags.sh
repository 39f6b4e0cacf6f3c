#!/bin/sh
# flags.sh CC READELF OBJCOPY LD SYMBOL_TABLE ROOT: what symbol-table.sh adds at a cltq must leave the flags alone where an instruction after
# it uses them. addss between the two does not set them.
set -eu
script=$5 root=$6
[ "$(uname -m)" = x86_64 ] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '\t%s\n' .text '.globl is_equal' '.type is_equal, @function' >"$work/given.s"
printf 'is_equal:\n' >>"$work/given.s"
printf '\t%s\n' 'movl\t%edi, %eax' 'cmpl\t%esi, %edi' cltq 'addss\t%xmm0, %xmm0' 'sete\t%al' 'movzbl\t%al, %eax' ret \
    '.size is_equal, .-is_equal' '.section .note.GNU-stack,"",@progbits' | sed 's/\\t/\t/' >>"$work/given.s"
cat >"$work/main.c" <<'END'
#include "sim/symbols.h"
int is_equal(int, int);
void wl_sim_add_symbols(const wl_sim_symbol *symbols, unsigned long count) { (void)symbols, (void)count; }
int main(void) { return is_equal(5, 6) || !is_equal(7, 7) || is_equal(-3, 3) || is_equal(1, 0); }
END
# shellcheck disable=SC2016 # for the shell that runs it
echo 'cp "$0.given" "$2"' >"$work/compile"
mv "$work/given.s" "$work/compile.given"
sh "$script" "$1" "$2" "$3" "$4" "$root" sh "$work/compile" -o "$work/flags.o" -c
"$1" -I "$root" "$work/main.c" "$work/flags.o" -o "$work/flags"
"$work/flags" || { echo 'the flags are lost at a cltq that addss follows' && exit 1; }
