# shellcheck shell=bash
# The shapes that are counted on the GPU and on the simulated device: one without edges, one with nothing but.
shapes="120x16384 50,31x300-sequences"
stages='sw/0[1-6]*'
kernels='naive|packed_column|shared_band|register_band|two_in_one|lanes' # its others pack the database and look for scores to repeat
export shapes stages kernels

shape_options() { # SHAPE
    case $1 in
        120x16384) echo --subjects 256 --subject-length 64 --query-lengths 120 ;;
        *) echo --subjects 300 --longest 200 --query-lengths 50,31 ;;
    esac
}
