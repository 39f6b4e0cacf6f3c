# shellcheck shell=bash
# The shapes that are counted on the GPU and on the simulated device, other than those of counters_h200.tsv: with ends of rows within a
# warp, a tile and a vector. What differs is in `explained`, and in .on_gpu of the stages: kernel, counters, reason.
shapes="77x333 130x1100"
stages='lessons/0* lessons/1*'
kernels='GPUnaive|GPUcoalesce|GPUchar|GPUregister|GPUshared|reduction|read_only|tiled|bit_planes|tensor_cores|binary|half_matrix|async_copies|warpgroups|two_teams|wide_tiles'
atomic_addresses=yes
explained='GPUcoalesce	global_load_sectors	unrolled loop, remainder first
reduction	shared_	three sums are one load
async_copies	shared_	asynchronous stores are no requests
warpgroups	global_load_	bulk copies are no loads
two_teams	global_load_	bulk copies are no loads
wide_tiles	global_load_	bulk copies are no loads'
export explained shapes stages kernels atomic_addresses

shape_options() { # SHAPE
    echo --datasets 1 --instances "${1%x*}" --attributes "${1#*x}"
}
