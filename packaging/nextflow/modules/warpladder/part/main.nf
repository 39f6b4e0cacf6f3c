process WARPLADDER_PART {
    tag "${meta.id} ${number}/${parts}"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container "warpladder:1.0.0"

    input:
    tuple val(meta), val(command), path(inputs, stageAs: '*'), val(number), val(parts)

    output:
    tuple val(meta), path("*.part"), emit: part
    tuple val("${task.process}"), val('warpladder'), eval("warpladder --version | sed 's/^warpladder //'"), topic: versions, emit: versions_warpladder

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    warpladder ${command} ${args} --threads ${task.cpus} --part ${number}/${parts} --quiet -o ${prefix}.${number}.part
    """

    stub:
    def prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.${number}.part
    """
}
