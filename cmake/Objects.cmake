# Everything is linked as objects, never through static archives: variants and problems register themselves in
# constructors, which an archive member nobody refers to would lose.
#
# A program is made of parts: `core`, which every program has, and the ladders, tools and papers (cmake/programs.tsv). What belongs to a part
# is collected in global properties of its name while WL_PART is set, and wl_link_program links the parts that it is told, or all of them.
# What shared libraries have, too (wl_link_library), is collected a second time: problems, their variants for CPUs and GPUs, and what
# these stand on.
set(WL_PART core)

# wl_add_to_program(TARGET name... | FILE object... DEPENDS target [IN_LIBRARY])
function(wl_add_to_program)
    cmake_parse_arguments(PARSE_ARGV 0 arg "IN_LIBRARY" "DEPENDS" "TARGET;FILE")
    set(kinds ${WL_PART} all)
    set_property(GLOBAL APPEND PROPERTY WL_PARTS ${WL_PART})
    if(arg_IN_LIBRARY)
        list(APPEND kinds library)
    endif()
    foreach(kind IN LISTS kinds)
        foreach(target IN LISTS arg_TARGET)
            set_property(GLOBAL APPEND PROPERTY WL_OBJECTS_${kind} "$<TARGET_OBJECTS:${target}>")
            set_property(GLOBAL APPEND PROPERTY WL_TARGETS_${kind} ${target}) # a command that takes the objects waits for these
        endforeach()
        set_property(GLOBAL APPEND PROPERTY WL_OBJECTS_${kind} ${arg_FILE})
        set_property(GLOBAL APPEND PROPERTY WL_DEPENDS_${kind} ${arg_DEPENDS})
    endforeach()
endfunction()

# wl_part_needs(found "name" library...): what this part is linked with. Unless `found`, the part is not built, and a program that has it
# cannot be: cmake/setup.sh installs what a program needs before that.
function(wl_part_needs found name)
    if(found)
        set_property(GLOBAL APPEND PROPERTY WL_LIBRARIES_${WL_PART} ${ARGN})
        set_property(GLOBAL APPEND PROPERTY WL_LIBRARIES_all ${ARGN})
    else()
        set_property(GLOBAL APPEND PROPERTY WL_MISSING_${WL_PART} "${name}")
        set_property(GLOBAL APPEND PROPERTY WL_MISSING_all "${name}")
    endif()
endfunction()

# wl_library_code(target): compiled so that a shared library can hold it, at no cost to the program: a function of ours is never
# replaced by another library's of that name, so calls and variables need no table.
function(wl_library_code target)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_options(${target} PRIVATE
        "$<$<COMPILE_LANGUAGE:C>:-fvisibility=hidden;-fno-semantic-interposition>")
endfunction()

# wl_object_library(name pattern... [EXCEPT pattern...] [IN_LIBRARY]): C files, part of the program. Patterns begin at the top folder.
function(wl_object_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "IN_LIBRARY" "" "EXCEPT")
    list(TRANSFORM arg_UNPARSED_ARGUMENTS PREPEND "${PROJECT_SOURCE_DIR}/")
    file(GLOB sources CONFIGURE_DEPENDS ${arg_UNPARSED_ARGUMENTS})
    if(arg_EXCEPT)
        list(TRANSFORM arg_EXCEPT PREPEND "${PROJECT_SOURCE_DIR}/")
        file(GLOB excepted CONFIGURE_DEPENDS ${arg_EXCEPT})
        list(REMOVE_ITEM sources ${excepted})
    endif()
    if(sources)
        wl_each_instruction_set(sources)
        add_library(${name} OBJECT ${sources})
        target_link_libraries(${name} PRIVATE wl_host_options)
        wl_instruction_sets(${sources})
        if(arg_IN_LIBRARY)
            wl_library_code(${name})
            wl_add_to_program(TARGET ${name} IN_LIBRARY)
        else()
            wl_add_to_program(TARGET ${name})
        endif()
    endif()
endfunction()

# wl_texts(target array pattern): files of data become part of a target's program, `const wl_named_text array[]`; the last entry has no name.
function(wl_texts target array pattern)
    file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${pattern}")
    set(code "#include \"harness/base/text.h\"\nextern const wl_named_text ${array}[];\nconst wl_named_text ${array}[] = {\n")
    foreach(file IN LISTS files)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
        get_filename_component(name "${file}" NAME_WE)
        file(READ "${file}" text)
        string(REGEX REPLACE "([\\\"])" "\\\\\\1" text "${text}")
        string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
        string(APPEND code "    {\"${name}\",\n     \"${text}\"},\n")
    endforeach()
    string(APPEND code "    {0, 0},\n};\n")
    file(CONFIGURE OUTPUT "${array}.c" CONTENT "${code}" @ONLY)
    target_sources(${target} PRIVATE "${PROJECT_BINARY_DIR}/${array}.c")
