#!/usr/bin/env nextflow
// One run of warpladder in parts: nextflow run packaging/nextflow --command 'search --db db.wdb --query q.fasta' \
//     --inputs 'db.wdb,q.fasta' --output hits.txt --parts 16 -resume
// The inputs are named without folders in the command: each job has them beside it. A job that fails is tried twice more.

include { WARPLADDER_PART  } from './modules/warpladder/part/main'
include { WARPLADDER_MERGE } from './modules/warpladder/merge/main'

params.command = null
params.inputs  = null
params.output  = null
params.parts   = 4

workflow {
    def meta   = [id: params.output]
    def inputs = params.inputs.tokenize(',').collect { file(it, checkIfExists: true) }

    WARPLADDER_PART(Channel.of(1..params.parts).map { number -> tuple(meta, params.command, inputs, number, params.parts) })
    WARPLADDER_MERGE(
        WARPLADDER_PART.out.part
            .map { it -> it[1] }
            .collect()
            .map { parts -> tuple(meta, parts, inputs, params.output) }
    )
}
