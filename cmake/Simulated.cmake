# The simulated device: its core, and how a kernel.cu is compiled for it.
#
#   wl_add_simulated_object(target file.cu)   compiles a kernel file for the simulated device, into `target`

# How g++ compiles a kernel for the simulated device. -fsanitize=thread makes every memory access report itself to
# __tsan_read4 and the like, -fsanitize-coverage=trace-pc makes every basic block call __sanitizer_cov_trace_pc; both are
# the simulator's own functions (sim), and libtsan is never linked. The rest keeps what is reported close to
# what the source says: no pass that moves, merges, splits, duplicates or removes basic blocks or accesses, so that
# blocks call back in source order and lanes that diverge meet again where the source says they do.
# Never combined with the address or undefined-behaviour sanitizers.
set(WL_SIM_KERNEL_FLAGS
    -std=c++17 -O1 -g
    -fno-tree-sra -fno-ipa-sra
    -fno-reorder-blocks -fno-reorder-blocks-and-partition
    -fno-tree-ch -fno-guess-branch-probability
    -fno-thread-jumps -fno-tree-dominator-opts
    -fno-crossjumping -fno-tree-tail-merge
    -fno-if-conversion -fno-if-conversion2
    -fno-tree-vectorize -fno-unroll-loops -fno-math-errno -ffp-contract=off
    -finline-functions -finline-small-functions
    -fno-section-anchors # of ARM: each array is reached by its own name, so that a gap may be put before it
    -fsanitize=thread -fsanitize-coverage=trace-pc
    --param=tsan-instrument-func-entry-exit=0 --param=tsan-distinguish-volatile=1)

# A launcher would be a compiler cache, which keeps nothing that was compiled with such headers.
set(WL_PRECOMPILES ON)
if(CMAKE_CXX_COMPILER_LAUNCHER)
    set(WL_PRECOMPILES OFF)
endif()

# What stands in for CUDA's headers; those that only include another one are written here.
set(WL_SIM_FORWARDS "${PROJECT_BINARY_DIR}/lib/warpladder/forwards")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/sim/forwards.tsv")
file(STRINGS sim/forwards.tsv rows REGEX "^[^#]")
foreach(row IN LISTS rows)
    string(REGEX MATCH "^([^\t]+)\t(.*)$" row "${row}")
    string(REPLACE " " "\n#include " text "#include ${CMAKE_MATCH_2}\n")
    string(REPLACE "#include\n#include" "#include" text "${text}")
    file(CONFIGURE OUTPUT "${WL_SIM_FORWARDS}/${CMAKE_MATCH_1}" CONTENT "${text}" @ONLY)
endforeach()
set(WL_SIM_INCLUDE "${PROJECT_SOURCE_DIR}/sim/include" "${WL_SIM_FORWARDS}")

# The core: plain C++, without the sanitizers (it switches stacks and stands in for their callbacks).
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/sim/*.cpp")
if(sources)
    add_library(wl_sim OBJECT ${sources})
    target_include_directories(wl_sim BEFORE PRIVATE ${WL_SIM_INCLUDE})
    target_link_libraries(wl_sim PRIVATE wl_options OpenMP::OpenMP_CXX Threads::Threads)
    target_compile_options(wl_sim PRIVATE -O2 -g1) # lines of host code are looked up in it; variables and types are not
    target_include_directories(wl_sim SYSTEM PRIVATE "${WL_LIBDW_INCLUDE_DIR}")
    if(WL_PRECOMPILES)
        target_precompile_headers(wl_sim PRIVATE sim/memory.h) # half of the time that these files take to compile
        set_source_files_properties(sim/occupancy.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
    file(GLOB program_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/sim/program/*.cpp")
    list(APPEND sources ${program_sources})
    list(TRANSFORM sources REPLACE "^.*/" "/" OUTPUT_VARIABLE sim_names)
    list(JOIN sim_names "" sim_names)
    set_source_files_properties(sim/lines.cpp PROPERTIES COMPILE_DEFINITIONS "WL_SIM_SOURCES=\"${sim_names}/\"")
    wl_add_to_program(TARGET wl_sim)
    set(page "${PROJECT_SOURCE_DIR}/sim/page.html") # which the program has in it
    set_source_files_properties(sim/page.cpp PROPERTIES
        COMPILE_DEFINITIONS "WL_SIM_PAGE=\"${page}\"" OBJECT_DEPENDS "${page}")
