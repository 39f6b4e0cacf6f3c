process WARPLADDER_MERGE {
    tag "${meta.id}"
    label 'process_single'

    conda "${moduleDir}/environment.yml"
    container "warpladder:1.0.0"

    input:
    tuple val(meta), path(parts), path(inputs, stageAs: '*'), val(output)

    output:
    tuple val(meta), path("${output}"), emit: merged
    tuple val("${task.process}"), val('warpladder'), eval("warpladder --version | sed 's/^warpladder //'"), topic: versions, emit: versions_warpladder

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    """
    warpladder merge ${parts} ${args} --quiet -o ${output}
    """

    stub:
    """
    touch ${output}
    """
}
