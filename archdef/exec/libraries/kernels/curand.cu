// Random numbers. The compiler is told STATE, what a sequence's state is: Xorwow, Mrg, Philox or Sobol; NAME, which the kernels' names begin with; and
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

// Salmon et al., Parallel random numbers: as easy as 1, 2, 3, SC 2011: Philox 4x32, 10 rounds.
struct Philox {
    unsigned counter[4], key[2];
    __device__ void go_on(unsigned blocks)
    {
        counter[0] += blocks;
        counter[1] += counter[0] < blocks;
    }
    __device__ void block(unsigned *four) const
    {
        unsigned c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3], k0 = key[0], k1 = key[1];
        for (int round = 0; round < 10; ++round) {
            unsigned high0 = __umulhi(0xD2511F53, c0), low0 = 0xD2511F53 * c0, high1 = __umulhi(0xCD9E8D57, c2), low1 = 0xCD9E8D57 * c2;
            c0 = high1 ^ c1 ^ k0, c1 = low1, c2 = high0 ^ c3 ^ k1, c3 = low0;
            k0 += 0x9E3779B9, k1 += 0xBB67AE85;
        }
        four[0] = c0, four[1] = c1, four[2] = c2, four[3] = c3;
    }
};

// Bratley and Fox, Algorithm 659, ACM Transactions on Mathematical Software 14(1), 1988: a dimension of Sobol's sequences, whose places are in the order of
// Antonov and Saleev.
struct Sobol {
    unsigned directions[32];
    __device__ unsigned at(unsigned place) const
    {
        unsigned gray = place ^ place >> 1, x = 0;
        for (int bit = 0; bit < 32; ++bit)
            x ^= gray >> bit & 1 ? directions[bit] : 0;
        return x;
    }
};

struct Draw { unsigned sequences, turn; Long count; };     // the next number is of sequence `turn`; each takes its turn, or four with Philox

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

// A sequence of Philox goes on behind its fourth number only, by as many blocks as these four take here.
template <int BLOCKS, class Number, class Make> __device__ void draw_fours(Philox *states, Draw what, Number *out, Make make)
{
    Long thread = blockIdx.x * blockDim.x + threadIdx.x, before = what.turn % 4, all = before + what.count;
    if (thread >= what.sequences || 4 * thread >= all)
        return;
    unsigned mine = (what.turn / 4 + (unsigned)thread) % what.sequences;
    Philox state = states[mine];
    for (Long i = 4 * thread; i < all; i += 4ull * what.sequences) {
        unsigned words[4 * BLOCKS];
        Number four[4];
        Philox next = state;
        for (int block = 0; block < BLOCKS; ++block, next.go_on(1))
            next.block(words + 4 * block);
        make(words, four);
        for (int j = 0; j < 4; ++j)
            if (i + j >= before && i + j < all)
                out[i + j - before] = four[j];
        if (i + 4 <= all)
            state = next;
    }
    states[mine] = state;
}

