/* cuSPARSE for programs on the simulated device. Numbers of all types are computed with as complex doubles. */
#pragma GCC diagnostic ignored "-Wpsabi"            // of complex numbers, before GCC 4.4
#pragma GCC diagnostic ignored "-Wunused-parameter" // those of a group of calls
#include "cusparse.h"

#include <complex>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "sim/internal.h"
#include "sim_library.h"

using namespace wl_sim;

struct cusparseContext {
    cudaStream_t stream;
    cusparsePointerMode_t pointers;
};
struct cusparseMatDescr {
    cusparseMatrixType_t type;
    cusparseIndexBase_t base;
    cusparseFillMode_t fill;
    cusparseDiagType_t diagonal;
};
struct cusparseDnVecDescr {
    int64_t size;
    void *values;
    cudaDataType type;
};
struct cusparseSpVecDescr {
    int64_t size, count;
    void *indices, *values;
    cusparseIndexType_t index_type;
    cusparseIndexBase_t base;
    cudaDataType type;
};
struct cusparseDnMatDescr {
    int64_t rows, columns, ld;
    void *values;
    cudaDataType type;
    cusparseOrder_t order;
};
struct cusparseSpMatDescr {
    cusparseFormat_t format;
    int64_t rows, columns, count;
    void *outer, *inner, *values; // outer: offsets of rows or columns, or each element's row; inner: the other index
    cusparseIndexType_t outer_type, inner_type;
    cusparseIndexBase_t base;
    cudaDataType type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diagonal;
};

typedef std::complex<double> Number;
typedef std::vector<std::map<int64_t, Number>> Rows; // by row: the elements by column

struct cusparseSpGEMMDescr {
    Rows result;
};
struct csrilu02Info {
    int zero; // the row of a pivot that is zero; -1: none
};

