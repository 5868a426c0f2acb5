/* What the processor that the program runs on can do. */
#ifndef C4_PROCESSOR_H
#define C4_PROCESSOR_H

/* Whether a kernel compiled for AVX2, BMI1, BMI2 and POPCNT runs here. */
static inline int c4_has_x86_v3(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
    return 0;
#endif
}

/* Whether pext, which is part of BMI2, takes a few cycles here: AMD's processors before Zen 3 take up to
 * hundreds. */
static inline int c4_has_quick_pext(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("bmi2") &&
           (__builtin_cpu_is("intel") ||
            (__builtin_cpu_is("amd") && !__builtin_cpu_is("amdfam15h") &&
             !__builtin_cpu_is("amdfam17h")));
#else
    return 0;
#endif
}

#endif
