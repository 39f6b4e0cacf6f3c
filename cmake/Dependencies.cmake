# Libraries from the system. Each is asked for by header and library, so that a folder named in CMAKE_PREFIX_PATH
# serves where nothing can be installed.
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C CXX)
find_package(ZLIB REQUIRED)

# io/ reads FASTA with htslib's kseq.h, a header of macros; distances/ reads VCF and BCF with the library.
find_path(WL_KSEQ_INCLUDE_DIR htslib/kseq.h)
find_library(WL_HTS_LIBRARY hts)
if(NOT WL_KSEQ_INCLUDE_DIR OR NOT WL_HTS_LIBRARY)
    message(FATAL_ERROR "htslib is missing: install libhts-dev (Fedora: htslib-devel).")
endif()

# The simulated device names source lines by reading the program's own debug information.
find_path(WL_LIBDW_INCLUDE_DIR elfutils/libdwfl.h)
find_library(WL_LIBDW_LIBRARY dw)
find_library(WL_LIBELF_LIBRARY elf)
if(WL_LIBDW_INCLUDE_DIR AND WL_LIBDW_LIBRARY AND WL_LIBELF_LIBRARY)
    set(WL_HAVE_LIBDW ON)
else()
    set(WL_HAVE_LIBDW OFF)
    message(WARNING "libdw is missing (libdw-dev and libelf-dev; Fedora: elfutils-devel): "
        "the simulated device's messages will not name source lines.")
endif()

if(WARPLADDER_TESTS)
    find_path(WL_CMOCKA_INCLUDE_DIR cmocka.h)
    find_library(WL_CMOCKA_LIBRARY cmocka)
    if(NOT WL_CMOCKA_INCLUDE_DIR OR NOT WL_CMOCKA_LIBRARY)
        message(WARNING "cmocka is missing (libcmocka-dev; Fedora: libcmocka-devel): no unit tests.")
    endif()
    # Another program's alignment scores, which ours are compared with (libparasail-dev).
    find_path(WL_PARASAIL_INCLUDE_DIR parasail.h)
    find_library(WL_PARASAIL_LIBRARY parasail)
endif()