namespace {

typedef std::vector<wl_use> Uses;

// ---------------------------------------------------------------- numbers in memory

size_t item(cudaDataType type) {
    switch (type) {
        case CUDA_R_16F:
        case CUDA_R_16BF:
            return 2;
        case CUDA_R_32F:
            return 4;
        case CUDA_R_64F:
        case CUDA_C_32F:
            return 8;
        case CUDA_C_64F:
            return 16;
        default:
            return 0;
    }
}
Number get(const void *memory, int64_t i, cudaDataType type) {
    const char *p = (const char *)memory + (size_t)i * item(type);
    switch (type) {
        case CUDA_R_16F:
            return (double)__half2float(*(const __half *)p);
        case CUDA_R_16BF:
            return (double)__bfloat162float(*(const __nv_bfloat16 *)p);
        case CUDA_R_32F:
            return (double)*(const float *)p;
        case CUDA_R_64F:
            return *(const double *)p;
        case CUDA_C_32F:
            return *(const std::complex<float> *)p;
        default:
            return *(const Number *)p;
    }
}
void put(void *memory, int64_t i, cudaDataType type, Number x) {
    char *p = (char *)memory + (size_t)i * item(type);
    switch (type) {
        case CUDA_R_16F:
            *(__half *)p = __float2half((float)x.real());
            break;
        case CUDA_R_16BF:
            *(__nv_bfloat16 *)p = __float2bfloat16((float)x.real());
            break;
        case CUDA_R_32F:
            *(float *)p = (float)x.real();
            break;
        case CUDA_R_64F:
            *(double *)p = x.real();
            break;
        case CUDA_C_32F:
            *(std::complex<float> *)p = std::complex<float>(x);
            break;
        default:
            *(Number *)p = x;
    }
}
size_t item(cusparseIndexType_t type) { return type == CUSPARSE_INDEX_64I ? 8 : type == CUSPARSE_INDEX_32I ? 4 : 2; }
int64_t get(const void *memory, int64_t i, cusparseIndexType_t type) {
    return type == CUSPARSE_INDEX_64I   ? ((const int64_t *)memory)[i]
           : type == CUSPARSE_INDEX_32I ? ((const int32_t *)memory)[i]
                                        : ((const uint16_t *)memory)[i];
}
void put(void *memory, int64_t i, cusparseIndexType_t type, int64_t value) {
    if (type == CUSPARSE_INDEX_64I)
        ((int64_t *)memory)[i] = value;
    else if (type == CUSPARSE_INDEX_32I)
        ((int32_t *)memory)[i] = (int32_t)value;
    else
        ((uint16_t *)memory)[i] = (uint16_t)value;
}

/* alpha, beta or a result, which the host or the device holds. */
wl_use scalar(cusparseHandle_t handle, const void *p, cudaDataType type, bool writes = false) {
    return {p, handle && handle->pointers == CUSPARSE_POINTER_MODE_DEVICE ? item(type) : 0, writes};
}

// ---------------------------------------------------------------- what a call uses

int64_t outer_count(const cusparseSpMatDescr &a) {
    return a.format == CUSPARSE_FORMAT_COO ? a.count : (a.format == CUSPARSE_FORMAT_CSR ? a.rows : a.columns) + 1;
}
void use(Uses *uses, const cusparseSpMatDescr &a, bool writes = false) {
    uses->push_back({a.outer, (size_t)outer_count(a) * item(a.outer_type), writes});
    uses->push_back({a.inner, (size_t)a.count * item(a.inner_type), writes});
    uses->push_back({a.values, (size_t)a.count * item(a.type), writes});
}
void use(Uses *uses, const cusparseDnVecDescr &x, bool writes = false) {
    uses->push_back({x.values, (size_t)x.size * item(x.type), writes});
}
void use(Uses *uses, const cusparseSpVecDescr &x, bool writes = false) {
    uses->push_back({x.indices, (size_t)x.count * item(x.index_type), false});
    uses->push_back({x.values, (size_t)x.count * item(x.type), writes});
}
void use(Uses *uses, const cusparseDnMatDescr &a, bool writes = false) {
    const bool by_columns = a.order == CUSPARSE_ORDER_COL;
    const int64_t lines = by_columns ? a.columns : a.rows, line = by_columns ? a.rows : a.columns;
    uses->push_back({a.values, lines ? (size_t)((lines - 1) * a.ld + line) * item(a.type) : 0, writes});
}

cusparseStatus_t begin(cusparseHandle_t handle, const char *what, const Uses &uses) {
    return wl_library_call(what, handle->stream, uses.data(), uses.size()) ? CUSPARSE_STATUS_SUCCESS
                                                                           : CUSPARSE_STATUS_EXECUTION_FAILED;
}
/* In a captured stream, the call becomes a node: `again` is the call, for the handle as it is now. */
template <typename F> bool becomes_node(cusparseHandle_t handle, F again) {
    return wl_becomes_node(handle->stream, [context = *handle, again](cudaStream_t stream) mutable {
        cusparseContext later = context;
        later.stream = stream;
        again(&later);
    });
}
wl_factor<Number> factor(cusparseHandle_t handle, const void *p, cudaDataType type) {
    if (handle->pointers == CUSPARSE_POINTER_MODE_DEVICE) return {0, (const Number *)p};
    wl_factor<Number> f = {0, nullptr};
    memcpy(&f.value, p, item(type));
    return f;
}
#define BEGIN(what, uses)                                     \
    const cusparseStatus_t begun = begin(handle, what, uses); \
    if (begun != CUSPARSE_STATUS_SUCCESS) return begun;       \
    const DeviceWindow window
#define REQUIRE(condition, status)       \
    do {                                 \
        if (!(condition)) return status; \
    } while (0)
#define REQUIRE_HANDLE REQUIRE(handle != nullptr, CUSPARSE_STATUS_NOT_INITIALIZED)

// ---------------------------------------------------------------- matrices

/* Calls f(row, column, value) for each element of op(A). */
template <typename F> void each(const cusparseSpMatDescr &a, cusparseOperation_t of_a, F f) {
    const auto element = [&](int64_t row, int64_t column, int64_t i) {
        const Number x = get(a.values, i, a.type);
        if (of_a == CUSPARSE_OPERATION_NON_TRANSPOSE)
            f(row, column, x);
        else
            f(column, row, of_a == CUSPARSE_OPERATION_TRANSPOSE ? x : std::conj(x));
    };
    if (a.format == CUSPARSE_FORMAT_COO) {
        for (int64_t i = 0; i < a.count; i++)
            element(get(a.outer, i, a.outer_type) - a.base, get(a.inner, i, a.inner_type) - a.base, i);
        return;
    }
    for (int64_t line = 0; line + 1 < outer_count(a); line++) {
        const int64_t end = get(a.outer, line + 1, a.outer_type) - a.base;
        for (int64_t i = get(a.outer, line, a.outer_type) - a.base; i < end; i++) {
            const int64_t inner = get(a.inner, i, a.inner_type) - a.base;
            if (a.format == CUSPARSE_FORMAT_CSR)
                element(line, inner, i);
            else
                element(inner, line, i);
        }
    }
}
int64_t rows(const cusparseSpMatDescr &a, cusparseOperation_t of_a) {
    return of_a == CUSPARSE_OPERATION_NON_TRANSPOSE ? a.rows : a.columns;
}
int64_t columns(const cusparseSpMatDescr &a, cusparseOperation_t of_a) {
    return of_a == CUSPARSE_OPERATION_NON_TRANSPOSE ? a.columns : a.rows;
}
Rows rows_of(const cusparseSpMatDescr &a, cusparseOperation_t of_a) {
    Rows all((size_t)rows(a, of_a));
    each(a, of_a, [&](int64_t row, int64_t column, Number x) { all[(size_t)row][column] += x; });
    return all;
}
/* Writes the elements into A, whose memory has room for them. */
void write(const cusparseSpMatDescr &a, Rows all) {
    if (a.format == CUSPARSE_FORMAT_CSC) {
        Rows turned((size_t)a.columns);
        for (size_t row = 0; row < all.size(); row++)
            for (const auto &e : all[row]) turned[(size_t)e.first][(int64_t)row] = e.second;
        all = std::move(turned);
    }
    int64_t i = 0;
    for (size_t line = 0; line < all.size(); line++) {
        if (a.format != CUSPARSE_FORMAT_COO) put(a.outer, (int64_t)line, a.outer_type, i + a.base);
        for (const auto &e : all[line]) {
            if (a.format == CUSPARSE_FORMAT_COO) put(a.outer, i, a.outer_type, (int64_t)line + a.base);
            put(a.inner, i, a.inner_type, e.first + a.base);
            put(a.values, i++, a.type, e.second);
        }
    }
    if (a.format != CUSPARSE_FORMAT_COO) put(a.outer, (int64_t)all.size(), a.outer_type, i + a.base);
}
int64_t place(const cusparseDnMatDescr &a, int64_t row, int64_t column) {
    return a.order == CUSPARSE_ORDER_COL ? column * a.ld + row : row * a.ld + column;
}
Number element(const cusparseDnMatDescr &a, cusparseOperation_t of_a, int64_t row, int64_t column) {
    if (of_a == CUSPARSE_OPERATION_NON_TRANSPOSE) return get(a.values, place(a, row, column), a.type);
    const Number x = get(a.values, place(a, column, row), a.type);
    return of_a == CUSPARSE_OPERATION_TRANSPOSE ? x : std::conj(x);
}
/* beta y, where a y that is not a number does not count if beta is zero. */
Number scaled(Number beta, const void *y, int64_t i, cudaDataType type) {
    return beta == 0.0 ? Number(0) : beta * get(y, i, type);
}

template <typename T> cusparseStatus_t make(T **to, const T &what) {
    *to = new T(what);
    return CUSPARSE_STATUS_SUCCESS;
}
template <typename T> cusparseStatus_t destroy(T *what) {
    delete what;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t set_pointers(cusparseSpMatDescr_t matrix, void *outer, void *inner, void *values) {
    matrix->outer = outer, matrix->inner = inner, matrix->values = values;
    return CUSPARSE_STATUS_SUCCESS;
}

/* A = L U, at the places of A's elements only. */
template <typename T>
cusparseStatus_t factorise(cusparseHandle_t handle, int m, int count, cusparseMatDescr_t matrix, T *values,
                           const int *offsets, const int *indices, csrilu02Info_t info) {
    REQUIRE_HANDLE;
    const int base = matrix->base;
    BEGIN("cusparseXcsrilu02", (Uses{wl_used(values, (size_t)count, true), wl_used(offsets, (size_t)m + 1, false),
                                     wl_used(indices, (size_t)count, false)}));
    std::vector<int> diagonal((size_t)m, -1), at((size_t)m, -1); // places of elements
    info->zero = -1;
    for (int row = 0; row < m; row++) {
        const int first = offsets[row] - base, end = offsets[row + 1] - base;
        for (int i = first; i < end; i++) at[(size_t)(indices[i] - base)] = i;
        for (int i = first; i < end && indices[i] - base < row; i++) {
            const int k = indices[i] - base, pivot = diagonal[(size_t)k];
            if (pivot < 0) continue;
            values[i] /= values[pivot];
            for (int j = pivot + 1; j < offsets[k + 1] - base; j++)
                if (at[(size_t)(indices[j] - base)] >= 0)
                    values[at[(size_t)(indices[j] - base)]] -= values[i] * values[j];
        }
        diagonal[(size_t)row] = at[(size_t)row];
        if ((at[(size_t)row] < 0 || values[at[(size_t)row]] == 0) && info->zero < 0) info->zero = row;
        for (int i = first; i < end; i++) at[(size_t)(indices[i] - base)] = -1;
    }
    return CUSPARSE_STATUS_SUCCESS;
}

} // namespace

extern "C" {

cusparseStatus_t cusparseCreate(cusparseHandle_t *handle) {
    return make(handle, cusparseContext{nullptr, CUSPARSE_POINTER_MODE_HOST});
}
cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) { return destroy(handle); }
cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
    REQUIRE_HANDLE;
    return handle->stream = stream, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream) {
    return *stream = handle->stream, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
    REQUIRE_HANDLE;
    return handle->pointers = mode, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode) {
    return *mode = handle->pointers, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetVersion(cusparseHandle_t, int *version) {
    return *version = CUSPARSE_VERSION, CUSPARSE_STATUS_SUCCESS;
}
const char *cusparseGetErrorName(cusparseStatus_t status) {
    static const char *const names[] = {"CUSPARSE_STATUS_SUCCESS",
                                        "CUSPARSE_STATUS_NOT_INITIALIZED",
                                        "CUSPARSE_STATUS_ALLOC_FAILED",
                                        "CUSPARSE_STATUS_INVALID_VALUE",
                                        "CUSPARSE_STATUS_ARCH_MISMATCH",
                                        "CUSPARSE_STATUS_MAPPING_ERROR",
                                        "CUSPARSE_STATUS_EXECUTION_FAILED",
                                        "CUSPARSE_STATUS_INTERNAL_ERROR",
                                        "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
                                        "CUSPARSE_STATUS_ZERO_PIVOT",
                                        "CUSPARSE_STATUS_NOT_SUPPORTED",
                                        "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES"};
    return (size_t)status < std::size(names) ? names[status] : "unrecognized error code";
}
const char *cusparseGetErrorString(cusparseStatus_t status) { return cusparseGetErrorName(status); }

// ---------------------------------------------------------------- descriptors

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *matrix) { return make(matrix, cusparseMatDescr{}); }
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t matrix) { return destroy(matrix); }
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t matrix, cusparseMatrixType_t type) {
    return matrix->type = type, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t matrix, cusparseIndexBase_t base) {
    return matrix->base = base, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t matrix, cusparseFillMode_t mode) {
    return matrix->fill = mode, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t matrix, cusparseDiagType_t type) {
    return matrix->diagonal = type, CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *vector, int64_t size, void *values, cudaDataType type) {
    REQUIRE(item(type) > 0, CUSPARSE_STATUS_NOT_SUPPORTED);
    return make(vector, cusparseDnVecDescr{size, values, type});
}
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector) { return destroy(vector); }
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t vector, void **values) {
    return *values = vector->values, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector, void *values) {
    return vector->values = values, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateSpVec(cusparseSpVecDescr_t *vector, int64_t size, int64_t count, void *indices,
                                     void *values, cusparseIndexType_t index_type, cusparseIndexBase_t base,
                                     cudaDataType type) {
    REQUIRE(item(type) > 0, CUSPARSE_STATUS_NOT_SUPPORTED);
    return make(vector, cusparseSpVecDescr{size, count, indices, values, index_type, base, type});
}
cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t vector) { return destroy(vector); }
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *matrix, int64_t rows, int64_t columns, int64_t ld,
                                     void *values, cudaDataType type, cusparseOrder_t order) {
    REQUIRE(item(type) > 0, CUSPARSE_STATUS_NOT_SUPPORTED);
    REQUIRE(ld >= (order == CUSPARSE_ORDER_COL ? rows : columns), CUSPARSE_STATUS_INVALID_VALUE);
    return make(matrix, cusparseDnMatDescr{rows, columns, ld, values, type, order});
}
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix) { return destroy(matrix); }
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t matrix, void **values) {
    return *values = matrix->values, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t matrix, void *values) {
    return matrix->values = values, CUSPARSE_STATUS_SUCCESS;
}
// `first` and `second`: offsets or rows, then the other indices.
static cusparseStatus_t make_matrix(cusparseSpMatDescr_t *matrix, cusparseFormat_t format, int64_t rows,
                                    int64_t columns, int64_t count, void *first, void *second, void *values,
                                    cusparseIndexType_t first_type, cusparseIndexType_t second_type,
                                    cusparseIndexBase_t base, cudaDataType type) {
    REQUIRE(item(type) > 0, CUSPARSE_STATUS_NOT_SUPPORTED);
    return make(matrix,
                cusparseSpMatDescr{
                    format, rows, columns, count, first, second, values, first_type, second_type, base, type, {}, {}});
}
cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t columns, int64_t count,
                                   void *row_offsets, void *column_indices, void *values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType type) {
    return make_matrix(matrix, CUSPARSE_FORMAT_CSR, rows, columns, count, row_offsets, column_indices, values,
                       offset_type, index_type, base, type);
}
cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t columns, int64_t count,
                                   void *column_offsets, void *row_indices, void *values,
                                   cusparseIndexType_t offset_type, cusparseIndexType_t index_type,
                                   cusparseIndexBase_t base, cudaDataType type) {
    return make_matrix(matrix, CUSPARSE_FORMAT_CSC, rows, columns, count, column_offsets, row_indices, values,
                       offset_type, index_type, base, type);
}
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *matrix, int64_t rows, int64_t columns, int64_t count,
                                   void *row_indices, void *column_indices, void *values,
                                   cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {
    return make_matrix(matrix, CUSPARSE_FORMAT_COO, rows, columns, count, row_indices, column_indices, values,
                       index_type, index_type, base, type);
}
cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix) { return destroy(matrix); }
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t matrix, void *row_offsets, void *column_indices,
                                        void *values) {
    return set_pointers(matrix, row_offsets, column_indices, values);
}
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t matrix, void *column_offsets, void *row_indices,
                                        void *values) {
    return set_pointers(matrix, column_offsets, row_indices, values);
}
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t matrix, void *row_indices, void *column_indices,
                                        void *values) {
    return set_pointers(matrix, row_indices, column_indices, values);
}
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, int64_t *rows, int64_t *columns,
                                      int64_t *count) {
    *rows = matrix->rows, *columns = matrix->columns, *count = matrix->count;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t matrix, cusparseFormat_t *format) {
    return *format = matrix->format, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t matrix, cusparseIndexBase_t *base) {
    return *base = matrix->base, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t matrix, void **values) {
    return *values = matrix->values, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t matrix, void *values) {
    return matrix->values = values, CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t matrix, cusparseSpMatAttribute_t attribute, void *value,
                                           size_t) {
    if (attribute == CUSPARSE_SPMAT_FILL_MODE)
        matrix->fill = *(cusparseFillMode_t *)value;
    else
        matrix->diagonal = *(cusparseDiagType_t *)value;
    return CUSPARSE_STATUS_SUCCESS;
}