// All numbers of a dimension come behind each other; `what.sequences` is how many dimensions there are, `what.turn` the place of the first number.
template <class Make> __device__ void draw_dimensions(const Sobol *dimensions, Draw what, Make make)
{
    Long each = what.count / what.sequences;
    for (Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x; i < what.count; i += gridDim.x * (Long)blockDim.x)
        make(dimensions[i / each].at(what.turn + (unsigned)(i % each)), i);
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
__device__ void number_of(const unsigned *x, double &to) { to = uniform(x[0], x[1]); }
__device__ void pair_of(const unsigned *x, double &a, double &b)     // Box and Muller's
{
    double size = sqrt(-2.0 * log(uniform(x[0], x[1]))), angle = (x[2] ^ (Long)x[3] << 21) * (2 * 1.1102230246251565e-16) + 1.1102230246251565e-16;
    sincospi(angle, &a, &b);
    a *= size, b *= size;
}
template <class State> __device__ void pair(State &state, double &a, double &b)
{
    unsigned x[4];
    for (int i = 0; i < 4; ++i)
        x[i] = state.bits();
    pair_of(x, a, b);
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
__device__ void number_of(const unsigned *x, float &to) { to = uniform(x[0]); }
__device__ void pair_of(const unsigned *x, float &a, float &b)
{
    float size = sqrtf(-2.0f * logarithm(uniform(x[0]))), angle = x[1] * (2.3283064e-10f * 6.2831855f) + 2.3283064e-10f * 6.2831855f / 2;
    __sincosf(angle, &a, &b);
    a *= size, b *= size;
}
template <class State> __device__ void number(State &state, float &to) { to = uniform(state.bits()); }
template <class State> __device__ void pair(State &state, float &a, float &b)
{
    unsigned x[2] = {state.bits(), 0};
    x[1] = state.bits();
    pair_of(x, a, b);
}

template <class State> __device__ void draw_bits(State *states, Draw what, unsigned *out)
{
    draw(states, what, [=](State &state, Long i) { out[i] = state.bits(); });
}
template <class State> __device__ void draw_uniform(State *states, Draw what, REAL *out)
{
    draw(states, what, [=](State &state, Long i) { number(state, out[i]); });
}
template <class State> __device__ void draw_normal(State *states, Draw what, REAL *out, REAL mean, REAL deviation)
{
    draw(states, what, [=](State &state, Long i) {
        REAL a, b;
        pair(state, a, b);
        out[2 * i] = mean + deviation * a;
        out[2 * i + 1] = mean + deviation * b;
    });
}

constexpr int REAL_WORDS = sizeof(REAL) / 4;

__device__ void draw_bits(Philox *states, Draw what, unsigned *out)
{
    draw_fours<1>(states, what, out, [](const unsigned *words, unsigned *four) {
        for (int i = 0; i < 4; ++i)
            four[i] = words[i];
    });
}
__device__ void draw_uniform(Philox *states, Draw what, REAL *out)
{
    draw_fours<REAL_WORDS>(states, what, out, [](const unsigned *words, REAL *four) {
        for (int i = 0; i < 4; ++i)
            number_of(words + REAL_WORDS * i, four[i]);
    });
}
__device__ void draw_normal(Philox *states, Draw what, REAL *out, REAL mean, REAL deviation)
{
    draw_fours<REAL_WORDS>(states, what, out, [=](const unsigned *words, REAL *four) {
        for (int i = 0; i < 4; i += 2)
            pair_of(words + REAL_WORDS * i, four[i], four[i + 1]);
        for (int i = 0; i < 4; ++i)
            four[i] = mean + deviation * four[i];
    });
}

__device__ void draw_bits(Sobol *dimensions, Draw what, unsigned *out)
{
    draw_dimensions(dimensions, what, [=](unsigned x, Long i) { out[i] = x; });
}
__device__ void quasirandom(unsigned x, float &to) { to = uniform(x); }
#ifdef DOUBLES
__device__ void quasirandom(unsigned x, double &to) { to = x * 2.3283064365386963e-10 + 2.3283064365386963e-10; }
#endif
__device__ void draw_uniform(Sobol *dimensions, Draw what, REAL *out)
{
    draw_dimensions(dimensions, what, [=](unsigned x, Long i) { quasirandom(x, out[i]); });
}

#ifndef DOUBLE_ONLY
extern "C" __global__ void KERNEL(NAME, bits)(STATE *states, Draw what, unsigned *out) { draw_bits(states, what, out); }
#endif

extern "C" __global__ void KERNEL(NAME, uniform)(STATE *states, Draw what, REAL *out) { draw_uniform(states, what, out); }

#ifndef UNIFORM_ONLY
extern "C" __global__ void KERNEL(NAME, normal)(STATE *states, Draw what, REAL *out, REAL mean, REAL deviation)
{
    draw_normal(states, what, out, mean, deviation);
}
#endif
