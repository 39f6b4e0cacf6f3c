#!/bin/sh
# symbol-table.sh CC READELF OBJCOPY LD ROOT COMPILER ARGUMENT... : runs the compiler on a simulated kernel. On the way it puts a gap
# before and after each __shared__ array, so that an index out of range meets nobody's memory. Then it adds to the object file a table
# of the functions and variables in it (sim/symbols.h). Static ones are visible to the table while it is linked.
set -eu
cc=$1 readelf=$2 objcopy=$3 ld=$4 root=$5
shift 5
output='' position='' before=''
for word in "$@"; do
    [ "$before" != -o ] || output=$word
    [ "$word" != -fPIC ] || position=-fPIC
    before=$word
done
work=$output.symbols
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"
# The same command, but to assembly.
count=$#
for word in "$@"; do
    case $word in
    -c) word=-S ;;
    "$output") word=$work/kernel.s ;;
    esac
    [ "$before" != -MT ] || word=$output # the dependencies are the object file's
    before=$word
    set -- "$@" "$word"
done
shift "$count"
"$@"
# A function's thread-local variable (_ZZ in .tbss): its gaps are a multiple of its alignment, and of 128 bytes, so that the 32 banks
# of shared memory stay where they are.
# Variables of the device: chevrons gives each a section of its own, and here they come together in one for each kind of memory, of whole
# pages, which the simulated device closes to the host (sim/protection.cpp). Those that are zero take no room in the file.
awk '
    function flush(   i, name, flags) {
        if (memory == "") return
        name = memory (memory != "wl_constant" && !filled ? "_zero" : "")
        flags = group == "" ? "\"aw\"" : "\"awG\""
        held[1] = "\t.section\t" name "," flags "," (name ~ /_zero$/ ? "@nobits" : "@progbits") group
        if (group != "" || !(name in pages)) held[1] = held[1] "\n\t.balign\t4096"
        if (group == "") pages[name] = held[1]
        for (i = 1; i <= lines; i++) print held[i]
        if (group != "") print "\t.balign\t4096"
        memory = ""
    }
    function begin(   words) {
        flush()
        if ($1 != ".section" || $2 !~ /^wl_(device|constant|managed)(_[0-9]+)?,/) return
        match($2, /^wl_[a-z]+/)
        memory = substr($2, 1, RLENGTH)
        group = match($0, /,[^,]*,comdat/) ? substr($0, RSTART) : ""
        lines = filled = 0
    }
    $1 == ".section" || $1 == ".text" || $1 == ".data" || $1 == ".bss" { begin() }
    memory != "" {
        held[++lines] = $0
        if ($1 ~ /^\./ && $1 !~ /^\.(section|zero|align|balign|p2align|type|size|globl|weak|local|hidden|loc|cfi)/) filled = 1
        next
    }
    { print }
    END {
        flush()
        for (name in pages) print pages[name] (pages[name] ~ /balign/ ? "" : "\n\t.balign\t4096")
    }
' "$work/kernel.s" >"$work/paged.s"
# CUDA constructs no __shared__ variable. g++ has a byte beside each whose type has a constructor (_ZGVZ) and constructs where it is 0: here
# it is 1 from the beginning.
awk '
    $1 == ".section" && $2 ~ /^\.tbss\._ZGVZ/ { sub(/\.tbss/, ".tdata"); sub(/nobits/, "progbits") }
    $1 == ".section" || $1 == ".text" || $1 == ".data" || $1 == ".bss" { inside = $2 ~ /^\.tbss/; gap = 1024; section = $0 }
    inside && /^_ZGVZ.*:$/ { print "\t.section\t.tdata,\"awT\"," (section ~ /%/ ? "%" : "@") "progbits\n\t.align 8"; guard = section }
    /^_ZGVZ.*:$/ && section ~ /\.t(bss|data)/ { print $0 "\n\t.byte\t1\n\t.zero\t7"; dropped = 1; next }
    dropped { dropped = 0; if (guard != "") print guard; guard = ""; next }
    inside && $1 == ".align" { gap = $2 > 1024 ? $2 : 1024 }
    inside && /^_ZZ.*:$/ { print "\t.zero\t" gap; mine = 1 }
    { print }
    inside && mine && $1 == ".zero" { print "\t.zero\t" gap; mine = 0; gap = 1024 }
