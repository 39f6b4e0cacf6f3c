#!/bin/sh
# expect.sh PROGRAM VARIANT EXPECT: of a wrong variant, `check` and `explain` must both end with exit code 1 and say every
# line of EXPECT. What only a second launch shows is for `check` alone: `explain` counts one.
program=$1 variant=$2 expect=$3
for command in "check $variant --device sim" "explain $variant"; do
    case $command in explain*) if grep -q 'a second time' "$expect"; then continue; fi ;; esac
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
        *"$line"*) ;;
        *)
            echo "$command: expected to read: $line"
            exit 1
            ;;
        esac
    done <"$expect"
done
