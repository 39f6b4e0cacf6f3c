# shellcheck shell=bash
# The shapes that are counted on the GPU and on the simulated device: codons, with patterns that end within a tile, and nucleotides. What
# is counted are the joins; the kernels around them are many stages' at a time.
shapes="8x300s61r2 12x5000s4r4"
stages='peeling/0*'
kernels='naive|coalesced|coalesced_four|shared|shared_four|rescaled|rescaled_four|registers|four|level|level_of_four|tensor|fused|resident'
export shapes stages kernels

shape_options() { # SHAPE
    case $1 in
        8x300s61r2) echo --taxa 8 --patterns 300 --model GY94+G2 ;;
        *) echo --taxa 12 --patterns 5000 --model GTR+G4 ;;
    esac
}
