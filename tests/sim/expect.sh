#!/bin/sh
# expect.sh PROGRAM VARIANT EXPECT: of a wrong variant, `check` and `explain` must both end with exit code 1 and say every
# line of EXPECT. What only a second launch or a watched host shows is for `check` alone: EXPECT then says "a second time" or begins
# with the line "check only".
export WL_SIM_SECONDS=2 # the machine may be busy
program=$1 variant=$2 expect=$3
for command in "check $variant --device sim" "explain $variant"; do
    case $command in explain*) if grep -q -e 'a second time' -e '^check only$' "$expect"; then continue; fi ;; esac
    # shellcheck disable=SC2086 # several words
    output=$("$program" $command --instances 9 --attributes 70 2>&1)
    code=$?
    printf '%s\n' "$output"
    if [ "$code" -ne 1 ]; then
        echo "$command: expected exit code 1 (a check failed), found $code"
        exit 1
    fi
    while IFS= read -r line; do
        case $output in
        *"$line"*) continue ;;
        esac
        [ "$line" = 'check only' ] && continue
        echo "$command: expected to read: $line"
        exit 1
    done <"$expect"
done