endfunction()

# wl_rows(target pattern): lines of data, which C files include as initialisers: folder/table.tsv as "folder/table.rows", a line "1<tab>-5" as
# {1, -5}, and one of folder/shapes.txt as "..."; lines that begin with # are left out.
function(wl_rows target pattern)
    file(GLOB files RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${pattern}")
    foreach(file IN LISTS files)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${file}")
        file(STRINGS "${file}" lines REGEX "^[^#]")
        if(file MATCHES "tsv$")
            list(JOIN lines "},\n{" rows)
            string(REPLACE "\t" ", " rows "{${rows}}")
        else()
            list(JOIN lines "\",\n\"" rows)
            set(rows "\"${rows}\"")
        endif()
        string(REGEX REPLACE "[a-z]+$" "rows" file "${file}")
        file(CONFIGURE OUTPUT "rows/${file}" CONTENT "${rows},\n" @ONLY)
    endforeach()
    target_include_directories(${target} PRIVATE "${PROJECT_BINARY_DIR}/rows")
endfunction()

# wl_each_instruction_set(variable): a file named *_each.c in the list is compiled once for every instruction set that a line of it
# names, "Compiled for: portable avx2 bw_avx512". WL_CORE(name) is name_avx2 there, and WL_FOR_AVX2 is defined. On another architecture
# than x86-64 it is compiled for the first one only. Who chooses among them declares the others weak: NULL is not in this build.
function(wl_each_instruction_set variable)
    set(expanded)
    foreach(source IN LISTS ${variable})
        if(NOT source MATCHES "_each\\.c$")
            list(APPEND expanded "${source}")
            continue()
        endif()
        file(STRINGS "${source}" sets LIMIT_COUNT 1 REGEX "Compiled for: ")
        string(REGEX REPLACE "^.*Compiled for: ([a-z0-9_ ]+[a-z0-9]).*$" "\\1" sets "${sets}")
        separate_arguments(sets)
        if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
            list(GET sets 0 sets)
        elseif(WARPLADDER_SANITIZE)
            list(SUBLIST sets 0 2 sets) # the wider ones are the same source, and compile long
        endif()
        file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}" "${source}")
        string(REGEX REPLACE "_each\\.c$" "" path "${path}")
        foreach(set IN LISTS sets)
            string(TOUPPER "${set}" upper)
            set(one "${PROJECT_BINARY_DIR}/each/${path}_${set}.c")
            file(CONFIGURE OUTPUT "${one}" CONTENT
                "#define WL_FOR_@upper@ 1\n#define WL_CORE(name) name##_@set@\n#include \"@source@\"\n" @ONLY)
            list(APPEND expanded "${one}")
        endforeach()
    endforeach()
    set(${variable} "${expanded}" PARENT_SCOPE)
endfunction()

# A file named *_sse41.c, *_avx2.c, *_fma_avx2.c (and FMA), *_bw_avx512.c (AVX-512 F, BW and VL: Skylake-X), *_vbmi_avx512.c (and VBMI: Ice Lake,
# Zen 4) or *_avx512.c (and VPOPCNTDQ: the same) is compiled for that instruction set; who calls it asks the processor
# first. On another architecture such a file compiles to nothing (#ifdef __AVX2__).
function(wl_instruction_sets)
    if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
        return()
    endif()
    foreach(source IN LISTS ARGN)
        if(source MATCHES "_sse41\\.c$")
            set(flags -msse4.1)
        elseif(source MATCHES "_fma_avx2\\.c$")
            # Not in every file: given FMA, the compiler makes one rounding of two in any expression.
            set(flags -mavx2 -mfma -mbmi -mbmi2 -mpopcnt)
        elseif(source MATCHES "_avx2\\.c$")
            set(flags -mavx2 -mbmi -mbmi2 -mpopcnt)
        elseif(source MATCHES "_bw_avx512\\.c$")
            # Not VPOPCNTDQ too: the compiler may use what it is given in any loop.
            set(flags -mavx512f -mavx512bw -mavx512vl -mpopcnt)
        elseif(source MATCHES "_vbmi_avx512\\.c$")
            set(flags -mavx512f -mavx512bw -mavx512vl -mavx512vbmi -mpopcnt)
        elseif(source MATCHES "_avx512\\.c$")
            set(flags -mavx512f -mavx512bw -mavx512vl -mavx512vpopcntdq -mpopcnt)
        else()
            continue()
        endif()
        set_source_files_properties("${source}" PROPERTIES COMPILE_OPTIONS "${flags}")
    endforeach()
