/* Fibers: every simulated thread has a stack of its own and is switched to by hand, in a few nanoseconds. */
#pragma once

#include <cstdint>

#if defined(__x86_64__)

/* Save the callee-saved registers on the current stack, store its pointer in *from, continue on `to`. */
extern "C" void wl_sim_switch(void **from, void *to);
asm(R"(
.text
.p2align 4
.type wl_sim_switch, @function
wl_sim_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    popq %rcx
    jmp *%rcx
.size wl_sim_switch, .-wl_sim_switch

/* At the start of each basic block of kernel code: the registers are saved as wl_sim_switch does it, and wl_sim_next chooses the stack to
   go on with. All lanes of a step go on at one place, but not at the one that the last lane returns to, so the processor predicts `ret`
   wrongly each time. The jump takes a third off the time of axpy (0.62 s to 0.42 s) and 42 % off that of sums (0.99 s to 0.57 s). */
.globl __sanitizer_cov_trace_pc
.p2align 4
.type __sanitizer_cov_trace_pc, @function
__sanitizer_cov_trace_pc:
    .cfi_startproc
    movq _ZN6wl_sim6activeE@gottpoff(%rip), %rax
    movq %fs:(%rax), %rdi
    testq %rdi, %rdi
    je 1f
    pushq %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    pushq %rbx
    .cfi_adjust_cfa_offset 8
    pushq %r12
    .cfi_adjust_cfa_offset 8
    pushq %r13
    .cfi_adjust_cfa_offset 8
    pushq %r14
    .cfi_adjust_cfa_offset 8
    pushq %r15
    .cfi_adjust_cfa_offset 8
    movq %rsp, %rsi
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    call wl_sim_next
    movq %rax, %rsp
    .cfi_adjust_cfa_offset -8
    popq %r15
    .cfi_adjust_cfa_offset -8
    popq %r14
    .cfi_adjust_cfa_offset -8
    popq %r13
    .cfi_adjust_cfa_offset -8
    popq %r12
    .cfi_adjust_cfa_offset -8
    popq %rbx
    .cfi_adjust_cfa_offset -8
    popq %rbp
    .cfi_adjust_cfa_offset -8
    popq %rcx
    .cfi_adjust_cfa_offset -8
    jmp *%rcx
1:
    .cfi_adjust_cfa_offset 8
    ret
    .cfi_endproc
.size __sanitizer_cov_trace_pc, .-__sanitizer_cov_trace_pc
)");

/* A stack that starts `entry` (which never returns) when first switched to. */
static inline void *wl_sim_fiber(char *stack_top, void (*entry)(void)) {
    void **sp = (void **)((uintptr_t)stack_top & ~(uintptr_t)15);
    *--sp = nullptr; // the return address of `entry`, which keeps the stack aligned as a call would
    *--sp = (void *)entry;
    for (int i = 0; i < 6; i++) *--sp = nullptr;
    return sp;
}

#elif defined(__aarch64__)

extern "C" void wl_sim_switch(void **from, void *to);
asm(R"(
.text
.p2align 4
.type wl_sim_switch, %function
wl_sim_switch:
    sub sp, sp, #160
    stp x19, x20, [sp]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
.size wl_sim_switch, .-wl_sim_switch
)");

static inline void *wl_sim_fiber(char *stack_top, void (*entry)(void)) {
    uint64_t *sp = (uint64_t *)((uintptr_t)stack_top & ~(uintptr_t)15) - 20;
    for (int i = 0; i < 20; i++) sp[i] = 0;
    sp[11] = (uint64_t)entry; // x30
    return sp;
}

#else
#error "the simulated device switches stacks in assembly: add wl_sim_switch for this processor"
#endif