// ---------------------------------------------------------------- products and solutions

cusparseStatus_t cusparseSpMV(WL_SPARSE_PRODUCT, void *) {
    REQUIRE_HANDLE;
    REQUIRE(x->size == columns(*a, of_a) && y->size == rows(*a, of_a), CUSPARSE_STATUS_INVALID_VALUE);
    if (becomes_node(handle, [=, al = factor(handle, alpha, computed), be = factor(handle, beta, computed), a = *a,
                              x = *x, y = *y](cusparseHandle_t later) mutable {
            cusparseSpMV(later, of_a, al, &a, &x, be, &y, computed, algorithm, nullptr);
        }))
        return CUSPARSE_STATUS_SUCCESS;
    Uses uses = {scalar(handle, alpha, computed), scalar(handle, beta, computed)};
    use(&uses, *a), use(&uses, *x), use(&uses, *y, true);
    BEGIN("cusparseSpMV", uses);
    std::vector<Number> sums((size_t)y->size);
    each(*a, of_a,
         [&](int64_t row, int64_t column, Number v) { sums[(size_t)row] += v * get(x->values, column, x->type); });
    const Number by = get(alpha, 0, computed), keep = get(beta, 0, computed);
    for (int64_t i = 0; i < y->size; i++)
        put(y->values, i, y->type, by * sums[(size_t)i] + scaled(keep, y->values, i, y->type));
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMM(WL_SPARSE_DENSE_PRODUCT, void *) {
    REQUIRE_HANDLE;
    const bool plain = of_b == CUSPARSE_OPERATION_NON_TRANSPOSE;
    REQUIRE(c->rows == rows(*a, of_a) && c->columns == (plain ? b->columns : b->rows) &&
                columns(*a, of_a) == (plain ? b->rows : b->columns),
            CUSPARSE_STATUS_INVALID_VALUE);
    if (becomes_node(handle, [=, al = factor(handle, alpha, computed), be = factor(handle, beta, computed), a = *a,
                              b = *b, c = *c](cusparseHandle_t later) mutable {
            cusparseSpMM(later, of_a, of_b, al, &a, &b, be, &c, computed, algorithm, nullptr);
        }))
        return CUSPARSE_STATUS_SUCCESS;
    Uses uses = {scalar(handle, alpha, computed), scalar(handle, beta, computed)};
    use(&uses, *a), use(&uses, *b), use(&uses, *c, true);
    BEGIN("cusparseSpMM", uses);
    std::vector<Number> sums((size_t)(c->rows * c->columns));
    each(*a, of_a, [&](int64_t row, int64_t l, Number v) {
        for (int64_t j = 0; j < c->columns; j++) sums[(size_t)(row * c->columns + j)] += v * element(*b, of_b, l, j);
    });
    const Number by = get(alpha, 0, computed), keep = get(beta, 0, computed);
    for (int64_t i = 0; i < c->rows; i++)
        for (int64_t j = 0; j < c->columns; j++)
            put(c->values, place(*c, i, j), c->type,
                by * sums[(size_t)(i * c->columns + j)] + scaled(keep, c->values, place(*c, i, j), c->type));
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *product) {
    return make(product, cusparseSpGEMMDescr{});
}
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t product) { return destroy(product); }
/* How many elements C has is known after it; its memory comes later. */
cusparseStatus_t cusparseSpGEMM_compute(WL_SPARSE_SPARSE_PRODUCT, size_t *bytes, void *buffer) {
    REQUIRE_HANDLE;
    REQUIRE(columns(*a, of_a) == rows(*b, of_b), CUSPARSE_STATUS_INVALID_VALUE);
    if (buffer == nullptr) return wl_no_sparse_work(bytes);
    Uses uses = {scalar(handle, alpha, computed)};
    use(&uses, *a), use(&uses, *b);
    BEGIN("cusparseSpGEMM_compute", uses);
    const Number by = get(alpha, 0, computed);
    const Rows right = rows_of(*b, of_b);
    product->result.assign((size_t)rows(*a, of_a), {});
    each(*a, of_a, [&](int64_t row, int64_t l, Number v) {
        for (const auto &e : right[(size_t)l]) product->result[(size_t)row][e.first] += by * v * e.second;
    });
    c->rows = rows(*a, of_a), c->columns = columns(*b, of_b), c->count = 0;
    for (const auto &row : product->result) c->count += (int64_t)row.size();
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpGEMM_copy(WL_SPARSE_SPARSE_PRODUCT) {
    REQUIRE_HANDLE;
    Uses uses = {scalar(handle, beta, computed)};
    use(&uses, *c, true);
    BEGIN("cusparseSpGEMM_copy", uses);
    REQUIRE(get(beta, 0, computed) == 0.0, CUSPARSE_STATUS_NOT_SUPPORTED);
    write(*c, product->result);
    return CUSPARSE_STATUS_SUCCESS;
}

/* op(A) y = alpha x, by the triangle of A that its attributes say. */
cusparseStatus_t cusparseSpSV_solve(WL_SPARSE_SOLUTION) {
    REQUIRE_HANDLE;
    if (becomes_node(handle,
                     [=, al = factor(handle, alpha, computed), a = *a, x = *x, y = *y](cusparseHandle_t later) mutable {
                         cusparseSpSV_solve(later, of_a, al, &a, &x, &y, computed, algorithm, solution);
                     }))
        return CUSPARSE_STATUS_SUCCESS;
    Uses uses = {scalar(handle, alpha, computed)};
    use(&uses, *a), use(&uses, *x), use(&uses, *y, true);
    BEGIN("cusparseSpSV_solve", uses);
    const Number by = get(alpha, 0, computed);
    const Rows all = rows_of(*a, of_a);
    const bool lower = (a->fill == CUSPARSE_FILL_MODE_LOWER) == (of_a == CUSPARSE_OPERATION_NON_TRANSPOSE);
    std::vector<Number> result(all.size());
    for (size_t step = 0; step < all.size(); step++) {
        const size_t row = lower ? step : all.size() - 1 - step;
        Number rest = by * get(x->values, (int64_t)row, x->type), pivot = 0;
        for (const auto &e : all[row]) {
            if ((size_t)e.first == row)
                pivot = e.second;
            else if (((size_t)e.first < row) == lower)
                rest -= e.second * result[(size_t)e.first];
        }
        result[row] = a->diagonal == CUSPARSE_DIAG_TYPE_UNIT ? rest : rest / pivot;
    }
    for (size_t i = 0; i < result.size(); i++) put(y->values, (int64_t)i, y->type, result[i]);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseAxpby(cusparseHandle_t handle, const void *alpha, cusparseConstSpVecDescr_t x,
                               const void *beta, cusparseDnVecDescr_t y) {
    REQUIRE_HANDLE;
    if (becomes_node(handle, [al = factor(handle, alpha, y->type), be = factor(handle, beta, y->type), x = *x,
                              y = *y](cusparseHandle_t later) mutable { cusparseAxpby(later, al, &x, be, &y); }))
        return CUSPARSE_STATUS_SUCCESS;
    Uses uses = {scalar(handle, alpha, y->type), scalar(handle, beta, y->type)};
    use(&uses, *x), use(&uses, *y, true);
    BEGIN("cusparseAxpby", uses);
    const Number by = get(alpha, 0, y->type), keep = get(beta, 0, y->type);
    for (int64_t i = 0; i < y->size; i++) put(y->values, i, y->type, scaled(keep, y->values, i, y->type));
    for (int64_t i = 0; i < x->count; i++) {
        const int64_t at = get(x->indices, i, x->index_type) - x->base;
        put(y->values, at, y->type, get(y->values, at, y->type) + by * get(x->values, i, x->type));
    }
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGather(cusparseHandle_t handle, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x) {
    REQUIRE_HANDLE;
    if (becomes_node(handle, [x = *x, y = *y](cusparseHandle_t later) mutable { cusparseGather(later, &y, &x); }))
        return CUSPARSE_STATUS_SUCCESS;
    Uses uses;
    use(&uses, *y), use(&uses, *x, true);
    BEGIN("cusparseGather", uses);
    for (int64_t i = 0; i < x->count; i++)
        put(x->values, i, x->type, get(y->values, get(x->indices, i, x->index_type) - x->base, y->type));
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseScatter(cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y) {
    REQUIRE_HANDLE;
    if (becomes_node(handle, [x = *x, y = *y](cusparseHandle_t later) mutable { cusparseScatter(later, &x, &y); }))
        return CUSPARSE_STATUS_SUCCESS;
    Uses uses;
    use(&uses, *x), use(&uses, *y, true);
    BEGIN("cusparseScatter", uses);
    for (int64_t i = 0; i < x->count; i++)
        put(y->values, get(x->indices, i, x->index_type) - x->base, y->type, get(x->values, i, x->type));
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpVV(cusparseHandle_t handle, cusparseOperation_t of_x, cusparseConstSpVecDescr_t x,
                              cusparseConstDnVecDescr_t y, void *result, cudaDataType computed, void *) {
    REQUIRE_HANDLE;
    Uses uses = {scalar(handle, result, computed, true)};
    use(&uses, *x), use(&uses, *y);
    BEGIN("cusparseSpVV", uses);
    Number sum = 0;
    for (int64_t i = 0; i < x->count; i++) {
        const Number v = get(x->values, i, x->type);
        sum += (of_x == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? std::conj(v) : v) *
               get(y->values, get(x->indices, i, x->index_type) - x->base, y->type);
    }
    put(result, 0, computed, sum);
    return CUSPARSE_STATUS_SUCCESS;
}

// ---------------------------------------------------------------- from one layout to another

cusparseStatus_t cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t b,
                                       cusparseSparseToDenseAlg_t, void *) {
    REQUIRE_HANDLE;
    Uses uses;
    use(&uses, *a), use(&uses, *b, true);
    BEGIN("cusparseSparseToDense", uses);
    for (int64_t i = 0; i < b->rows; i++)
        for (int64_t j = 0; j < b->columns; j++) put(b->values, place(*b, i, j), b->type, 0);
    each(*a, CUSPARSE_OPERATION_NON_TRANSPOSE,
         [&](int64_t row, int64_t column, Number v) { put(b->values, place(*b, row, column), b->type, v); });
    return CUSPARSE_STATUS_SUCCESS;
}
static Rows nonzero(const cusparseDnMatDescr &a) {
    Rows all((size_t)a.rows);
    for (int64_t i = 0; i < a.rows; i++)
        for (int64_t j = 0; j < a.columns; j++) {
            const Number x = element(a, CUSPARSE_OPERATION_NON_TRANSPOSE, i, j);
            if (x != 0.0) all[(size_t)i][j] = x;
        }
    return all;
}
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                                cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void *) {
    REQUIRE_HANDLE;
    Uses uses;
    use(&uses, *a);
    BEGIN("cusparseDenseToSparse_analysis", uses);
    b->count = 0;
    for (const auto &row : nonzero(*a)) b->count += (int64_t)row.size();
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t a,
                                               cusparseSpMatDescr_t b, cusparseDenseToSparseAlg_t, void *) {
    REQUIRE_HANDLE;
    Uses uses;
    use(&uses, *a), use(&uses, *b, true);
    BEGIN("cusparseDenseToSparse_convert", uses);
    write(*b, nonzero(*a));
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t handle, const int *rows, int count, int m, int *offsets,
                                  cusparseIndexBase_t base) {
    REQUIRE_HANDLE;
    BEGIN("cusparseXcoo2csr", (Uses{wl_used(rows, (size_t)count, false), wl_used(offsets, (size_t)m + 1, true)}));
    for (int row = 0, i = 0; row <= m; row++) {
        while (i < count && rows[i] - base < row) i++;
        offsets[row] = i + base;
    }
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t handle, const int *offsets, int count, int m, int *rows,
                                  cusparseIndexBase_t base) {
    REQUIRE_HANDLE;
    BEGIN("cusparseXcsr2coo", (Uses{wl_used(offsets, (size_t)m + 1, false), wl_used(rows, (size_t)count, true)}));
    for (int row = 0; row < m; row++)
        for (int i = offsets[row] - base; i < offsets[row + 1] - base; i++) rows[i] = row + base;
    return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCsr2cscEx2(WL_SPARSE_TRANSPOSITION, void *) {
    REQUIRE_HANDLE;
    const cusparseSpMatDescr
        from = {CUSPARSE_FORMAT_CSR,
                m,
                n,
                count,
                (void *)offsets,
                (void *)indices,
                (void *)values,
                CUSPARSE_INDEX_32I,
                CUSPARSE_INDEX_32I,
                base,
                type,
                {},
                {}},
        to = {CUSPARSE_FORMAT_CSC, m,    n,    count, to_offsets, to_indices, to_values, CUSPARSE_INDEX_32I,
              CUSPARSE_INDEX_32I,  base, type, {},    {}};
    Uses uses;
    use(&uses, from), use(&uses, to, true);
    BEGIN("cusparseCsr2cscEx2", uses);
    write(to, rows_of(from, CUSPARSE_OPERATION_NON_TRANSPOSE));
    return CUSPARSE_STATUS_SUCCESS;
}

// ---------------------------------------------------------------- incomplete factors

cusparseStatus_t cusparseCreateCsrilu02Info(csrilu02Info_t *info) { return make(info, csrilu02Info{-1}); }
cusparseStatus_t cusparseDestroyCsrilu02Info(csrilu02Info_t info) { return destroy(info); }
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t, csrilu02Info_t info, int *position) {
    *position = info->zero;
    return info->zero < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}
cusparseStatus_t cusparseScsrilu02(WL_SPARSE_FACTORS(float), cusparseSolvePolicy_t, void *) {
    return factorise(handle, m, count, matrix, values, offsets, indices, info);
}
cusparseStatus_t cusparseDcsrilu02(WL_SPARSE_FACTORS(double), cusparseSolvePolicy_t, void *) {
    return factorise(handle, m, count, matrix, values, offsets, indices, info);
}
}
