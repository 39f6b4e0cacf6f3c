#!/bin/sh
# kernel-check.sh OBJDUMP NM OBJECT ALLOWED KERNEL... : what the kernels of an object file, which a stranger has written, may do. They and
# all that they reach, and nothing else of the file, are looked at:
#
# - they call functions of the file, and those that the extended regular expression ALLOWED matches. They take no function's address,
#   call and jump through no pointer, and make no system call;
# - what they address on their stack lies between the bottom of the frame and the registers saved in it. Accesses by other registers
#   report themselves to the simulated device, and indices of arrays are compared with their bounds (labs/compile-flags);
# - no constructor of the file has anything to do with them.
#
# The object file has each function in a section of its own, with a frame pointer.
set -eu
objdump=$1 nm=$2 object=$3 allowed=$4
shift 4
{
    "$nm" "$object"
    echo END
    "$objdump" -dr --no-show-raw-insn "$object"
} | ALLOWED=$allowed KERNELS=$* awk '
    function refuse(f, what) { if (!(f in wrong)) wrong[f] = what }
    # The name of a local function tells where it is: _ZZL9GPUsharedPKc...
    function belongs(name,   k) {
        for (k in kernels) if (index(name, length(k) k)) return 1
        return 0
    }
    function hexadecimal(text,   i, value, negative) {
        negative = sub(/^-/, "", text)
        value = 0
        for (i = 3; i <= length(text); i++) value = 16 * value + index("0123456789abcdef", substr(text, i, 1)) - 1
        return negative ? -value : value
    }
    function size_of(line) { # without what stands in parentheses
        sub(/\(.*\)/, "", line)
        if (line ~ /%[xyz]mm/) return 64
        if (line ~ /%(r[a-ds][xip]|r[0-9]+)([^0-9a-z]|$)/ && line !~ /%r[0-9]+[dwb]/ || line ~ /^[a-z]+q[ \t]/) return 8
        return line ~ /%[abcd][lh]([^a-z]|$)|%r[0-9]+b|%[sd]il|b[ \t]/ ? 1 : 4
    }
    # "-0x18(%rbp)" and "0x8(%rsp)" without another register.
    function check_stack(f, line,   at, low, stores) {
        if (!match(line, /-?(0x[0-9a-f]+)?\(%r[bs]p\)/)) return
        at = substr(line, RSTART, RLENGTH)
        stores = substr(line, RSTART + RLENGTH) ~ /^[ \t]*$/ && line !~ /^(cmp|test|call|push|lea|[a-z]*comis|bt )/
        low = at ~ /^\(/ ? 0 : hexadecimal(substr(at, 1, index(at, "(") - 1))
        if (at ~ /rbp/) {
            if (low + size_of(line) > -8 * pushes[f] && stores) refuse(f, "stores over its own frame")
            if (low < -8 * pushes[f] - frame[f] - 128) refuse(f, "reaches below its own frame")
        } else if (low < 0 || low + size_of(line) > frame[f] + (size_of(line) == 64 ? 48 : 0)) {
            refuse(f, "reaches beyond its own frame")
        }
    }
    BEGIN {
        split(ENVIRON["KERNELS"], list, " ")
        for (i in list) kernels[list[i]] = 1
    }
    $0 == "END" { code = 1; next }
    !code { if ($1 == "U" || $1 == "w" || $1 == "v") undefined[$2] = 1; else if (toupper($2) ~ /^[TWI]$/) functions[$3] = 1; next }
    /^Disassembly of section / { section = substr($4, 1, length($4) - 1); next }
    /^[0-9a-f]+ <.*>:$/ {
        f = substr($2, 2, length($2) - 3)
        begins = 1
        if (f in functions && belongs(f) && section !~ /^\.text\.(startup|exit)/) { queue[++queued] = f; seen[f] = 1; found = 1 }
        of[section] = f
        next
    }
    /^ *[0-9a-f]+:\t/ {
        line = $0
        sub(/^ *[0-9a-f]+:[ \t]*/, "", line)
        if (line ~ /^(notrack )?(bnd )?(call|jmp)[a-z]* +\*/) refuse(f, "calls or jumps through a pointer")
        if (line ~ /^(syscall|sysenter|sysret|int |int3|svc|smc|hvc|br |blr |wrpkru|wrfsbase|wrgsbase)/) refuse(f, "makes a system call")
        if (line ~ /^push/ && begins) pushes[f] += line !~ /%rbp/
        else if (line ~ /^sub +\$0x[0-9a-f]+,%rsp/ && begins) {
            match(line, /0x[0-9a-f]+/)
            frame[f] = hexadecimal(substr(line, RSTART, RLENGTH))
            begins = 0
        } else if (line !~ /^(endbr64|mov +%rsp,%rbp)/ && begins && pushes[f] + 0 == 0 && line !~ /^(mov|lea|xor)/) begins = 0
        if (line ~ /^and[a-z]* .*,%rsp/) refuse(f, "aligns its stack")
        lines[f, ++count[f]] = line
        calls = line ~ /^(call|j[a-z]+|bl|b|b\.[a-z]+|cbn?z|tbn?z)[ \t]/
        next
    }
    /^[ \t]+[0-9a-f]+: R_/ {
        name = $3
        sub(/[-+]0x[0-9a-f]+$/, "", name)
        if (section ~ /^\.(text\.startup|text\.exit|init|fini)/) { if (belongs(name)) early = name; next }
        if (calls) called[f, ++calling[f]] = name
        else if (name in functions || name ~ /^\.text/) refuse(f, "takes the address of a function")
        else if (name in undefined && name !~ /^(wl_sim_(block|grid)_shape|_GLOBAL_OFFSET_TABLE_)$/ && name !~ ENVIRON["ALLOWED"]) refuse(f, "names " name)
        else if (name in undefined && name !~ /^(wl_sim_(block|grid)_shape|_GLOBAL_OFFSET_TABLE_)$/) refuse(f, "takes the address of a function")
    }
    END {
        if (!found) { print "none of the kernels is found: " ENVIRON["KERNELS"]; exit 1 }
        if (early) { print "a constructor runs code of the kernel"; exit 1 }
        for (i = 1; i <= queued; i++) {
            f = queue[i]
            for (k = 1; k <= count[f]; k++) check_stack(f, lines[f, k])
            if (f in wrong) { print f " " wrong[f]; exit 1 }
            for (k = 1; k <= calling[f]; k++) {
                name = called[f, k]
                if (name in of) name = of[name] # the only function of its section
                if (name in functions) { if (!(name in seen)) { seen[name] = 1; queue[++queued] = name } }
                else if (name !~ ENVIRON["ALLOWED"]) { print f " calls " name; exit 1 }
            }
        }
    }' >"$object.refused" || {
    echo "kernel.cu: $(c++filt -p <"$object.refused"), which this lab does not allow" >&2
    exit 1
}
