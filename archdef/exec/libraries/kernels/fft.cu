// Fourier transforms of any length, by Stockham's method: a pass for each factor, between two arrays. The compiler is told REAL and NAME, which the
// kernels' names begin with.
#define JOINED(a, b) a##b
#define KERNEL(a, b) JOINED(a, b)

typedef REAL Real;
typedef long long Long;

struct alignas(2 * sizeof(Real)) Complex {
    Real x, y;
    __device__ Complex operator+(Complex o) const { return {x + o.x, y + o.y}; }
    __device__ Complex operator-(Complex o) const { return {x - o.x, y - o.y}; }
    __device__ Complex operator*(Complex o) const { return {x * o.x - y * o.y, x * o.y + y * o.x}; }
    __device__ Complex turned(Real sign) const { return {-sign * y, sign * x}; }     // times i or -i
};

#define EACH(i, n) for (Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (Long)blockDim.x)

// Transforms of `length` points, `apart` numbers from one point to the next. Passes before this one have made each of them `length` / (radix * left)
// of `radix` * `left` points. roots[i] is exp(-2 pi sqrt(-1) i / length), of which inverse transforms take the conjugate.
struct Pass { Long count, apart; int length, radix, left; Real sign; const Complex *roots; };

__device__ Complex root(const Pass &p, Long power)
{
    Complex found = p.roots[power % p.length];
    return {found.x, -p.sign * found.y};
}

// Where a butterfly reads and writes: `point` of x is to be multiplied by the number that goes with `place` in the smaller transforms.
struct Place { Long from, to; int within; };

__device__ Place place(const Pass &p, Long number)
{
    Long inner = number % p.apart, rest = number / p.apart;
    int within = (int)(rest % p.left);
    return {inner + p.apart * rest + rest / p.left * (p.radix - 1) * p.left * p.apart, inner + p.apart * p.radix * rest, within};
}

extern "C" __global__ void KERNEL(NAME, pass_2)(Pass p, const Complex *x, Complex *y)
{
    EACH(i, p.count) {
        Place at = place(p, i);
        Complex a = x[at.from], b = x[at.from + p.left * p.apart];
        y[at.to] = a + b;
        y[at.to + p.apart] = (a - b) * root(p, (Long)at.within * (p.length / (2 * p.left)));
    }
}

extern "C" __global__ void KERNEL(NAME, pass_4)(Pass p, const Complex *x, Complex *y)
{
    EACH(i, p.count) {
        Place at = place(p, i);
        Long step = p.left * p.apart, power = (Long)at.within * (p.length / (4 * p.left));
        Complex a = x[at.from], b = x[at.from + step], c = x[at.from + 2 * step], d = x[at.from + 3 * step];
        Complex even = a + c, odd = b + d, even_less = a - c, odd_less = (b - d).turned(p.sign);
        y[at.to] = even + odd;
        y[at.to + p.apart] = (even_less + odd_less) * root(p, power);
        y[at.to + 2 * p.apart] = (even - odd) * root(p, 2 * power);
        y[at.to + 3 * p.apart] = (even_less - odd_less) * root(p, 3 * power);
    }
}

// Any other factor: a thread for each number that comes out.
extern "C" __global__ void KERNEL(NAME, pass)(Pass p, const Complex *x, Complex *y)
{
    EACH(i, p.count * p.radix) {
        Long number = i / (p.radix * p.apart) * p.apart + i % p.apart;
        int which = (int)(i / p.apart % p.radix), turn = p.length / p.radix;
        Place at = place(p, number);
        Complex sum = {0, 0};
        for (int j = 0; j < p.radix; ++j)
            sum = sum + x[at.from + j * (p.left * p.apart)] * root(p, (Long)((Long)j * which % p.radix) * turn);
        y[i] = sum * root(p, (Long)at.within * which % p.length * (p.length / (p.radix * p.left)));
    }
}

// Arrays of one to three dimensions (the last is the innermost): elements from one to the next along each, and from one transform to the next.
struct Layout { int length[3]; int unused; Long step[3], transform; };

struct Index { int at[3]; Long transform; };

__device__ Index index(const Layout &p, Long number)
{
    Index found;
    for (int axis = 2; axis >= 0; --axis) {
        found.at[axis] = (int)(number % p.length[axis]);
        number /= p.length[axis];
    }
    found.transform = number;
    return found;
}

__device__ Long address(const Layout &p, const Index &i)
{
    return i.transform * p.transform + i.at[0] * p.step[0] + i.at[1] * p.step[1] + i.at[2] * p.step[2];
}

extern "C" __global__ void KERNEL(NAME, gather_complex)(Layout p, Long count, const Complex *from, Complex *to)
{
    EACH(i, count)
        to[i] = from[address(p, index(p, i))];
}

extern "C" __global__ void KERNEL(NAME, gather_real)(Layout p, Long count, const Real *from, Complex *to)
{
    EACH(i, count)
        to[i] = {from[address(p, index(p, i))], 0};
}

// The second half along the last axis is not there: it is that of the conjugates.
extern "C" __global__ void KERNEL(NAME, gather_half)(Layout p, Long count, const Complex *from, Complex *to)
{
    EACH(i, count) {
        Index at = index(p, i);
        bool there = at.at[2] <= p.length[2] / 2;
        if (!there)
            for (int axis = 0; axis < 3; ++axis)
                at.at[axis] = at.at[axis] ? p.length[axis] - at.at[axis] : 0;
        Complex found = from[address(p, at)];
        to[i] = {found.x, there ? found.y : -found.y};
    }
}

extern "C" __global__ void KERNEL(NAME, scatter_complex)(Layout p, Long count, const Complex *from, Complex *to)
{
    EACH(i, count)
        to[address(p, index(p, i))] = from[i];
}

extern "C" __global__ void KERNEL(NAME, scatter_real)(Layout p, Long count, const Complex *from, Real *to)
{
    EACH(i, count)
        to[address(p, index(p, i))] = from[i].x;
}

extern "C" __global__ void KERNEL(NAME, scatter_half)(Layout p, Long count, const Complex *from, Complex *to)
{
    EACH(i, count) {
        Index at = index(p, i);
        if (at.at[2] <= p.length[2] / 2)
            to[address(p, at)] = from[i];
    }
}
