# shellcheck shell=bash
# The shapes that are counted on the GPU and on the simulated device: codons, with patterns that end within a tile, and nucleotides. Counted
# are the joins of 01 to 04; the kernels around them are many stages' at a time. The stages from 05 on take larger tiles on the
# simulated device than a GPU does for so few patterns (peeling/kit/tile.h), and from 07 on nvcc merges loads and keeps in registers
# what their sources load twice.
shapes="8x300s61r2 12x5000s4r4"
stages='peeling/0[1-4]*'
kernels='naive|coalesced|coalesced_four|shared|shared_four|rescaled|rescaled_four'
export shapes stages kernels

shape_options() { # SHAPE
    case $1 in
        8x300s61r2) echo --taxa 8 --patterns 300 --model GY94+G2 ;;
        *) echo --taxa 12 --patterns 5000 --model GTR+G4 ;;
    esac
}
