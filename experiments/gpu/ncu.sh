# shellcheck shell=bash
# What count_hardware.sh and count_hardware_ladder.sh share: which metrics Nsight Compute is asked for, and how its answer is read.

metrics=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_red.sum,l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum
metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum
metrics+=,smsp__inst_executed_op_shared_ld.sum,smsp__inst_executed_op_shared_st.sum
metrics+=,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum

# count SHAPE [NCU OPTIONS] COMMAND...: the launches of a command, in order. The clocks are left as they are.
count() {
    local shape=$1 log
    shift
    log=$(mktemp)
    ncu --clock-control none --csv --page raw --print-units base --metrics "$metrics" "$@" >"$log" 2>&1 || {
        cat "$log" >&2
        return 1
    }
    awk -v shape="$shape" '
        /^"ID"/ { n = split(substr($0, 2, length($0) - 2), name, "\",\""); for (i = 1; i <= n; i++) column[name[i]] = i; next }
        /^"[0-9]/ {
            split(substr($0, 2, length($0) - 2), field, "\",\"")
            kernel = field[column["Kernel Name"]]
            sub(/^void /, "", kernel); sub(/[(<].*/, "", kernel)
            split("", v)
            for (m in column) if (m ~ /\.sum$/) { text = field[column[m]]; gsub(",", "", text); v[m] = text + 0 }
            g = "l1tex__t_requests_pipe_lsu_mem_global_op_"; s = "l1tex__t_sectors_pipe_lsu_mem_global_op_"
            w = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"; h = "smsp__inst_executed_op_shared_"
            printf "%s\t%d\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", shape, ++launch, kernel, v[g "ld.sum"], v[s "ld.sum"],
                v[g "st.sum"], v[s "st.sum"], v[g "red.sum"] + v[g "atom.sum"], v[s "red.sum"] + v[s "atom.sum"],
                v[h "ld.sum"] + v[h "st.sum"], v[w "ld.sum"] + v[w "st.sum"]
        }' "$log"
    rm -f "$log"
}

# head_of BUILD COMMAND: the file's first lines, and its columns. BUILD "": no program of the suite is run.
head_of() {
    echo "# device: $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1)"
    echo "# profiler: $(ncu --version | sed -n 's/^Version //p') (ncu --clock-control none)"
    echo "# date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
    [ -z "$1" ] || "$1/warpladder" machine | sed -nE 's/^(program|commit|flags|cuda_compiler) +/# \1: /p'
    [ -z "$1" ] || echo "# seed: 2010 (the default)"
    echo "# command: $2"
    printf 'shape\tlaunch\tkernel\tglobal_load_requests\tglobal_load_sectors\tglobal_store_requests\tglobal_store_sectors\t'
    printf 'atomic_requests\tatomic_sectors\tshared_requests\tshared_passes\n'
}
