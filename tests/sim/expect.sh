#!/bin/sh
# expect.sh PROGRAM VARIANT EXPECT: the check of a wrong variant must end with exit code 1 and say every line of EXPECT.
program=$1 variant=$2 expect=$3
output=$("$program" check "$variant" --device sim --instances 9 --attributes 70 2>&1)
code=$?
printf '%s\n' "$output"
if [ "$code" -ne 1 ]; then
    echo "expected exit code 1 (a check failed), found $code"
    exit 1
fi
while IFS= read -r line; do
    case $output in
    *"$line"*) ;;
    *)
        echo "expected to read: $line"
        exit 1
        ;;
    esac
done <"$expect"
