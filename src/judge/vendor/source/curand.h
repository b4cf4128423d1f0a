#pragma once
// Stands for the generators of cuRAND in device code: states of the same size, and numbers of a hash of their counter.
// What a fix changes does not depend on which numbers they are.
typedef struct curandGenerator_st *curandGenerator_t;
typedef int curandStatus_t; typedef int curandRngType_t;

struct curandStateXORWOW { unsigned long long seed, at; unsigned rest[8]; };
struct alignas(16) curandStatePhilox4_32_10 { unsigned long long seed, at; unsigned rest[12]; };
struct curandStateMRG32k3a { unsigned long long seed, at; unsigned rest[14]; };
typedef curandStateXORWOW curandState, curandState_t, curandStateXORWOW_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef curandStateMRG32k3a curandStateMRG32k3a_t;

template <class State>
__device__ inline void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                                   State *state) {
    state->seed = seed + sequence * 0x9e3779b97f4a7c15ull;
    state->at = offset;
}
template <class State> __device__ inline void skipahead(unsigned long long count, State *state) { state->at += count; }
template <class State> __device__ inline unsigned curand(State *state) {
    unsigned long long bits = state->seed + ++state->at * 0x9e3779b97f4a7c15ull;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
    return (unsigned)(bits >> 32);
}
// Above 0, and 1 at most.
template <class State> __device__ inline float curand_uniform(State *state) {
    return ((curand(state) >> 8) + 1) * (1.0f / 16777216.0f);
}
template <class State> __device__ inline double curand_uniform_double(State *state) {
    return (curand(state) + 1.0) * (1.0 / 4294967296.0);
}
// A sum of numbers between 0 and 1 is near enough to a normal one.
template <class State> __device__ inline float curand_normal(State *state) {
    float sum = curand_uniform(state);
    sum += curand_uniform(state);
    sum += curand_uniform(state);
    return (sum - 1.5f) * 2.0f;
}
template <class State> __device__ inline double curand_normal_double(State *state) { return curand_normal(state); }

template <class State> __device__ inline uint4 curand4(State *state) {
    unsigned x = curand(state), y = curand(state), z = curand(state), w = curand(state);
    return make_uint4(x, y, z, w);
}
template <class State> __device__ inline float4 curand_uniform4(State *state) {
    float x = curand_uniform(state), y = curand_uniform(state), z = curand_uniform(state), w = curand_uniform(state);
    return make_float4(x, y, z, w);
}
template <class State> __device__ inline double2 curand_uniform2_double(State *state) {
    double x = curand_uniform_double(state), y = curand_uniform_double(state);
    return make_double2(x, y);
}
template <class State> __device__ inline float2 curand_normal2(State *state) {
    float x = curand_normal(state), y = curand_normal(state);
    return make_float2(x, y);
}
template <class State> __device__ inline float4 curand_normal4(State *state) {
    float x = curand_normal(state), y = curand_normal(state), z = curand_normal(state), w = curand_normal(state);
    return make_float4(x, y, z, w);
}