endfunction()

# wl_private_objects(target output [IN_LIBRARY]): `output` is one object file holding all of the OBJECT library `target`, with no
# symbol visible outside. A variant needs this: it exports nothing (its constructor registers it), its kernel.cu is
# linked twice, once for each device, and a student's copy of a lesson keeps the kernel's name.
function(wl_private_objects target output)
    get_filename_component(folder "${output}" DIRECTORY)
    file(MAKE_DIRECTORY "${folder}")
    set(script "${PROJECT_SOURCE_DIR}/cmake/private-objects.sh")
    add_custom_command(
        OUTPUT "${output}"
        COMMAND sh "${script}" "${CMAKE_LINKER}" "${CMAKE_NM}" "${CMAKE_OBJCOPY}" "${output}"
                "$<TARGET_OBJECTS:${target}>"
        DEPENDS ${target} "$<TARGET_OBJECTS:${target}>" "${script}"
        COMMENT "Sealing ${target}"
        COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(${target}_sealed DEPENDS "${output}")
    wl_add_to_program(FILE "${output}" DEPENDS ${target}_sealed ${ARGN})
endfunction()

# wl_link_objects(target kind...): what was collected for these parts, for `all` of them, or for `library`.
function(wl_link_objects target)
    set(objects)
    foreach(kind IN LISTS ARGN)
        get_property(part GLOBAL PROPERTY WL_OBJECTS_${kind})
        list(APPEND objects ${part})
        get_property(depends GLOBAL PROPERTY WL_DEPENDS_${kind})
        if(depends)
            add_dependencies(${target} ${depends})
        endif()
    endforeach()
    foreach(object IN LISTS objects)
        if(NOT object MATCHES "^\\$<")
            set_source_files_properties("${object}" PROPERTIES GENERATED TRUE EXTERNAL_OBJECT TRUE)
        endif()
    endforeach()
    target_sources(${target} PRIVATE ${objects})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(${target} PRIVATE wl_host_options ZLIB::ZLIB Threads::Threads m ${CMAKE_DL_LIBS})
    if(WL_HAVE_CUDA)
        target_link_libraries(${target} PRIVATE CUDA::cudart_static)
    endif()
    target_link_options(${target} PRIVATE ${WL_SANITIZE_FLAGS})
endfunction()

# wl_link_program(executable [part...]): these parts (none named: all), and what they need; not cli/main.c.
function(wl_link_program executable)
    set(parts all)
    if(ARGN)
        set(parts core ${ARGN})
    endif()
    wl_link_objects(${executable} ${parts})
    foreach(part IN LISTS parts)
        get_property(libraries GLOBAL PROPERTY WL_LIBRARIES_${part})
        target_link_libraries(${executable} PRIVATE ${libraries})
    endforeach()
endfunction()

# wl_add_program(target path [part...]): a program of these parts (none named: all). Where one lacks a library, building it says so.
function(wl_add_program target path)
    set(missing)
    set(parts all)
    if(ARGN)
        set(parts core ${ARGN})
    endif()
    foreach(part IN LISTS parts)
        get_property(names GLOBAL PROPERTY WL_MISSING_${part})
        list(APPEND missing ${names})
    endforeach()
    if(missing)
        list(JOIN missing "; " missing)
        add_custom_target(${target} COMMAND "${CMAKE_COMMAND}" -E echo "Missing: ${missing}" COMMAND "${CMAKE_COMMAND}" -E false VERBATIM)
        return()
    endif()
    add_executable(${target} cli/main.c)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${path}" OUTPUT_NAME warpladder)
    wl_link_program(${target} ${ARGN})
endfunction()

# wl_link_library(library script): a shared library of the problems and all that they stand on. It exports what the linker's version
# script names; every symbol that it uses is found when it is linked.
function(wl_link_library library script)
    wl_link_objects(${library} library)
    target_link_libraries(${library} PRIVATE "${WL_HTS_LIBRARY}" ${WL_LAPACK_IN_LIBRARY})
    target_link_options(${library} PRIVATE "LINKER:--version-script=${script}" "LINKER:-Bsymbolic" "LINKER:-z,defs")
    set_target_properties(${library} PROPERTIES LINK_DEPENDS "${script}")
endfunction()
