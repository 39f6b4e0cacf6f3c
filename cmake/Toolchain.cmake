# What `warpladder cc` compiles a program with, in one folder: lib/warpladder of the build folder, and of an installed prefix.
#
#   chevrons, symbol-table.sh     translate a file, and make the object file
#   libwarpladder-sim.a           the simulated device, and the report that a program ends with (harness/sim/program)
#   harness/                      the headers that stand in for CUDA's, and those of the device
#   compile-flags, link-flags     arguments of g++, one a line, which the command hands on as @FILE
if(NOT TARGET wl_sim OR NOT WL_HAVE_SIM)
    return()
endif()
set(WL_TOOLCHAIN "${PROJECT_BINARY_DIR}/lib/warpladder")
file(MAKE_DIRECTORY "${WL_TOOLCHAIN}")

file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/harness/sim/program/*.cpp")
add_library(wl_sim_program STATIC "$<TARGET_OBJECTS:wl_sim>" ${sources} harness/base/json.c harness/base/error.c)
target_include_directories(wl_sim_program BEFORE PRIVATE "${WL_SIM_INCLUDE}")
target_link_libraries(wl_sim_program PRIVATE wl_options)
target_compile_options(wl_sim_program PRIVATE -O2 -g)
set_target_properties(wl_sim_program PROPERTIES OUTPUT_NAME warpladder-sim ARCHIVE_OUTPUT_DIRECTORY "${WL_TOOLCHAIN}")
set_target_properties(chevrons PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${WL_TOOLCHAIN}")

list(JOIN WL_SIM_KERNEL_FLAGS "\n" compile_flags)
# Shared libraries by the name that programs load them by: their plain names are in -dev packages only.
set(link_flags ${OpenMP_CXX_FLAGS} -pthread)
if(WL_HAVE_LIBDW)
    foreach(library IN ITEMS "${WL_LIBDW_LIBRARY}" "${WL_LIBELF_LIBRARY}")
        execute_process(COMMAND "${CMAKE_READELF}" -d "${library}" OUTPUT_VARIABLE dynamic ERROR_QUIET)
        if(dynamic MATCHES "SONAME[^[]*\\[([^]]+)\\]")
            get_filename_component(folder "${library}" DIRECTORY)
            list(APPEND link_flags "-L${folder}" "-l:${CMAKE_MATCH_1}")
        else()
            list(APPEND link_flags "${library}")
        endif()
    endforeach()
endif()
list(JOIN link_flags "\n" link_flags)
file(CONFIGURE OUTPUT "${WL_TOOLCHAIN}/compile-flags" CONTENT "@compile_flags@\n" @ONLY)
file(CONFIGURE OUTPUT "${WL_TOOLCHAIN}/link-flags" CONTENT "@link_flags@\n" @ONLY)
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/harness" "${WL_TOOLCHAIN}/harness" SYMBOLIC)
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/cmake/symbol-table.sh" "${WL_TOOLCHAIN}/symbol-table.sh" SYMBOLIC)
