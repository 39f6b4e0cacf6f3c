# shellcheck shell=bash
# The shapes that are counted on the GPU and on the simulated device: one of the paper's proportions, one with nothing but edges.
shapes="48x64x1200 50,31,12x45x151"
stages='papara/0*'
kernels='straightforward|inter_reference|blocked|unrolled|compressed|registers|two_references|shifted_scores|shared_costs' # its others pack vectors
# What the source loads again right after storing it, nvcc takes from a register: the least of a block's last row, in 03 to 06 the row
# that a square block has just finished. That is up to 2.1 % of a kernel's loads, which the simulated device counts.
merged_percent=2.5
# Kernel, counter, reason, and the most percent; in .on_gpu of the stage, too.
explained='shared_costs	shared_requests	cause unknown	1.5'
export explained shapes stages kernels merged_percent

shape_options() { # SHAPE
    case $1 in
        48x64x1200) echo --read-lengths 48 --vectors 64 --sites 1200 ;;
        *) echo --read-lengths 50,31,12 --vectors 45 --sites 151 ;;
    esac
}
