# What `warpladder cc` compiles a program with, in one folder: lib/warpladder of the build folder, and of an installed prefix.
#
#   chevrons, symbol-table.sh     translate a file, and make the object file
#   libwarpladder-sim.a           the simulated device, and the report that a program ends with (sim/program)
#   harness/                      the headers that stand in for CUDA's, and those of the device
#   compile-flags, link-flags     arguments of g++, one a line, which the command hands on as @FILE
if(NOT TARGET wl_sim OR NOT WL_HAVE_SIM)
    return()
endif()
set(WL_TOOLCHAIN "${PROJECT_BINARY_DIR}/lib/warpladder")
file(MAKE_DIRECTORY "${WL_TOOLCHAIN}")

file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/sim/program/*.cpp")
add_library(wl_sim_report OBJECT ${sources} harness/base/json.c harness/base/error.c)
target_include_directories(wl_sim_report BEFORE PRIVATE ${WL_SIM_INCLUDE})
target_link_libraries(wl_sim_report PRIVATE wl_options)
target_compile_options(wl_sim_report PRIVATE -O2 -g)
# In this order: constructors run as they are linked, and the report's use what the device's have made.
add_library(wl_sim_program STATIC "$<TARGET_OBJECTS:wl_sim>" "$<TARGET_OBJECTS:wl_sim_report>")
set_target_properties(wl_sim_program PROPERTIES LINKER_LANGUAGE CXX)
set_target_properties(wl_sim_program PROPERTIES OUTPUT_NAME warpladder-sim ARCHIVE_OUTPUT_DIRECTORY "${WL_TOOLCHAIN}")
# Without debugging information, which would make every program 7 MB larger and take as long to link as the rest.
add_custom_command(TARGET wl_sim_program POST_BUILD COMMAND "${CMAKE_STRIP}" -g "$<TARGET_FILE:wl_sim_program>" VERBATIM)
set_target_properties(chevrons PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${WL_TOOLCHAIN}")

list(JOIN WL_SIM_KERNEL_FLAGS "\n" compile_flags)
file(CONFIGURE OUTPUT "${WL_TOOLCHAIN}/compile-flags" CONTENT "@compile_flags@\n" @ONLY)

# wl_link_flags(file library...): what a program is linked with. Shared libraries by the name that programs load them by: their plain
# names are in -dev packages only.
function(wl_link_flags file)
    set(flags ${OpenMP_CXX_FLAGS} -pthread)
    foreach(library IN LISTS ARGN)
        set(dynamic "")
        if(EXISTS "${library}")
            execute_process(COMMAND "${CMAKE_READELF}" -d "${library}" OUTPUT_VARIABLE dynamic ERROR_QUIET)
        endif()
        if(dynamic MATCHES "SONAME[^[]*\\[([^]]+)\\]")
            get_filename_component(folder "${library}" DIRECTORY)
            list(APPEND flags "-L${folder}" "-l:${CMAKE_MATCH_1}")
        else()
            list(APPEND flags "${library}")
        endif()
    endforeach()
    list(JOIN flags "\n" flags)
    file(CONFIGURE OUTPUT "${WL_TOOLCHAIN}/${file}" CONTENT "@flags@\n" @ONLY)
endfunction()
set(libdw "${WL_LIBDW_LIBRARY}" "${WL_LIBELF_LIBRARY}")
wl_link_flags(link-flags ${libdw})

# For labs, and for a stage in a folder of its own (`warpladder check DIR`): the program without its ladders' kernels, to which a stage is
# linked. One object file, with what it needs of static
# archives and without debugging information, so that linking is quick and takes no -dev packages.
get_property(objects GLOBAL PROPERTY WL_OBJECTS_all)
get_property(targets GLOBAL PROPERTY WL_TARGETS_all)
list(FILTER objects INCLUDE REGEX "^\\$<|\\.cpu\\.o$")
add_library(wl_labs_main OBJECT EXCLUDE_FROM_ALL cli/main.c)
target_link_libraries(wl_labs_main PRIVATE wl_host_options)
set(libraries "${WL_HTS_LIBRARY}" ${WL_LAPACK} "${WL_INIH_LIBRARY}" ${WL_CMARK} "${WL_NLOPT_LIBRARY}" ${ZLIB_LIBRARIES} ${libdw})
if(WL_HAVE_CUDA)
    list(APPEND libraries "${CUDA_cudart_static_LIBRARY}")
endif()
set(archives ${libraries})
list(FILTER archives INCLUDE REGEX "\\.a$")
list(FILTER libraries EXCLUDE REGEX "\\.a$")
set(linked "$<FILTER:${objects},EXCLUDE,[.]gch$>") # precompiled headers are among a target's objects
add_custom_command(
    OUTPUT "${WL_TOOLCHAIN}/warpladder-labs.o"
    COMMAND "${CMAKE_LINKER}" -r -o "${WL_TOOLCHAIN}/warpladder-labs.o" "$<TARGET_OBJECTS:wl_labs_main>" "${linked}" ${archives}
    COMMAND "${CMAKE_OBJCOPY}" --strip-debug "${WL_TOOLCHAIN}/warpladder-labs.o"
    DEPENDS wl_labs_main "$<TARGET_OBJECTS:wl_labs_main>" ${objects} ${targets}
    COMMENT "Linking the program that labs are linked with"
    COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(wl_labs_program DEPENDS "${WL_TOOLCHAIN}/warpladder-labs.o")
wl_link_flags(labs-link-flags ${libraries} -lm -lrt -ldl)

# For a stage in a folder of its own beside the published ones (`warpladder run lessons DIR`): these, an object file for each ladder.
file(MAKE_DIRECTORY "${WL_TOOLCHAIN}/stages")
add_custom_target(wl_published_stages)
foreach(problem IN LISTS WL_PROBLEMS)
    get_property(objects GLOBAL PROPERTY WL_OBJECTS_${problem})
    get_property(depends GLOBAL PROPERTY WL_DEPENDS_${problem})
    list(FILTER objects INCLUDE REGEX "\\.(sim|gpu)\\.o$")
    if(NOT objects)
        continue()
    endif()
    add_custom_command(
        OUTPUT "${WL_TOOLCHAIN}/stages/${problem}.o"
        COMMAND "${CMAKE_LINKER}" -r -o "${WL_TOOLCHAIN}/stages/${problem}.o" ${objects}
        DEPENDS ${objects} ${depends}
        COMMENT "Linking the stages of ${problem}"
        COMMAND_EXPAND_LISTS VERBATIM)
    add_custom_target(wl_stages_${problem} DEPENDS "${WL_TOOLCHAIN}/stages/${problem}.o")
    add_dependencies(wl_published_stages wl_stages_${problem})
endforeach()

# For the same stage on a GPU: nvcc, and its options, a line each.
if(WL_HAVE_CUDA)
    set(flags "${CMAKE_CUDA_COMPILER}" -std=c++17 -O3 -lineinfo --default-stream per-thread -DWL_HAVE_CUDA)
    foreach(architecture IN LISTS CMAKE_CUDA_ARCHITECTURES)
        string(REGEX REPLACE "-(real|virtual)$" "" number "${architecture}")
        set(code sm_${number})
        if(architecture MATCHES "-virtual$")
            set(code compute_${number})
        endif()
        list(APPEND flags "-gencode=arch=compute_${number},code=${code}")
    endforeach()
    if("${CMAKE_CUDA_ARCHITECTURES}" MATCHES "90a")
        list(APPEND flags -DWL_HAVE_SM90A)
    endif()
    list(JOIN flags "\n" flags)
    file(CONFIGURE OUTPUT "${WL_TOOLCHAIN}/gpu-flags" CONTENT "@flags@\n" @ONLY)
    install(FILES "${WL_TOOLCHAIN}/gpu-flags" DESTINATION lib/warpladder)
endif()

# Headers, scripts and labs where they lie in the source tree.
foreach(folder IN ITEMS harness sim allpairs io labs ${WL_PROBLEMS})
    file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${folder}" "${WL_TOOLCHAIN}/${folder}" SYMBOLIC)
endforeach()
foreach(script IN ITEMS symbol-table.sh private-objects.sh kernel-check.sh one-source.sh)
    file(CREATE_LINK "${PROJECT_SOURCE_DIR}/cmake/${script}" "${WL_TOOLCHAIN}/${script}" SYMBOLIC)
endforeach()
