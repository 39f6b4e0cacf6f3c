# libhmsbeagle.so.1: the interface of BEAGLE on peeling/'s CPU code. A library of its own, in a folder of its own, since it bears another
# library's name. Nothing of the program is in it but what beagle/ calls.
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/beagle/*.c")
add_library(hmsbeagle SHARED ${sources} harness/base/cpu.c $<TARGET_OBJECTS:wl_peeling_core>)
wl_library_code(hmsbeagle)
target_link_libraries(hmsbeagle PRIVATE wl_host_options Threads::Threads m)
target_link_options(hmsbeagle PRIVATE ${WL_SANITIZE_FLAGS} -Wl,-Bsymbolic-functions,--no-undefined)
set(WL_BEAGLE_FOLDER "${PROJECT_BINARY_DIR}/lib/warpladder/beagle")
set_target_properties(hmsbeagle PROPERTIES SOVERSION 1 LIBRARY_OUTPUT_DIRECTORY "${WL_BEAGLE_FOLDER}")
add_dependencies(installation hmsbeagle)
install(TARGETS hmsbeagle LIBRARY DESTINATION lib/warpladder/beagle)
install(FILES beagle/hmsbeagle-1.pc DESTINATION lib/warpladder/beagle/pkgconfig)
install(FILES beagle/interface.h DESTINATION lib/warpladder/beagle/include/libhmsbeagle RENAME beagle.h)
