# libhmsbeagle.so.1: the interface of BEAGLE on peeling/'s CPU code. A library of its own, in a folder of its own, since it bears another
# library's name. Nothing of the program is in it but what beagle/ calls.
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/beagle/*.c")
set(core "${PROJECT_SOURCE_DIR}/peeling/cpu_simd/core_each.c")
wl_each_instruction_set(core)
add_library(hmsbeagle SHARED ${sources} ${core} peeling/cpu_simd/choose.c harness/base/cpu.c)
wl_instruction_sets(${core})
target_link_libraries(hmsbeagle PRIVATE wl_host_options Threads::Threads m)
target_link_options(hmsbeagle PRIVATE ${WL_SANITIZE_FLAGS} -Wl,-Bsymbolic-functions,--no-undefined)
set(WL_BEAGLE_FOLDER "${PROJECT_BINARY_DIR}/lib/warpladder/beagle")
set_target_properties(hmsbeagle PROPERTIES SOVERSION 1 C_VISIBILITY_PRESET hidden LIBRARY_OUTPUT_DIRECTORY "${WL_BEAGLE_FOLDER}")
add_dependencies(installation hmsbeagle)
install(TARGETS hmsbeagle LIBRARY DESTINATION lib/warpladder/beagle)