endif()

# The tool that rewrites k<<<grid, block>>>(...) for the host compiler.
if(EXISTS "${PROJECT_SOURCE_DIR}/sim/chevrons.c")
    add_executable(chevrons sim/chevrons.c sim/ptx.c)
    target_link_libraries(chevrons PRIVATE wl_options)
    set(WL_HAVE_SIM ON)
else()
    set(WL_HAVE_SIM OFF)
endif()

function(wl_kernel_options name)
    # Ours stands in for the toolkit's cuda_runtime.h, so it comes first.
    target_include_directories(${name} BEFORE PRIVATE ${WL_SIM_INCLUDE} "${PROJECT_SOURCE_DIR}")
    target_compile_options(${name} PRIVATE ${WL_WARNINGS}
        -Wno-unknown-pragmas -Wno-missing-field-initializers ${WL_SIM_KERNEL_FLAGS})
    # The suite's GPU code is compiled with --default-stream per-thread, which defines the second.
    target_compile_definitions(${name} PRIVATE WL_SIMULATED CUDA_API_PER_THREAD_DEFAULT_STREAM)
    set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
endfunction()

if(WL_PRECOMPILES) # two thirds of the time that a small kernel takes to compile
    file(CONFIGURE OUTPUT kernel_headers.cpp CONTENT "")
    add_library(wl_kernel_headers OBJECT "${PROJECT_BINARY_DIR}/kernel_headers.cpp")
    wl_kernel_options(wl_kernel_headers)
    target_precompile_headers(wl_kernel_headers PRIVATE sim/include/cuda_runtime.h)
endif()

# An OBJECT library `name` of one kernel file, translated to `cpp` in the build folder.
function(wl_simulated_library name file cpp)
    get_filename_component(file "${file}" ABSOLUTE)
    get_filename_component(folder "${file}" DIRECTORY)
    get_filename_component(output_folder "${cpp}" DIRECTORY)
    file(RELATIVE_PATH shown "${PROJECT_SOURCE_DIR}" "${file}")
    file(MAKE_DIRECTORY "${output_folder}")
    add_custom_command(
        OUTPUT "${cpp}"
        COMMAND chevrons "${file}" "${cpp}"
        DEPENDS chevrons "${file}"
        COMMENT "Translating ${shown} for the simulated device"
        VERBATIM)
    add_library(${name} OBJECT "${cpp}")
    set(table "${PROJECT_SOURCE_DIR}/cmake/symbol-table.sh")
    set(launcher sh "${table}" "${CMAKE_C_COMPILER}" "${CMAKE_READELF}" "${CMAKE_OBJCOPY}" "${CMAKE_LINKER}" "${PROJECT_SOURCE_DIR}"
        ${CMAKE_CXX_COMPILER_LAUNCHER})
    set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
    set_source_files_properties("${cpp}" PROPERTIES OBJECT_DEPENDS "${table}")
    # A file beside the kernel is found through -iquote, since the translated file lies elsewhere.
    target_compile_options(${name} PRIVATE "SHELL:-iquote \"${folder}\"")
    wl_kernel_options(${name})
    if(WL_PRECOMPILES)
        target_precompile_headers(${name} REUSE_FROM wl_kernel_headers)
        set_target_properties(${name} PROPERTIES PCH_WARN_INVALID OFF) # with other options, the headers are read again
    endif()
endfunction()

function(wl_add_simulated_object target file)
    get_filename_component(stem "${file}" NAME_WE)
    set(name ${target}_sim_${stem})
    wl_simulated_library(${name} "${file}" "${PROJECT_BINARY_DIR}/sim/${target}/${stem}.cpp")
    target_sources(${target} PRIVATE "$<TARGET_OBJECTS:${name}>")
endfunction()
