#!/bin/sh
# expect.sh PROGRAM VARIANT EXPECT: of a wrong variant, `check` and `explain` must both end with exit code 1 and say every
# line of EXPECT. What only a second launch or a watched host shows is for `check` alone: EXPECT then says "a second time" or begins
# with the line "check only". A line "shape OPTIONS" asks for another shape than the usual one.
export WL_SIM_SECONDS=2 # the machine may be busy
program=$1 variant=$2 expect=$3
shape='--instances 9 --attributes 70'
if grep -q '^shape ' "$expect"; then shape=$(sed -n 's/^shape //p' "$expect"); fi
for command in "check $variant --device sim" "explain $variant"; do
    case $command in explain*) if grep -q -e 'a second time' -e '^check only$' "$expect"; then continue; fi ;; esac
    # shellcheck disable=SC2086 # several words
    output=$("$program" $command $shape 2>&1)
    code=$?
    printf '%s\n' "$output"
    if [ "$code" -eq 4 ] && printf '%s' "$output" | grep -q 'GB are free'; then exit 77; fi # skipped
    if [ "$code" -ne 1 ]; then
        echo "$command: expected exit code 1 (a check failed), found $code"
        exit 1
    fi
    while IFS= read -r line; do
        case $command/$line in check*'wrong, first'*) # said once, on standard output
            if [ "$(printf '%s\n' "$output" | grep -cF -e "$line")" -gt 1 ]; then echo "$command: expected to read once: $line"; exit 1; fi ;;
        esac
        case $output in
        *"$line"*) continue ;;
        esac
        case $line in 'check only' | 'shape '*) continue ;; esac
        echo "$command: expected to read: $line"
        exit 1
    done <"$expect"
done
