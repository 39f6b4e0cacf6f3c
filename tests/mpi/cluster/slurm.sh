#!/usr/bin/env bash
# bash slurm.sh path/to/warpladder [path/to/warpladder-mpi]: sets up a Slurm of one node on this machine, in a temporary folder, runs search,
# distances and align-reads by `sbatch --array` and by `srun`, compares with single runs, and takes it down again. It needs root and Debian's
# slurm-wlm and munge.
set -euo pipefail
program=$(readlink -f "$1") parallel=${2:+$(readlink -f "$2")}
folder=$(mktemp -d)
chmod 755 "$folder"
cd "$folder"
daemons=()
clean() {
    [ ${#daemons[@]} -eq 0 ] || kill "${daemons[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$folder"
}
trap clean EXIT
fail() {
    echo "FAILED: $*"
    tail -n 20 slurmctld.log slurmd.log 2>/dev/null || true
    exit 1
}

# --- The node --------------------------------------------------------------------------------------------------------
head -c 1024 /dev/urandom >munge.key && chmod 400 munge.key
mkdir munge && chmod 755 munge
chown munge: munge munge.key 2>/dev/null || true
as_munge=()
if id munge >/dev/null 2>&1; then as_munge=(setpriv --reuid munge --regid munge --clear-groups); fi
"${as_munge[@]}" munged --foreground --force --key-file "$folder/munge.key" --socket "$folder/munge/socket" \
    --pid-file "$folder/munge/pid" --log-file "$folder/munge/log" --seed-file "$folder/munge/seed" 2>/dev/null &
daemons+=($!)
host=$(hostname -s)
mkdir state spool
cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SchedulerParameters=sched_interval=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=10 State=UP
CONF
export SLURM_CONF=$folder/slurm.conf
slurmctld -D -L "$folder/slurmctld.log" >/dev/null 2>&1 &
daemons+=($!)
slurmd -D -L "$folder/slurmd.log" -N "$host" >/dev/null 2>&1 &
daemons+=($!)
for ((i = 0; i < 60; i++)); do
    [ "$(sinfo -h -o %T 2>/dev/null)" != idle ] || break
    sleep 0.5
done
[ "$(sinfo -h -o %T)" = idle ] || fail "the node does not come up: $(sinfo -h -o '%T %E' 2>&1)"
echo "Slurm $(sinfo --version | awk '{ print $2 }'), node $host: idle"

# --- The tools -------------------------------------------------------------------------------------------------------
"$program" simulate-reads --taxa 10 --sites 120 --reads 60 --length 40 --out data --quiet
lines=("search --nucleotide --db data/reads.fasta --query data/reads.fasta --max-hits 4" "distances data/reference.fasta"
    "align-reads --tree data/tree.nwk --reference data/reference.fasta --reads data/reads.fasta --format fasta")
for line in "${lines[@]}"; do
    tool=${line%% *}
    read -ra words <<<"$line"
    "$program" "${words[@]}" --device cpu --quiet -o single
    # An array of four jobs, and the merge after all have succeeded.
    array=$(sbatch --parsable --array=1-4 -n 1 -D "$folder" -o "$folder/%x.%a.out" -J "$tool" --wrap \
        "'$program' $line --device cpu --quiet --part \$SLURM_ARRAY_TASK_ID/4 -o $tool.\$SLURM_ARRAY_TASK_ID.part")
    sbatch -W -n 1 -D "$folder" -o "$folder/merge.out" -d "afterok:$array" --kill-on-invalid-dep=yes --wrap \
        "'$program' merge $tool.*.part --quiet -o merged.$tool" >/dev/null || fail "sbatch --array $tool: $(cat ./*.out)"
    cmp single "merged.$tool" || fail "sbatch --array $tool: other bytes"
    echo "sbatch --array $tool: the single run's bytes"
    # Without MPI, srun starts the parts itself; each task knows its number.
    # shellcheck disable=SC2016 # for the inner shell
    srun -n "$(nproc)" -D "$folder" sh -c '"$0" "$@" --device cpu --quiet --part $((SLURM_PROCID + 1))/$SLURM_NTASKS -o srun.$SLURM_PROCID.part' \
        "$program" "${words[@]}" || fail "srun $tool"
    "$program" merge srun.*.part --quiet -o "srun.$tool" && rm -f srun.*.part
    cmp single "srun.$tool" || fail "srun $tool: other bytes"
    echo "srun $tool: the single run's bytes"
    [ -n "$parallel" ] || continue
    if ! srun --mpi=list 2>&1 | grep -q pmi; then
        echo "srun has no PMI here: mpirun inside of the job starts the ranks"
    fi
    salloc -Q -n "$(nproc)" env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun "$parallel" "${words[@]}" --device cpu --quiet \
        -o "mpi.$tool" || fail "mpirun in a job: $tool"
    cmp single "mpi.$tool" || fail "mpirun in a job: $tool: other bytes"
    echo "mpirun in a job, $tool: the single run's bytes"
done
