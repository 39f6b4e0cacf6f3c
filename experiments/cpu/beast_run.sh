# shellcheck shell=bash disable=SC2154 # home, runs: of the scripts
# BEAST 1 with four ways to compute likelihoods, for the scripts that source this file. They say where the chains go, runs=FOLDER, and
# where the pieces are, home=FOLDER:
#   java/bin/java or the system's java, jars/, jni/ (BEAGLE's part for Java), debian/ and ours/ (the libraries), core/ and *.xml

# beast_home FOLDER OURS: copies Debian's BEAST, Debian's BEAGLE and the folder OURS, which has our libhmsbeagle.so.1, to FOLDER.
beast_home() {
    local jar libraries=/usr/lib/x86_64-linux-gnu
    mkdir -p "$1"/{jars,jni,debian,ours,core/dr/app/beast}
    cp -L /usr/share/beast-mcmc/beast.jar "$1/jars/"
    for jar in beagle mtj jebl jam jdom1 colt commons-math; do cp -L "/usr/share/java/$jar.jar" "$1/jars/"; done
    cp -L "$libraries/libhmsbeagle-jni.so" "$1/jni/"
    cp -L "$libraries/libhmsbeagle.so.1" "$libraries"/libhmsbeagle-cpu{,-sse}.so.31.0.0 "$1/debian/" # the whole number is what BEAGLE looks for
    cp -L "$2/libhmsbeagle.so.1" "$1/ours/"
    # BEAST 1.10 still has its own Java code, but loads it only on request. The Java code in Debian's BEAGLE, which -java alone would take,
    # fails: an index is out of bounds, and likelihoods are 0. So they are with BEAST's own C code as Debian builds it.
    printf 'dr.oldevomodelxml.%s\n' substmodel.FrequencyModelParser substmodel.GTRParser substmodel.YangCodonModelParser \
        sitemodel.GammaSiteModelParser treelikelihood.TreeLikelihoodParser >"$1/core/dr/app/beast/core_parsers.properties"
}

# beast LIBRARY PRECISION FILE.xml OPTION...: java (BEAST's own code), debian, ours or gpu; OMP_NUM_THREADS has ours' threads; seconds=N ends it.
beast() {
    local library=$1 precision=$2 file=$3 java=$home/java/bin/java properties=() options=(-beagle_CPU "-beagle_$2") path=
    shift 3
    [ -x "$java" ] || java=java
    case $library in
        java) properties=(-Dparsers=core) options=(-java) ;;
        debian) path=$home/debian ;;
        ours) path=$home/ours ;;
        gpu) path=$home/ours options=(-beagle_GPU "-beagle_$precision") ;;
    esac
    LD_LIBRARY_PATH=${path:-$home/debian}${home_libraries:+:$home_libraries}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} timeout "${seconds:-0}" "$java" -Xmx3072m -XX:+UseSerialGC "-Djava.library.path=$home/jni" \
        "${properties[@]}" -cp "$home/core:$home/jars/*" dr.app.beast.BeastMain -overwrite -threads 1 "${options[@]}" "$@" "$file"
}

# What BEAST says when it uses this library: nobody times another one by mistake.
beast_says() {
    case $1 in
        java) grep -q 'using Java .* likelihood core' "$2" ;;
        debian) grep -q 'Using BEAGLE resource 0: CPU$' "$2" ;;
        ours) grep -q 'Using BEAGLE resource 0: CPU (Warpladder)' "$2" ;;
        gpu) grep -q 'Using BEAGLE resource [1-9]' "$2" ;;
    esac || { echo "$2: BEAST does not say that it uses $1: $(grep -E 'Using|SEVERE|Exception' "$2" | head -n 3)" >&2 && return 1; }
}

# beast_file MODEL STATES LOG_EVERY TREE_EVERY: the analysis with these lengths.
beast_file() { sed "s/CHAIN_LENGTH/$2/; s/LOG_EVERY/$3/; s/TREE_EVERY/$4/" "$home/$1.xml"; }

# beast_time MODEL LIBRARY PRECISION THREADS STATES: a chain of so many states; a line with its seconds to $runs/times.tsv.
beast_time() {
    local folder=$runs/time_$1_$2_$3_$4_$5 TIMEFORMAT='%R %U %S' used
    mkdir -p "$folder" && cd "$folder" || return 1
    beast_file "$1" "$5" "$5" "$5" >run.xml
    used=$({ time OMP_NUM_THREADS=$4 beast "$2" "$3" run.xml -seed 7 >said 2>&1; } 2>&1) || return 1
    beast_says "$2" said || return 1
    # shellcheck disable=SC2086 # three numbers
    set -- "$@" $used
    awk -v OFS='\t' '{ $7 += $8; NF = 7; print }' <<<"$*" >>"$runs/times.tsv"
    tail -n 1 chain.log | sed "s/^/$2 $3\t/" >>"$runs/last_$1_$5"
}

# beast_chain MODEL LIBRARY PRECISION NUMBER SECONDS: a chain until the clock ends it, in $runs/MODEL.LIBRARY.PRECISION.NUMBER. The random
# numbers depend on all of them. If the folder has a state, the chain goes on from it in the next folder, NUMBER + 100.
beast_chain() {
    local number=$4 folder resume=()
    while [ -s "$runs/$1.$2.$3.$number/state" ]; do
        resume=(-load_state "$runs/$1.$2.$3.$number/state" -force_resume)
        number=$((number + 100))
    done
    folder=$runs/$1.$2.$3.$number
    mkdir -p "$folder" && cd "$folder" || return 1
    beast_file "$1" 1000000000 "${LOG_EVERY:-200}" "${TREE_EVERY:-4000}" >run.xml
    # One thread: the library's threads would share a core with other chains. The clock ends the chain: exit code 124.
    OMP_NUM_THREADS=1 seconds=$5 beast "$2" "$3" run.xml -seed "$(cksum <<<"$1.$2.$3.$number" | cut -c1-6)" \
        -save_every 5000 -save_state "$folder/new" "${resume[@]}" >said 2>&1
    ! [ -s new ] || mv new state
    beast_says "$2" said
}
