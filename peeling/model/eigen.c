/* Eigenvectors of a reversible generator. */
#include <lapacke.h>
#include <math.h>

#include "harness/base/memory.h"
#include "peeling/model/internal.h"

/* The slowest rate allowed, as a share of the fastest. Eigenvalues are known to about 1e-16 of the largest. At this limit,
   the time that the chain takes to forget where it began still has six correct digits. */
#define SLOWEST 1e-10

/* What dsyevd asks for to compute eigenvectors of the largest matrix. */
enum {
    WORK = 1 + 6 * PEELING_STATES_MOST + 2 * PEELING_STATES_MOST * PEELING_STATES_MOST,
    INTEGERS = 3 + 5 * PEELING_STATES_MOST
};

/* Q = exchange diag(pi) is similar to the symmetric A = diag(sqrt pi) exchange diag(sqrt pi), which has the eigenvector
   sqrt(pi) of eigenvalue 0. That one is known exactly, and must be: what is wrong with it grows with time. So it is
   moved below all others, by a multiple of its projector, and then put in by hand. */
static wl_status decompose(const double *exchange, peeling_model *model, double *A, double *work) {
    const int S = model->states;
    const double *pi = model->frequency;
    double leaves[PEELING_STATES_MOST], root[PEELING_STATES_MOST];
    double flow = 0, fastest = 0;
    for (int i = 0; i < S; i++) {
        leaves[i] = 0;
        root[i] = sqrt(pi[i]);
        for (int j = 0; j < S; j++)
            if (j != i) leaves[i] += exchange[i * S + j] * pi[j];
        flow += pi[i] * leaves[i];
        fastest = fmax(fastest, leaves[i]);
    }
    // By Gershgorin no eigenvalue of Q is below -2 fastest.
    const double move = 3 * fastest;
    for (int i = 0; i < S; i++)
        for (int j = 0; j < S; j++)
            A[i * S + j] =
                ((i == j ? -leaves[i] : exchange[i * S + j] * root[i] * root[j]) - move * root[i] * root[j]) / flow;

    // With work arrays of ours: LAPACKE_dsyevd prints where it has no memory for them.
    lapack_int integers[INTEGERS];
    const lapack_int info =
        LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', S, A, S, model->eigenvalue, work, WORK, integers, INTEGERS);
    if (info != 0)
        return wl_fail(WL_NO_MACHINE, "LAPACK's dsyevd failed on a matrix of %d states (info %d)", S, (int)info);
    model->eigenvalue[0] = 0;
    if (model->eigenvalue[S - 1] > -SLOWEST * fastest / flow)
        return wl_fail(WL_BAD_INPUT, "the model's rates differ by more than double precision can hold: "
                                     "some states are all but never reached from others");
    for (int k = 0; k < S; k++)
        for (int i = 0; i < S; i++) {
            const double vector = k == 0 ? root[i] : A[k * S + i];
            model->right[i * S + k] = vector / root[i];
            model->left[k * S + i] = vector * root[i];
        }
    return WL_OK;
}

wl_status peeling_model_decompose(const double *exchange, peeling_model *model) {
    double *A, *work; // not on the stack, which may be small
    if (!WL_ALLOCATE(WL_ARRAY(A, (size_t)model->states * (size_t)model->states), WL_ARRAY(work, WORK)))
        return wl_fail(WL_NO_MACHINE, "not enough memory for a matrix of %d states", model->states);
    const wl_status status = decompose(exchange, model, A, work);
    WL_FREE(A, work);
    return status;
}
