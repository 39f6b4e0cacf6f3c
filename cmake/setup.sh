# shellcheck shell=bash
# Shared by ./run, ./test and .ci/run (sourced, bash): install what is missing, find CUDA, build. Messages go to standard
# error, so that standard output stays the program's.
#
#   wl_program_of ...      which program of cmake/programs.tsv answers this command line; `all`: the whole one
#   wl_setup PART...       the packages that these parts need, and the line about CUDA
#   wl_oracles             other people's programs, which tests compare ours with
#   wl_configure           build/ is configured
#   wl_build [target...]   and these programs (without one: all) are up to date
#   wl_targets_of [...]    what has to be built for the tests that ctest's arguments choose
#
# From outside:
#   WARPLADDER_NO_INSTALL=1     install nothing, use what is there
#   WARPLADDER_CUDA=ON|OFF      build the GPU's code or not; by default it is built where there are a GPU and a toolkit.
#                               The choice lasts until the next one.
#   WARPLADDER_WERROR=ON        warnings are errors

wl_root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." >/dev/null && pwd -P)
wl_build_folder=$wl_root/build
wl_jobs=$(nproc 2>/dev/null || echo 2)

wl_say() { printf '%s\n' "$*" >&2; }
wl_die() { # code message...
    local code=$1
    shift
    wl_say "$@"
    exit "$code"
}

# --- Packages -------------------------------------------------------------------------------------------------------

wl_have() { command -v "$1" >/dev/null 2>&1; }
# Header and library both: a machine can have one without the other.
wl_have_library() { # header [library]
    local program result
    program=$(mktemp)
    printf '#include <%s>\n' stdarg.h stddef.h stdint.h setjmp.h "$1" |
        gcc -shared -x c - -x none ${2:+"-l$2"} -o "$program" >/dev/null 2>&1
    result=$?
    rm -f "$program"
    return $result
}

# A folder with a stage outside the ladders: it is linked to what an installation has.
wl_is_own_stage() { [ -f "$1/kernel.cu" ] && [ ! -f "$wl_root/${1%%/*}/problem.c" ]; }

