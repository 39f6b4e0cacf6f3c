// groovy nextflow.groovy FOLDER NAME=VALUE...: parses all files of packaging/nextflow as Groovy, which Nextflow's language is made of, and
// prints the commands of the processes: part 1 and 2 of 2, and the merge.
import org.codehaus.groovy.control.CompilationUnit
import org.codehaus.groovy.control.Phases

def folder = new File(args[0])
def files = []
folder.eachFileRecurse { if (it.name ==~ /.*\.nf|nextflow\.config/) files << it }
assert files.size() == 4
files.each { file ->
    def unit = new CompilationUnit()
    unit.addSource(file)
    unit.compile(Phases.CONVERSION)
}
def given = args.drop(1).collectEntries { it.split('=', 2) as List }
def script = { module, names ->
    def text = new File(folder, "modules/warpladder/${module}/main.nf").text
    def section = (text =~ /(?s)\n\s*script:\n(.*?)\n\s*stub:/)[0][1]
    def known = [meta: [id: 'run'], task: [ext: [:], cpus: 1]] + given + names
    println new GroovyShell(new Binding(known)).evaluate(section).toString().trim()
}
(1..2).each { script('part', [number: it, parts: 2]) }
script('merge', [parts: 'run.1.part run.2.part', output: 'merged'])
