# Problems and variants: one folder each, found by name.
#
#   <problem>/problem.c reference.c ...     the problem, part of the program
#   <problem>/<room>/*.c                    a room of it, likewise
#   <problem>/shapes.txt                    the shapes that `check` tries
#   <problem>/core/*.c                      what its CPU variant and another library share: wl_<problem>_core
#   <problem>/kit/*.cu                      what its stages share: compiled once for the simulated device and once for the GPU
#   <problem>/NN_*/             kernel.cu   a stage: compiled for the simulated device and, with CUDA, for the GPU,
#                                           where any other .cu file beside it holds a part of its kernels;
#                                           .c files beside it are part of the program
#   <problem>/library*/         kernel.cu   a library's kernels, as a yardstick: with CUDA, for the GPU
#   <problem>/cpu_*/            kernel.c    a CPU variant, with any .c files beside it

# WL_CHECKS collects problem.variant.backend of every variant, for tests/.
function(wl_add_check problem variant backend)
    set_property(GLOBAL APPEND PROPERTY WL_CHECKS "${problem}/${variant}/${backend}")
endfunction()

# A kernel knows its folder: a copied one cannot bear another's name.
function(wl_name_variant target problem variant backend)
    target_compile_definitions(${target} PRIVATE
        WL_FOLDER_PROBLEM="${problem}" WL_FOLDER_NAME="${variant}" WL_FOLDER_BACKEND=${backend})
endfunction()

