// Random numbers. The compiler is told STATE, what a sequence's state is: Xorwow, Mrg or Philox; NAME, which the kernels' names begin with; and
// REAL, the type of uniform and normal numbers.
#define JOINED(a, b) a##b
#define KERNEL(a, b) JOINED(a, b)

typedef unsigned long long Long;

// Marsaglia, Xorshift RNGs, Journal of Statistical Software 8(14), 2003.
struct Xorwow {
    unsigned d, v[5];
    __device__ unsigned bits()
    {
        unsigned t = v[0] ^ v[0] >> 2;
        v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
        v[4] = (v[4] ^ v[4] << 4) ^ (t ^ t << 1);
        d += 362437;
        return v[4] + d;
    }
};

// L'Ecuyer, Good parameters and implementations for combined multiple recursive random number generators, Operations Research 47(1), 1999.
struct Mrg {
    unsigned first[3], second[3];
    static __device__ Long reduced(Long x, unsigned below) { return (x >> 32) * below + (unsigned)x; }      // modulo 2³² - below, nearly
    __device__ unsigned step()      // 1 to 4294967087
    {
        const unsigned m1 = 4294967087u, m2 = 4294944443u;
        Long p1 = reduced(1403580 * (Long)first[1] + 810728 * (Long)(m1 - first[0]), 209);
        Long p2 = reduced(reduced(527612 * (Long)second[2] + 1370589 * (Long)(m2 - second[0]), 22853), 22853);
        p1 -= p1 >= m1 ? m1 : 0;
        p2 -= p2 >= m2 ? m2 : 0;
        first[0] = first[1], first[1] = first[2], first[2] = (unsigned)p1;
        second[0] = second[1], second[1] = second[2], second[2] = (unsigned)p2;
        return (unsigned)p1 - (unsigned)p2 + (p1 <= p2 ? m1 : 0);
    }
#ifdef DOUBLES
    __device__ unsigned bits() { return (unsigned)(step() * 1.000000048662); }
#endif
};

// Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011: Philox 4x32, 10 rounds. A state holds what it has not yet given.
struct Philox {
    unsigned counter[4], key[2], left[4], used;
    __device__ unsigned bits()
    {
        if (used == 4)
            refill();
        unsigned at = used++;
        return at == 0 ? left[0] : at == 1 ? left[1] : at == 2 ? left[2] : left[3];
    }
    __device__ void refill()
    {
        unsigned c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0], k1 = key[1];
        for (int round = 0; round < 10; ++round) {
            unsigned high0 = __umulhi(0xD2511F53, c0), low0 = 0xD2511F53 * c0, high1 = __umulhi(0xCD9E8D57, c2), low1 = 0xCD9E8D57 * c2;
            c0 = high1 ^ c1 ^ k0, c1 = low1, c2 = high0 ^ c3 ^ k1, c3 = low0;
            k0 += 0x9E3779B9, k1 += 0xBB67AE85;
        }
        left[0] = c0, left[1] = c1, left[2] = c2, left[3] = c3;
        used = 0;
        if (!++counter[0])
            ++counter[1];
    }
};

struct Draw { unsigned sequences, turn; Long count; };     // the next number is of sequence `turn`; each takes its turn

template <class State, class Make> __device__ void draw(State *states, Draw what, Make make)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    if (thread >= what.sequences || thread >= what.count)
        return;
    unsigned mine = (what.turn + thread) % what.sequences;
    State state = states[mine];
    for (Long i = thread; i < what.count; i += what.sequences)
        make(state, i);
    states[mine] = state;
}

__device__ float uniform(unsigned x) { return x * 2.3283064e-10f + 2.3283064e-10f / 2.0f; }

#ifdef APART
__device__ float logarithm(float x)     // CUDA's own multiplies and adds in one, which these machines do not: the series of artanh
{
    unsigned bits = __float_as_uint(x);
    int exponent = (int)((bits - 0x3f3504f3) >> 23 << 23);
    float s = __fdividef(__uint_as_float(bits - exponent) - 1.0f, __uint_as_float(bits - exponent) + 1.0f), square = s * s;
    float series = 2.0f + square * (0.66666667f + square * (0.4f + square * (0.28571429f + square * 0.22222222f)));
    return (exponent >> 23) * 0.69314718f + s * series;
}
#else
__device__ float logarithm(float x) { return logf(x); }
#endif

#ifdef DOUBLES
__device__ double uniform(unsigned x, unsigned y)
{
    return (x ^ (Long)y << 21) * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2.0;
}
template <class State> __device__ void number(State &state, double &to)
{
    unsigned x = state.bits(), y = state.bits();
    to = uniform(x, y);
}
__device__ void number(Mrg &state, double &to) { to = state.step() * 2.3283065498378288e-10; }
__device__ void number(Mrg &state, float &to) { to = (float)(state.step() * 2.3283065498378288e-10); }
template <class State> __device__ void pair(State &state, double &a, double &b)     // Box and Muller's
{
    unsigned x0 = state.bits(), x1 = state.bits(), y0 = state.bits(), y1 = state.bits();
    double size = sqrt(-2.0 * log(uniform(x0, x1))), angle = (y0 ^ (Long)y1 << 21) * (2 * 1.1102230246251565e-16) + 1.1102230246251565e-16;
    sincospi(angle, &a, &b);
    a *= size, b *= size;
}
__device__ void pair(Mrg &state, double &a, double &b)
{
    double x, y;
    number(state, x), number(state, y);
    double size = sqrt(-2.0 * log(x));
    sincospi(y * 2.0, &a, &b);
    a *= size, b *= size;
}
__device__ void pair(Mrg &state, float &a, float &b)
{
    float x, y;
    number(state, x), number(state, y);
    float size = sqrtf(-2.0f * logarithm(x));
    __sincosf(y * 6.2831855f, &a, &b);
    a *= size, b *= size;
}
#endif
template <class State> __device__ void number(State &state, float &to) { to = uniform(state.bits()); }
template <class State> __device__ void pair(State &state, float &a, float &b)
{
    unsigned x = state.bits(), y = state.bits();
    float size = sqrtf(-2.0f * logarithm(uniform(x))), angle = y * (2.3283064e-10f * 6.2831855f) + 2.3283064e-10f * 6.2831855f / 2;
    __sincosf(angle, &a, &b);
    a *= size, b *= size;
}

#ifndef DOUBLE_ONLY
extern "C" __global__ void KERNEL(NAME, bits)(STATE *states, Draw what, unsigned *out)
{
    draw(states, what, [=](STATE &state, Long i) { out[i] = state.bits(); });
}
#endif

extern "C" __global__ void KERNEL(NAME, uniform)(STATE *states, Draw what, REAL *out)
{
    draw(states, what, [=](STATE &state, Long i) { number(state, out[i]); });
}

extern "C" __global__ void KERNEL(NAME, normal)(STATE *states, Draw what, REAL *out, REAL mean, REAL deviation)
{
    draw(states, what, [=](STATE &state, Long i) {
        REAL a, b;
        pair(state, a, b);
        out[2 * i] = mean + deviation * a;
        out[2 * i + 1] = mean + deviation * b;
    });
}