# Sets wl_program and wl_parts for a command line: `all` if no program of cmake/programs.tsv has the command with all the ladders and
# papers that the line names, or if it names a stage outside the ladders.
# shellcheck disable=SC2034 # ./run reads them
wl_program_of() { # command word...
    local name parts commands words word fits ladders
    wl_program=all wl_parts=all
    ladders=$(awk -F '\t' '/^[^#]/ { print $4 }' "$wl_root/cmake/programs.tsv" | tr '\n' ' ')
    while IFS=$'\t' read -r name parts commands words; do
        [[ $name != \#* && " $commands " == *" ${1:-} "* ]] || continue
        fits=
        case $1 in run | check | explain | reproduce) ;; *) fits=1 ;; esac
        for word in "${@:2}"; do
            if wl_is_own_stage "$word"; then fits=no; fi
            word=${word%%/*}
            if [[ -n $word && " $words " == *" $word "* ]]; then
                fits=${fits:-1}
            elif [[ -n $word && " $ladders" == *" $word "* ]]; then
                fits=no
            fi
        done
        if [ "$fits" = 1 ]; then
            wl_program=$name wl_parts="core $parts"
            return
        fi
    done <"$wl_root/cmake/programs.tsv"
}

# One line a need: the part that has it (tests: only ./test), Debian's package, Fedora's package, and whether it is there. A probe, not a
# package database: a cmake from elsewhere is as good.
wl_missing_packages() { # debian|fedora part...
    local column=$1 part debian fedora probe
    while read -r part debian fedora probe; do
        [[ " ${*:2} " == *" $part "* || " ${*:2} " == *" all "* ]] || continue
        eval "$probe" || { [ "$column" = debian ] && echo "$debian" || echo "$fedora"; }
    done <<'END'
core           build-essential gcc-c++       wl_have gcc && wl_have g++ && wl_have make
core           cmake           cmake         wl_have cmake
core           zlib1g-dev      zlib-devel    wl_have_library zlib.h z
core           libdw-dev       elfutils-devel wl_have_library elfutils/libdwfl.h dw
core           libelf-dev      elfutils-libelf-devel wl_have_library libelf.h elf
core           gnuplot-nox     gnuplot       wl_have gnuplot
tool_distances libhts-dev      htslib-devel  wl_have_library htslib/vcf.h hts
peeling        liblapacke-dev  lapack-devel  wl_have_library lapacke.h lapacke || wl_have_library lapacke/lapacke.h lapacke
peeling        liblapack-dev   lapack-devel  wl_have_library stdio.h lapack
peeling        libblas-dev     blas-devel    wl_have_library stdio.h blas
likelihood     libnlopt-dev    NLopt-devel   wl_have_library nlopt.h nlopt
labs           libinih-dev     inih-devel    wl_have_library ini.h inih
labs           bubblewrap      bubblewrap    wl_have bwrap
labs           clang           clang         wl_have clang
report         libcmark-gfm-dev cmark-gfm-devel wl_have_library cmark-gfm.h cmark-gfm
report         libcmark-gfm-extensions-dev cmark-gfm-devel wl_have_library cmark-gfm-core-extensions.h cmark-gfm-extensions
tests          libcmocka-dev   libcmocka-devel wl_have_library cmocka.h cmocka
tests          bzip2           bzip2         wl_have bzip2
tests          xz-utils        xz            wl_have xz
tests          zstd            zstd          wl_have zstd
END
}

wl_install() { # Debian packages...
    local log answer as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        wl_have sudo || wl_die 4 "Missing packages, and neither root nor sudo to install them: apt-get install $*" \
            "(WARPLADDER_NO_INSTALL=1 goes on without)"
        as_root=(sudo)
    fi
    log=$(mktemp)
    if [ ${#as_root[@]} -gt 0 ] && [ -t 0 ]; then
        printf 'To be installed with sudo apt-get: %s\nGo on? [Y/n] ' "$*" >&2
        read -r answer
        case $answer in
        [nN]*) wl_die 4 "Nothing is installed. WARPLADDER_NO_INSTALL=1 goes on with what is there." ;;
        esac
    fi
    wl_say "Installing $*"
    if ! { "${as_root[@]}" apt-get update &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
            -o DPkg::Lock::Timeout=120 "$@"; } >"$log" 2>&1 </dev/null; then
        tail -n 25 "$log" >&2
        rm -f "$log"
        wl_die 4 "Could not install $* (see above). With WARPLADDER_NO_INSTALL=1 nothing is installed."
    fi
    rm -f "$log"
}

# Looking takes a second: build/packages-for names the parts that it was done for.
wl_packages() { # part...
    local missing known=$wl_build_folder/packages-for
    [ -z "${WARPLADDER_NO_INSTALL:-}" ] || return 0
    if wl_configured && grep -qxF "$*" "$known" 2>/dev/null; then return 0; fi
    mapfile -t missing < <(wl_missing_packages debian "$@")
    if [ ${#missing[@]} -gt 0 ] && wl_have apt-get; then
        wl_install "${missing[@]}"
        rm -f "$wl_build_folder/configured-for" # CMake has to look again
        mapfile -t missing < <(wl_missing_packages debian "$@")
    fi
    if [ ${#missing[@]} -gt 0 ]; then
        wl_say "This machine lacks packages, and only apt is known here. Please install:"
        wl_say "  Debian, Ubuntu: ${missing[*]}"
        mapfile -t missing < <(wl_missing_packages fedora "$@")
        wl_die 4 "  Fedora:         ${missing[*]}"
    fi
    local version
    version=$(cmake --version | sed -n 's/^cmake version \([0-9]*\.[0-9]*\).*/\1/p')
    if [ "$(printf '3.22\n%s\n' "$version" | sort -V | head -n 1)" != 3.22 ]; then
        wl_die 4 "CMake $version is too old: 3.22 or later is needed (pip install cmake, or https://cmake.org/download)."
    fi
    wl_checked=$*
}

# What Debian does not have, into the build folder by the Python that tests run with: DuckDB, which loads result files, and axe's rules of
# accessibility; MkDocs, which makes the site.
wl_python=python3
[ ! -x /usr/bin/python3 ] || wl_python=/usr/bin/python3
wl_pypi_folder=$wl_build_folder/python
wl_pip() { # option or package...
    # Without a network, pip would try for minutes; without a wheel for this machine, it would compile DuckDB.
    "$wl_python" -m pip install --quiet --only-binary :all: --retries 1 --timeout 10 --target "$wl_pypi_folder" "$@" >/dev/null 2>&1 ||
        wl_say "Without ${*: -1} of PyPI some checks are skipped"
}
wl_mkdocs_from_pypi() {
    PYTHONPATH=$wl_pypi_folder "$wl_python" -c 'import material, mkdocs' 2>/dev/null || wl_pip 'mkdocs-material>=9.5,<10'
}
wl_from_pypi() {
    [ -d "$wl_pypi_folder/duckdb" ] || wl_pip --no-deps duckdb
    [ -d "$wl_pypi_folder/axe_playwright_python" ] || wl_pip --no-deps axe-playwright-python
    wl_mkdocs_from_pypi
}

# Parasail and BLAST, and real proteins to try them on; BEAGLE, which computes likelihoods of trees; DendroPy and Biopython, which read
# trees and alignments; RAxML, which places reads; MrBayes, which samples trees; PhyML and PAML, which compute likelihoods too; PLINK,
# which compares genotypes; IQ-TREE, which finds the likeliest lengths; bcftools and snp-sites, which write VCF; NumPy, pandas and R, which
# load result files; Jupyter, which runs notebooks; Chromium, which opens pages; Open MPI, for warpladder-mpi. Without them, their tests are skipped.
wl_oracles() {
    local missing=()
    [ -z "${WARPLADDER_NO_INSTALL:-}" ] || return 0
    wl_have_library parasail.h parasail || missing+=(libparasail-dev)
    wl_have_library libhmsbeagle-1/libhmsbeagle/platform.h hmsbeagle || missing+=(libhmsbeagle-dev)
    wl_have blastp || missing+=(ncbi-blast+)
    echo '#include <mpi.h>' | mpicc -E -x c - >/dev/null 2>&1 || missing+=(libopenmpi-dev)
    local package
    for package in hmmer-examples mrbayes python3-dendropy python3-biopython raxml phyml paml plink1.9 bcftools snp-sites iqtree python3-numpy \
        python3-pandas r-base-core python3-pip python3-nbclient python3-ipykernel chromium codespell; do
        dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
    done
    if [ ${#missing[@]} -eq 0 ]; then
        :
    elif ! wl_have apt-get || ! { [ "$(id -u)" -eq 0 ] || wl_have sudo; } || ! (wl_install "${missing[@]}"); then
        wl_say "Without ${missing[*]} some comparisons are skipped"
    elif [ -f "$wl_build_folder/CMakeCache.txt" ]; then
        cmake "$wl_build_folder" >/dev/null 2>&1 || true # which looks again for what it did not find
    fi
    wl_from_pypi # by pip, which may have come just now
}

# --- CUDA -----------------------------------------------------------------------------------------------------------

wl_nvcc() { # the path CMake will find too, or nothing
    local candidate
    for candidate in "${CUDACXX:-}" "$(command -v nvcc)" "${CUDA_PATH:-}/bin/nvcc" "${CUDA_HOME:-}/bin/nvcc" \
        /usr/local/cuda/bin/nvcc /usr/local/cuda-*/bin/nvcc /opt/cuda/bin/nvcc; do
        if [ -n "$candidate" ] && [ -x "$candidate" ]; then
            echo "$candidate"
            return
        fi
    done
}

# Sets wl_machine, what of CUDA is here, and wl_cuda, what is built: AUTO, ON or OFF. A toolkit alone is not enough to build the
# GPU's code, which takes minutes and cannot be run.
wl_find_cuda() {
    local nvcc toolkit='' gpus='' known=$wl_build_folder/configured-for
    nvcc=$(wl_nvcc) || true
    [ -z "$nvcc" ] || toolkit=$("$nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p')
    if wl_have nvidia-smi; then
        gpus=$(nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | sort | uniq -c |
            sed -E 's/^ *1 //; s/^ *([0-9]+) /\1 x /' | paste -sd ',' | sed 's/,/, /g') || gpus=''
    fi
    wl_machine="toolkit ${toolkit:-none}, GPU ${gpus:-none}"
    wl_cuda=${WARPLADDER_CUDA:-}
    if [ -z "$wl_cuda" ] && wl_configured && [ "$(cat "$known" 2>/dev/null || echo "$wl_machine")" = "$wl_machine" ]; then
        wl_cuda=$(wl_cached WARPLADDER_CUDA)
    elif [ -z "$wl_cuda" ] && [ -n "$toolkit" ] && [ -z "$gpus" ]; then
        wl_cuda=OFF
    fi
    wl_cuda=${wl_cuda:-AUTO}

    local built="the GPU's code is built"
    [ "$wl_cuda" != OFF ] || built="the GPU's code is not built (WARPLADDER_CUDA=ON $0 builds it)"
    if [ -n "$toolkit" ]; then
        wl_say "CUDA: toolkit $toolkit, ${gpus:+GPU }${gpus:-no GPU}; $built"
    elif [ -n "$gpus" ]; then
        wl_say "CUDA: GPU $gpus, but no toolkit; backends cpu and sim only"
    else
        wl_say "CUDA: no toolkit; backends cpu and sim only"
    fi
}

wl_setup() { # part...
    wl_checked=
    wl_packages "$@"
    wl_find_cuda
}

# --- Building -------------------------------------------------------------------------------------------------------

wl_cached() { sed -n "s/^$1:[A-Z]*=//p" "$wl_build_folder/CMakeCache.txt" 2>/dev/null; }

# Is build/ a finished configuration of this very checkout, by tools that are still there?
wl_configured() {
    local tool
    [ -f "$wl_build_folder/CMakeCache.txt" ] || return 1
    [ -f "$wl_build_folder/Makefile" ] || [ -f "$wl_build_folder/build.ninja" ] || return 1
    [ "$(wl_cached CMAKE_HOME_DIRECTORY)" = "$wl_root" ] || return 1
    [ "$(wl_cached CMAKE_CACHEFILE_DIR)" = "$wl_build_folder" ] || return 1
    for tool in CMAKE_COMMAND CMAKE_C_COMPILER CMAKE_CXX_COMPILER; do
        [ -x "$(wl_cached $tool)" ] || return 1
    done
}

# The compilers' words without the progress lines around them.
wl_show_log() { # log [lines]
    grep -vE '^\[ *[0-9]+%\]|^g?make(\[[0-9]+\])?: (Entering|Leaving|\*\*\* Waiting)|^ninja: |^-- ' "$1" | tail -n "${2:-60}" >&2 || true
}

wl_run_cmake() {
    local generator=()
    if [ ! -f "$wl_build_folder/CMakeCache.txt" ] && wl_have ninja; then generator=(-G Ninja); fi
    mkdir -p "$wl_build_folder"
    if ! cmake -S "$wl_root" -B "$wl_build_folder" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release "-DWARPLADDER_CUDA=$wl_cuda" \
        "-DWARPLADDER_WERROR=${WARPLADDER_WERROR:-OFF}" >"$wl_build_folder/configure.log" 2>&1; then
        wl_show_log "$wl_build_folder/configure.log"
        wl_die 4 "Configuring failed; all of it is in $wl_build_folder/configure.log"
    fi
}

wl_configure() {
    local known=$wl_build_folder/configured-for
    # One build at a time in a checkout; the lock goes with this process, or when wl_build has ended.
    if wl_have flock; then
        exec 9<"$wl_root"
        flock -n 9 || { wl_say "Waiting for another build of this checkout" && flock 9; }
    fi

    # A folder that somebody configured by hand has no such file, and is left as it is.
    if wl_configured && [ -n "$wl_checked" ] && [ -f "$wl_build_folder/packages-for" ] && [ ! -f "$known" ]; then
        wl_run_cmake
        printf '%s\n' "$wl_machine" >"$known"
    fi
    if wl_configured && [ -f "$known" ] && [ "$(cat "$known")" != "$wl_machine" ]; then
        rm -rf "$wl_build_folder/CMakeCache.txt" "$wl_build_folder/CMakeFiles"
    fi
    if ! wl_configured; then
        wl_say "Configuring"
        # Of a checkout that moved, or a configuration that broke off, nothing can be kept.
        if [ -f "$wl_build_folder/CMakeCache.txt" ]; then
            rm -rf "$wl_build_folder"
        fi
        wl_run_cmake
        printf '%s\n' "$wl_machine" >"$known"
    elif { [ -n "${WARPLADDER_WERROR:-}" ] && [ "$(wl_cached WARPLADDER_WERROR)" != "$WARPLADDER_WERROR" ]; } ||
        { [ -n "${WARPLADDER_CUDA:-}" ] && [ "$(wl_cached WARPLADDER_CUDA)" != "$WARPLADDER_CUDA" ]; }; then
        wl_run_cmake
    fi
    [ -z "$wl_checked" ] || printf '%s\n' "$wl_checked" >>"$wl_build_folder/packages-for"
    if [ "$wl_cuda" = AUTO ] && [[ $wl_machine != "toolkit none"* ]]; then # which CMake may have found wanting
        grep -h 'Backends cpu and sim only' "$wl_build_folder/configure.log" >&2 2>/dev/null || true
    fi
}

# Copies a build's output to a file and shows the share done: on a terminal a line that renews itself, elsewhere a line every ten
# seconds.
wl_progress() { # log
    local line part='' status share='' shown='' last=$SECONDS
    : >"$1"
    while :; do
        status=0
        IFS= read -r -t 1 line || status=$?
        part+=$line
        if [ $status -eq 0 ]; then
            printf '%s\n' "$part" >>"$1"
            [[ ! $part =~ ^\[\ *([0-9]+)%\] ]] || share=${BASH_REMATCH[1]}
            part=''
        elif [ $status -le 128 ]; then # the end, not the second's
            break
        fi
        if [ -t 2 ]; then
            [ "$share" = "$shown" ] || printf '\rBuilding: %s %%\033[K' "$share" >&2
            shown=$share
        elif [ $((SECONDS - last)) -ge 10 ]; then
            wl_say "Building: ${share:-0} % after $SECONDS s"
            last=$SECONDS
        fi
    done
    [ ! -t 2 ] || [ -z "$shown" ] || printf '\r\033[K' >&2
}

wl_build() { # [target...]
    local log=$wl_build_folder/build.log
    [ -f "$log" ] || wl_say "Building (once; $wl_jobs jobs)"
    if ! NINJA_STATUS='[%p] ' cmake --build "$wl_build_folder" --parallel "$wl_jobs" ${1:+--target "$@"} 2>&1 </dev/null |
        wl_progress "$log"; then
        wl_show_log "$log"
        wl_die 1 "The build failed; all of it is in $log"
    fi
    wl_show_log "$log" # warnings
    if wl_have flock; then
        exec 9<&-
    fi
}

# Reads build/test_targets, a line for each test: its name and what it runs. A test that is not known yet is a new variant's check.
wl_targets_of() { # ctest's arguments...
    { ctest --test-dir "$wl_build_folder" -N "$@" | sed -n 's/^ *Test *#[0-9]*: //p'; } |
        awk 'NR == FNR { chosen[$1] = 1; next } $1 in chosen { for (i = 2; i <= NF; i++) print $i }' - \
            "$wl_build_folder/test_targets" | sort -u
}