' "$work/paged.s" >"$work/apart.s"
# Numbers of 32 bits that are made into 64, as an index is, products of 32 bits, and numbers of 64 bits of which the next instructions use
# 32 (of x86): each place keeps the largest one, which sim/ranges.cpp reads. Where flags are in use, it keeps the last one.
awk '
    # "%eax" of "%rax", "%ax" and "%al", and "%r8d" of "%r8b".
    function in_32(name) {
        if (name ~ /^%r[0-9]/) sub(/[dwb]?$/, "d", name)
        else if (name ~ /^%[re]/) name = "%e" substr(name, 3)
        else name = "%e" substr(name, 2, 1) (name ~ /^%[abcd][lhx]$/ ? "x" : substr(name, 3, 1))
        return name
    }
    # cut[line] = "%eax": what the line computes in %rax, a later one uses as %eax.
    function find_cut(   at, op, words, last, source, name) {
        for (at = 1; at <= lines; at++) {
            if (line[at] !~ /^\t[a-z]/) {
                if (line[at] ~ /^(\.L[0-9]|[^. \t#])/) split("", made) # not .LVL3, which is for debuggers
                continue
            }
            op = words = line[at]
            sub(/^\t/, "", op)
            if (sub(/\t.*/, "", op) == 0 || op ~ /^(i?div|i?mul)[lq]$/ && words !~ /,/) { # cltq, cqto, divq: their registers
                delete made["%eax"]
                delete made["%edx"]
                continue
            }
            sub(/^\t[a-z0-9]+\t/, "", words)
            if (op == "call") {
                for (name in made) if (name !~ /^%(ebx|ebp|r1[2-5]d)$/) delete made[name]
                continue
            }
            last = match(words, /%[a-z0-9]+$/) ? substr(words, RSTART) : ""
            source = match(words, /^%[a-z0-9]+,/) ? substr(words, 1, RLENGTH - 1) : ""
            if (op ~ /^(movl|cmpl|testl|addl|subl|imull|cvtsi2s[sd]l)$/) {
                if (source in made) cut[made[source]] = source
                if (op != "movl" && op !~ /^cvt/ && last in made) cut[made[last]] = last
            }
            if (last != "" && op !~ /^(cmp|test|push|j|ucomis|comis)/) {
                name = in_32(last)
                if (last ~ /^%r([a-z][a-z]|[0-9]+)$/ && words !~ /%r[is]p/ &&
                    (op ~ /^(imul|add|sub|lea|sal|shl|sar|shr)q$/ || op == "movq" && source != "" && in_32(source) in made))
                    made[name] = at
                else delete made[name]
            }
        }
    }
    function uses_flags(text) { return text ~ /^\t(j[^m]|set|cmov|adc|sbb|rcl|rcr)/ }
    function sets_flags(text) {
        # Only those of integers: addss and andps leave the flags as they are.
        return text ~ /^\t((add|sub|cmp|test|and|or|xor|inc|dec|neg|sal|shr|sar|shl|imul|mul)[bwlq]?[ \t]|call|ret|ucomis|comis)/
    }
    function are_flags_free(at,   i) {
        for (i = at + 1; i <= lines; i++) {
            if (uses_flags(line[i])) return 0
            if (sets_flags(line[i])) return 1
        }
        return 0
    }
    function keep(at, register, kind) {
        sites++
        print ".Lwl_at" sites ":"
        if (are_flags_free(at)) {
            print "\tcmpl\t" register ", .Lwl_most" sites "(%rip)\n\tjge\t.Lwl_kept" sites
            print "\tmovl\t" register ", .Lwl_most" sites "(%rip)\n.Lwl_kept" sites ":"
        } else {
            print "\tmovl\t" register ", .Lwl_most" sites "(%rip)"
        }
        print "\t.pushsection\twl_ranges," (group == "" ? "\"aw\"" : "\"awG\"") ",@progbits" group "\n\t.balign\t8"
        print "\t.quad\t.Lwl_at" sites "\n.Lwl_most" sites ":\n\t.long\t0x80000000, " kind "\n\t.popsection"
    }
    { line[++lines] = $0 }
    END {
        find_cut()
        for (at = 1; at <= lines; at++) {
            $0 = line[at]
            if ($1 == ".section") group = match($0, /,[^,]*,comdat/) ? substr($0, RSTART) : ""
            if ($1 == ".text") group = ""
            if ($1 == "cltq") keep(at, "%eax", 0)
            if ($1 == "movslq" && $2 ~ /^%[a-z0-9]+,$/) keep(at, substr($2, 1, length($2) - 1), 0)
            print line[at]
            if ($1 == "imull" && $0 ~ /,/ && !uses_flags(line[at + 1])) keep(at, $NF, 1)
            if (at in cut) keep(at, cut[at], 2)
        }
    }
' "$work/apart.s" >"$work/kept.s"
"$cc" $position -c "$work/kept.s" -o "$output"
# Functions; variables of functions (_ZZ) that each thread has, which is what __shared__ makes, and their bytes (_ZGVZ); other variables,
# without the compiler's own constants (C.0).
"$readelf" -sW "$output" | awk '
    $7 == "UND" || $3 == 0 { next }
    $4 == "FUNC" && $8 !~ /^wl_sim_/ || $4 == "TLS" && $8 ~ /^_Z(GV)?Z/ || $4 == "OBJECT" && $8 !~ /^C\./ { print $4, $5, $3, $8 }
' >"$work/list"
awk '$2 == "LOCAL" { print $4 }' "$work/list" >"$work/local"
awk '
    BEGIN { print "#include \"sim/symbols.h\"" }
    {
        printf "extern %schar wl_sim_s%d[] __asm__(\"%s\");\n", $1 == "TLS" ? "__thread " : "", NR, $4
        if ($1 == "TLS") printf "static void *wl_sim_here%d(void) { return wl_sim_s%d; }\n", NR, NR
        place = $1 == "TLS" ? "0, wl_sim_here" NR : "wl_sim_s" NR ", 0"
        rows = rows sprintf("    {\"%s\", %s, %s, %d},\n", $4, place, $1 == "FUNC" ? 0 : $3, $2 == "WEAK" || $2 == "UNIQUE")
    }
    END {
        print "static const wl_sim_symbol wl_sim_table[] = {\n" rows "};"
        print "static void __attribute__((constructor)) wl_sim_add(void) {"
        print "    wl_sim_add_symbols(wl_sim_table, sizeof wl_sim_table / sizeof *wl_sim_table);"
        print "}"
    }' "$work/list" >"$work/table.c"
"$cc" -O1 $position -I "$root" -c "$work/table.c" -o "$work/table.o"
[ -s "$work/local" ] || echo '*none*' >"$work/local" # objcopy takes no empty list
# malloc and new give device memory in a kernel, memcpy is checked (sim/heap.cpp), and so are the texts of printf and what mathematical
# functions store (sim/print.cpp).
set -- malloc=wl_sim_malloc calloc=wl_sim_calloc free=wl_sim_free _Znwm=wl_sim_new _Znam=wl_sim_new_array \
    _ZdlPv=wl_sim_delete _ZdlPvm=wl_sim_delete_sized \
    _ZdaPv=wl_sim_delete_array _ZdaPvm=wl_sim_delete_array_sized clock=wl_sim_clock_or_hosts \
    memcpy=wl_sim_memcpy memmove=wl_sim_memmove memset=wl_sim_memset memcmp=wl_sim_memcmp \
    printf=wl_sim_printf puts=wl_sim_puts putchar=wl_sim_putchar frexp=wl_sim_frexp frexpf=wl_sim_frexpf \
    modf=wl_sim_modf modff=wl_sim_modff remquo=wl_sim_remquo remquof=wl_sim_remquof \
    sincos=wl_sim_sincos sincosf=wl_sim_sincosf
for pair in "$@"; do
    shift
    set -- "$@" --redefine-sym "$pair"
done
"$objcopy" --globalize-symbols="$work/local" "$@" "$output" "$work/all.o"
"$ld" -r -o "$work/both.o" "$work/all.o" "$work/table.o"
"$objcopy" --localize-symbols="$work/local" "$work/both.o" "$work/done.o"
mv -f "$work/done.o" "$output"