function(wl_add_problem folder)
    get_filename_component(problem "${folder}" NAME)
    set(WL_PART ${problem})
    file(RELATIVE_PATH at "${PROJECT_SOURCE_DIR}" "${folder}")
    wl_object_library(wl_${problem} ${at}/*.c ${at}/*/*.c
        EXCEPT ${at}/cpu_*/*.c ${at}/library*/*.c ${at}/core/*.c IN_LIBRARY)
    wl_rows(wl_${problem} ${at}/*shapes.txt)
    wl_object_library(wl_${problem}_core ${at}/core/*.c IN_LIBRARY) # where there is one: linked by others, too

    # The serial reference is compiled twice: harness/bench/serial.h.
    set(reference "${folder}/reference.c")
    if(EXISTS "${reference}")
        set_source_files_properties("${reference}" PROPERTIES
            COMPILE_DEFINITIONS "WL_FOLDER_PROBLEM=\"${problem}\";WL_FOLDER_NAME=\"serial_O3\";WL_FOLDER_BACKEND=WL_CPU")
        if(NOT WARPLADDER_SANITIZE)
            set_source_files_properties("${reference}" PROPERTIES COMPILE_OPTIONS "-O3")
        endif()
        # A copy by #include, so that the two can have different options.
        set(second "${PROJECT_BINARY_DIR}/reference/${problem}_O0.c")
        file(CONFIGURE OUTPUT "${second}" CONTENT "#include \"@reference@\"\n" @ONLY)
        add_library(${problem}.serial_O0 OBJECT "${second}")
        target_link_libraries(${problem}.serial_O0 PRIVATE wl_host_options)
        target_compile_definitions(${problem}.serial_O0 PRIVATE WL_REFERENCE_O0)
        target_compile_options(${problem}.serial_O0 PRIVATE -O0 -U_FORTIFY_SOURCE)
        wl_name_variant(${problem}.serial_O0 ${problem} serial_O0 WL_CPU)
        wl_private_objects(${problem}.serial_O0 "${PROJECT_BINARY_DIR}/variants/${problem}.serial_O0.o")
    endif()

    file(GLOB cpu_files CONFIGURE_DEPENDS "${folder}/cpu_*/kernel.c")
    foreach(file IN LISTS cpu_files)
        wl_add_cpu_variant(${problem} "${file}")
    endforeach()
    file(GLOB kit_files CONFIGURE_DEPENDS "${folder}/kit/*.cu")
    foreach(file IN LISTS kit_files)
        wl_add_kit(${problem} "${file}")
    endforeach()
    file(GLOB kernel_files CONFIGURE_DEPENDS "${folder}/[0-9][0-9]_*/kernel.cu")
    list(REVERSE kernel_files) # later stages compile longest; begun last, they would end alone
    foreach(file IN LISTS kernel_files)
        wl_add_kernel_variant(${problem} "${file}")
    endforeach()
    file(GLOB library_files CONFIGURE_DEPENDS "${folder}/library*/kernel.cu")
    foreach(file IN LISTS library_files)
        wl_add_library_variant(${problem} "${file}")
    endforeach()
endfunction()

function(wl_add_cpu_variant problem file)
    get_filename_component(folder "${file}" DIRECTORY)
    get_filename_component(variant "${folder}" NAME)
    set(name ${problem}.${variant})
    file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.c")
    wl_each_instruction_set(sources)
    add_library(${name} OBJECT ${sources})
    target_link_libraries(${name} PRIVATE wl_host_options)
    wl_name_variant(${name} ${problem} ${variant} WL_CPU)
    wl_instruction_sets(${sources})
    wl_library_code(${name})
    wl_private_objects(${name} "${PROJECT_BINARY_DIR}/variants/${name}.cpu.o" IN_LIBRARY)
    wl_add_check(${problem} ${variant} cpu)
endfunction()

# What stages call by a name that differs between the two: a part of the program, so that labs are linked with it, too.
function(wl_add_kit problem file)
    get_filename_component(stem "${file}" NAME_WE)
    set(name ${problem}.kit.${stem})
    if(WL_HAVE_SIM)
        wl_simulated_library(${name}.sim "${file}" "${PROJECT_BINARY_DIR}/sim/${problem}/kit/${stem}.cpp")
        wl_add_to_program(TARGET ${name}.sim)
    endif()
    if(WL_HAVE_CUDA)
        wl_add_gpu_objects(${name}.gpu "${file}")
        target_compile_options(${name}.gpu PRIVATE -Xcompiler=-fvisibility=hidden)
        wl_add_to_program(TARGET ${name}.gpu IN_LIBRARY)
    endif()
endfunction()

function(wl_add_kernel_variant problem file)
    get_filename_component(folder "${file}" DIRECTORY)
    get_filename_component(variant "${folder}" NAME)
    set(name ${problem}.${variant})
    # Sanitizers say nothing of kernels but that they leave an array: the first is enough for the host code around them, with those that
    # peeling's tests name.
    if(WL_HAVE_SIM AND (NOT WARPLADDER_SANITIZE OR variant MATCHES "^01_" OR name MATCHES "^peeling.(06|08|09|10|12)_"))
        wl_simulated_library(${name}.sim "${file}" "${PROJECT_BINARY_DIR}/sim/${problem}/${variant}.cpp")
        if(WARPLADDER_SANITIZE)
            target_compile_options(${name}.sim PRIVATE -fsanitize=bounds -fsanitize-undefined-trap-on-error)
        endif()
        get_target_property(launcher ${name}.sim CXX_COMPILER_LAUNCHER)
        set_target_properties(${name}.sim PROPERTIES CXX_COMPILER_LAUNCHER
            "sh;${PROJECT_SOURCE_DIR}/cmake/one-source.sh;${folder};${launcher}")
        wl_name_variant(${name}.sim ${problem} ${variant} WL_SIM)
        wl_private_objects(${name}.sim "${PROJECT_BINARY_DIR}/variants/${name}.sim.o")
        wl_add_check(${problem} ${variant} sim)
    endif()
    if(WL_HAVE_CUDA)
        wl_add_gpu_variant(${problem} ${variant} "${file}")
    endif()
    wl_add_check(${problem} ${variant} gpu) # without CUDA: skipped, and seen to be
endfunction()

function(wl_add_gpu_variant problem variant file)
    set(name ${problem}.${variant})
    get_filename_component(folder "${file}" DIRECTORY)
    file(GLOB files CONFIGURE_DEPENDS "${folder}/*.cu")
    wl_add_gpu_objects(${name}.gpu ${files})
    wl_name_variant(${name}.gpu ${problem} ${variant} WL_GPU)
    list(LENGTH files parts)
    if(parts GREATER 1) # a part beside kernel.cu has the kernels that kernel.cu leaves out
        target_compile_definitions(${name}.gpu PRIVATE WL_IN_PARTS)
    endif()
    wl_private_objects(${name}.gpu "${PROJECT_BINARY_DIR}/variants/${name}.gpu.o" IN_LIBRARY)
endfunction()

# What calls a library for GPUs has nothing that could be simulated. The library itself is opened when the program runs, and where
# it is not installed the check is skipped.
function(wl_add_library_variant problem file)
    get_filename_component(folder "${file}" DIRECTORY)
    get_filename_component(variant "${folder}" NAME)
    if(WL_HAVE_CUDA)
        wl_add_gpu_variant(${problem} ${variant} "${file}")
        wl_add_check(${problem} ${variant} gpu)
    endif()
endfunction()
