# Libraries from the system. Each is asked for by header and library, so that a folder named in CMAKE_PREFIX_PATH
# serves where nothing can be installed. Without one, the parts that need it are not built (wl_part_needs).
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C CXX)
find_package(ZLIB REQUIRED)

# distances/ reads VCF and BCF with htslib.
find_path(WL_HTS_INCLUDE_DIR htslib/vcf.h)
find_library(WL_HTS_LIBRARY hts)

# peeling/ takes eigenvectors from LAPACK: from the reference implementation's archives where there are any (Debian, Ubuntu),
# since the shared library of that name can be OpenBLAS, which starts a thread a processor as soon as it is loaded. The
# program also runs then where there is no LAPACK.
find_path(WL_LAPACKE_INCLUDE_DIR lapacke.h PATH_SUFFIXES lapacke)
execute_process(COMMAND "${CMAKE_C_COMPILER}" -print-file-name=libgfortran.a OUTPUT_VARIABLE fortran_archive
    OUTPUT_STRIP_TRAILING_WHITESPACE)
get_filename_component(fortran_folder "${fortran_archive}" DIRECTORY)
find_library(WL_LAPACKE_LIBRARY NAMES liblapacke.a lapacke)
find_library(WL_LAPACK_LIBRARY NAMES liblapack.a lapack PATH_SUFFIXES lapack)
find_library(WL_BLAS_LIBRARY NAMES libblas.a blas PATH_SUFFIXES blas)
find_library(WL_GFORTRAN_LIBRARY NAMES libgfortran.a gfortran libgfortran.so.5 HINTS "${fortran_folder}")
# Which gfortran's archive needs, on x86.
find_library(WL_QUADMATH_LIBRARY NAMES libquadmath.a quadmath libquadmath.so.0 HINTS "${fortran_folder}")
set(WL_LAPACK "${WL_LAPACKE_LIBRARY}" "${WL_LAPACK_LIBRARY}" "${WL_BLAS_LIBRARY}" "${WL_GFORTRAN_LIBRARY}")
if(WL_QUADMATH_LIBRARY)
    list(APPEND WL_LAPACK "${WL_QUADMATH_LIBRARY}")
endif()
# A shared library of ours takes Fortran's library as a shared one: the archive's code is for programs only.
find_library(WL_GFORTRAN_SHARED NAMES gfortran libgfortran.so.5 HINTS "${fortran_folder}")
set(WL_LAPACK_IN_LIBRARY "${WL_LAPACKE_LIBRARY}" "${WL_LAPACK_LIBRARY}" "${WL_BLAS_LIBRARY}")
if(WL_GFORTRAN_SHARED)
    list(APPEND WL_LAPACK_IN_LIBRARY "${WL_GFORTRAN_SHARED}")
else()
    list(APPEND WL_LAPACK_IN_LIBRARY "${WL_GFORTRAN_LIBRARY}") # serves where it was compiled for both
endif()
if(WL_LAPACKE_INCLUDE_DIR AND NOT "${WL_LAPACK}" MATCHES "NOTFOUND")
    set(WL_HAVE_LAPACK ON)
endif()

# labs/ reads its lab files with inih.
find_path(WL_INIH_INCLUDE_DIR ini.h)
find_library(WL_INIH_LIBRARY NAMES libinih.a inih)

# tools/likelihood/optimize/ searches with NLopt.
find_path(WL_NLOPT_INCLUDE_DIR nlopt.h)
find_library(WL_NLOPT_LIBRARY NAMES libnlopt.a nlopt)

# report/ renders Markdown with GitHub's form of cmark, whose extensions read tables: from archives where there are any.
find_path(WL_CMARK_INCLUDE_DIR cmark-gfm-core-extensions.h)
find_library(WL_CMARK_LIBRARY NAMES libcmark-gfm.a cmark-gfm)
find_library(WL_CMARK_EXTENSIONS_LIBRARY NAMES libcmark-gfm-extensions.a cmark-gfm-extensions)
set(WL_CMARK "${WL_CMARK_EXTENSIONS_LIBRARY}" "${WL_CMARK_LIBRARY}") # the extensions stand on the other

# The simulated device names source lines, functions and arrays by reading the program's own debug information.
find_path(WL_LIBDW_INCLUDE_DIR elfutils/libdwfl.h)
find_library(WL_LIBDW_LIBRARY dw)
find_library(WL_LIBELF_LIBRARY elf)
if(NOT WL_LIBDW_INCLUDE_DIR OR NOT WL_LIBDW_LIBRARY OR NOT WL_LIBELF_LIBRARY)
    message(FATAL_ERROR "libdw is missing: install libdw-dev and libelf-dev (Fedora: elfutils-devel).")
endif()

# warpladder-mpi: Open MPI or MPICH (libopenmpi-dev, libmpich-dev). Programs that run with MPI bring an mpicc without mpi.h, and
# FindMPI would then stop instead of saying that there is none.
if(NOT WARPLADDER_MPI STREQUAL "OFF")
    set(MPI_CXX_SKIP_MPICXX ON)
    set(mpi_header 0)
    find_program(WL_MPICC mpicc)
    if(WARPLADDER_MPI STREQUAL "ON")
        find_package(MPI REQUIRED COMPONENTS C)
    elseif(WL_MPICC)
        file(WRITE "${PROJECT_BINARY_DIR}/mpi_header.c" "#include <mpi.h>\n")
        execute_process(COMMAND "${WL_MPICC}" -E "${PROJECT_BINARY_DIR}/mpi_header.c" RESULT_VARIABLE mpi_header OUTPUT_QUIET ERROR_QUIET)
    endif()
    if(mpi_header EQUAL 0)
        find_package(MPI QUIET COMPONENTS C)
    endif()
    set(WL_HAVE_MPI "${MPI_C_FOUND}")
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
    # And its likelihoods of trees (libhmsbeagle-dev).
    find_path(WL_BEAGLE_INCLUDE_DIR libhmsbeagle/beagle.h PATH_SUFFIXES libhmsbeagle-1)
    find_library(WL_BEAGLE_LIBRARY hmsbeagle)
endif()
