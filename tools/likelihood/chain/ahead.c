/* Models made while the devices work. */
#include "harness/base/thread.h"
#include "tools/likelihood/chain/internal.h"

static void *make(void *argument) {
    peeling_ahead *a = argument;
    pthread_mutex_lock(&a->lock);
    for (;;) {
        while (a->state != AHEAD_WANTED && a->state != AHEAD_END) pthread_cond_wait(&a->changed, &a->lock);
        if (a->state == AHEAD_END) break;
        pthread_mutex_unlock(&a->lock); // nobody changes settings, nor reads the model, before it is ready
        a->failure.status = WL_OK;
        wl_save_error(&a->failure, 0, peeling_model_make(&a->settings, &a->model));
        pthread_mutex_lock(&a->lock);
        if (a->state == AHEAD_WANTED) a->state = AHEAD_READY;
        pthread_cond_broadcast(&a->changed);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

wl_status peeling_ahead_start(peeling_ahead *a) {
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->changed, NULL);
    a->state = AHEAD_IDLE;
    a->has_thread = wl_thread_start(&a->thread, make, a);
    if (a->has_thread) return WL_OK;
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    return wl_fail(WL_NO_MACHINE, "could not start a thread");
}

void peeling_ahead_stop(peeling_ahead *a) {
    if (!a->has_thread) return;
    pthread_mutex_lock(&a->lock);
    a->state = AHEAD_END;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->lock);
    a->has_thread = 0;
}

void peeling_ahead_want(peeling_ahead *a, uint64_t step, const peeling_settings *settings) {
    pthread_mutex_lock(&a->lock);
    while (a->state == AHEAD_WANTED) pthread_cond_wait(&a->changed, &a->lock);
    a->step = step;
    a->settings = *settings;
    a->state = AHEAD_WANTED;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->lock);
}

wl_status peeling_ahead_take(peeling_ahead *a, uint64_t step, const peeling_settings *settings, peeling_model *model) {
    pthread_mutex_lock(&a->lock);
    const int is_for_it = a->state != AHEAD_IDLE && a->step == step;
    while (is_for_it && a->state == AHEAD_WANTED) pthread_cond_wait(&a->changed, &a->lock);
    pthread_mutex_unlock(&a->lock);
    if (!is_for_it) return peeling_model_make(settings, model);
    WL_TRY(wl_saved_error_again(&a->failure));
    *model = a->model;
    return WL_OK;
}
