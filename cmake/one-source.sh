#!/bin/sh
# one-source.sh FOLDER [COMMAND...]: runs COMMAND if the stage in FOLDER is the same code on the simulated device and on a GPU. Its files may
# not name WL_SIMULATED or anything else of the simulated device, nor the backend that a file is compiled for. Of the names that belong to
# compilers, conditions may ask only for __CUDA_ARCH__, __CUDACC__ and __cplusplus.
set -eu
folder=$1
shift
for file in "$folder"/*.cu "$folder"/*.cuh "$folder"/*.h "$folder"/*.c "$folder"/*.inc; do
    [ ! -f "$file" ] || awk '
        function refuse(word) {
            printf "%s:%d: found %s, by which the stage may be another one on a GPU than on the simulated device; expected the same code" \
                " for both: what has to differ belongs in a header of harness/device\n", FILENAME, FNR, word
            failed = 1
            exit
        }
        {
            text = $0
            gsub(/"([^"\\]|\\.)*"/, "\"\"", text)
            if (comment && !sub(/^.*\*\//, "", text)) next
            comment = 0
            gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, " ", text)
            sub(/\/\/.*/, "", text)
            comment = sub(/\/\*.*/, "", text)
            condition = condition && continued || text ~ /^[ \t]*#[ \t]*(if|el)/
            continued = text ~ /\\$/
            while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
                word = substr(text, RSTART, RLENGTH)
                text = substr(text, RSTART + RLENGTH)
                if (word ~ /^(WL_SIM(_.*|ULATED)?|wl_sim_.*|WL_DEVICE_BACKEND|WL_FOLDER_BACKEND)$/) refuse(word)
                if (condition && word ~ /^_[A-Z_]/ && word !~ /^(__CUDA_ARCH_.*|__CUDACC__|__cplusplus|__VA_ARGS__)$/) refuse(word)
            }
        }
        END { exit failed }' "$file" >&2
done
[ $# -eq 0 ] || exec "$@"
