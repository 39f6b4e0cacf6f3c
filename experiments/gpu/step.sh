# shellcheck shell=bash
# step NAME COMMAND...: runs the command, and prints its name and seconds. If it fails, failed=1, and the session goes on.
# shellcheck disable=SC2034 # failed: read by the sessions that source this file
step() {
    local name=$1 begin=$SECONDS
    shift
    echo "== $name"
    "$@" || {
        echo "FAILED: $name"
        failed=1
    }
    echo "   $((SECONDS - begin)) s"
}
