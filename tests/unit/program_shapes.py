"""Programs of every shape, of any size: what takes lowering longer than in proportion to their length shows in one of them."""
HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"


def kernel(lines, decl="", params=".param .u64 out, .param .u32 n", name="k"):
    return (f".visible .entry {name}({params})\n{{\n{decl}\n" + "\n".join(lines) + "\nret;\n}\n")


def straight(n):
    """Arithmetic on few registers, written again and again."""
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;"]
    b += [f"add.s32 %r{k%50+1}, %r{(k*7)%50}, %r{(k*3+1)%50};" for k in range(n)]
    b += [f"st.global.u32 [%rd1+{4*k}], %r{k};" for k in range(50)]
    return HEAD + kernel(b, ".reg .b32 %r<64>; .reg .b64 %rd<4>;")


def ssa(n):
    """Arithmetic, each value in a register of its own."""
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;"]
    b += [f"mad.lo.s32 %r{k+1}, %r{max(0,k-20)}, %r{max(0, k-(k*13)%40)}, {k};" for k in range(n)]
    b += [f"st.global.u32 [%rd1], %r{n};"]
    return HEAD + kernel(b, f".reg .b32 %r<{n+2}>; .reg .b64 %rd<4>;")


def chain(n):
    """Each operation waits for the one before."""
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;"]
    b += [f"mul.lo.s32 %r{k+1}, %r{k}, %r0;" for k in range(n)]
    b += [f"st.global.u32 [%rd1], %r{n};"]
    return HEAD + kernel(b, f".reg .b32 %r<{n+2}>; .reg .b64 %rd<4>;")


def floats(n):
    """A hundred chains of fused multiply-adds, with constants."""
    b = ["ld.param.u64 %rd1, [out];", "mov.f32 %f0, 0f3F800000;"]
    b += [f"fma.rn.f32 %f{k%100+1}, %f{k%100+1 if k>=100 else 0}, %f0, %f0;" for k in range(n)]
    b += [f"st.global.f32 [%rd1+{4*k}], %f{k};" for k in range(100)]
    return HEAD + kernel(b, ".reg .f32 %f<128>; .reg .b64 %rd<4>;")


def loads(n):
    """Loads from one base, each added to a sum."""
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, 0;"]
    for k in range(n // 2):
        b += [f"ld.global.u32 %r{2*k+1}, [%rd1+{4*k}];", f"add.s32 %r{2*k+2}, %r{2*k}, %r{2*k+1};"]
    b += [f"st.global.u32 [%rd1], %r{n//2*2};"]
    return HEAD + kernel(b, f".reg .b32 %r<{n+4}>; .reg .b64 %rd<4>;")


def stores(n):
    """Stores to one base."""
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;"]
    b += [f"st.global.u32 [%rd1+{4*k}], %r0;" for k in range(n)]
    return HEAD + kernel(b, ".reg .b32 %r<4>; .reg .b64 %rd<4>;")


def mixed(n):
    """Loads and stores, one behind the other."""
    b = ["ld.param.u64 %rd1, [out];"]
    for k in range(n // 3):
        b += [f"ld.global.u32 %r{2*k+1}, [%rd1+{8*k}];", f"add.s32 %r{2*k+2}, %r{2*k+1}, {k};", f"st.global.u32 [%rd1+{8*k+4}], %r{2*k+2};"]
    return HEAD + kernel(b, f".reg .b32 %r<{n+4}>; .reg .b64 %rd<4>;")


def pointers(n):
    """Every access has an address of its own."""
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;"]
    for k in range(n // 5):
        b += [f"add.s32 %r{2*k+1}, %r0, {k};", f"mul.wide.s32 %rd{2*k+2}, %r{2*k+1}, 4;", f"add.s64 %rd{2*k+3}, %rd1, %rd{2*k+2};",
              f"ld.global.u32 %r{2*k+2}, [%rd{2*k+3}];", f"st.global.u32 [%rd{2*k+3}+4096], %r{2*k+2};"]
    return HEAD + kernel(b, f".reg .b32 %r<{n+4}>; .reg .b64 %rd<{n+4}>;")


def shared(n):
    """Loads and stores of shared memory."""
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;"]
    for k in range(n // 3):
        b += [f"ld.shared.u32 %r{2*k+1}, [s+{4*k%4096}];", f"xor.b32 %r{2*k+2}, %r{2*k+1}, %r0;", f"st.shared.u32 [s+{(4*k+512)%4096}], %r{2*k+2};"]
    return HEAD + kernel(b, f".shared .align 16 .b8 s[4096]; .reg .b32 %r<{n+4}>; .reg .b64 %rd<4>;")


def barriers(n):
    """Barriers between accesses to shared memory."""
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;"]
    for k in range(n // 4):
        b += [f"st.shared.u32 [s+{4*k%4096}], %r0;", "bar.sync 0;", f"ld.shared.u32 %r1, [s+{(4*k+4)%4096}];", "add.s32 %r0, %r0, %r1;"]
    b += ["st.global.u32 [%rd1], %r0;"]
    return HEAD + kernel(b, ".shared .align 16 .b8 s[4096]; .reg .b32 %r<4>; .reg .b64 %rd<4>;")


def ifs(n):
    """Many short conditionals."""
    b = ["ld.param.u64 %rd1, [out];", "ld.param.u32 %r1, [n];", "mov.u32 %r0, %tid.x;"]
    for k in range(n // 4):
        b += [f"setp.lt.s32 %p{k}, %r0, {k};", f"@%p{k} bra L{k};", "add.s32 %r0, %r0, %r1;", f"L{k}:", "xor.b32 %r1, %r1, %r0;"]
    b += ["st.global.u32 [%rd1], %r1;"]
    return HEAD + kernel(b, f".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<{n//4+1}>;")


def elses(n):
    """Conditionals with two long sides."""
    b = ["ld.param.u64 %rd1, [out];", "ld.param.u32 %r1, [n];", "mov.u32 %r0, %tid.x;"]
    for k in range(n // 22):
        b += [f"setp.lt.s32 %p1, %r0, {k};", f"@%p1 bra A{k};"]
        b += [f"mad.lo.s32 %r{2+j%4}, %r{2+(j+1)%4}, %r1, {j};" for j in range(8)] + [f"st.global.u32 [%rd1+{4*k}], %r2;"]
        b += [f"bra.uni B{k};", f"A{k}:"]
        b += [f"mad.lo.s32 %r{2+j%4}, %r{2+(j+2)%4}, %r0, {j+k};" for j in range(8)] + [f"ld.global.u32 %r3, [%rd1+{4*k}];", f"B{k}:"]
    b += [f"st.global.u32 [%rd1], %r{j};" for j in range(6)]
    return HEAD + kernel(b, ".reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<4>;")


def nested(n):
    """Branches within branches."""
    b = ["ld.param.u64 %rd1, [out];", "ld.param.u32 %r1, [n];", "mov.u32 %r0, %tid.x;"]
    m = n // 6
    for k in range(m):
        b += [f"setp.lt.s32 %p1, %r0, {k};", f"@%p1 bra L{k};", "add.s32 %r0, %r0, %r1;", f"st.global.u32 [%rd1+{4*k}], %r0;"]
    for k in reversed(range(m)):
        b += [f"L{k}:", f"st.global.u32 [%rd1+{4*k+4000}], %r1;", "add.s32 %r1, %r1, 1;"]
    return HEAD + kernel(b, ".reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<4>;")


def loops(n):
    """Many short loops."""
    b = ["ld.param.u64 %rd1, [out];", "ld.param.u32 %r1, [n];", "mov.u32 %r0, %tid.x;"]
    for k in range(n // 6):
        b += ["mov.u32 %r2, 0;", f"L{k}:", f"ld.global.u32 %r3, [%rd1+{4*k}];", "add.s32 %r0, %r0, %r3;", "add.s32 %r2, %r2, 1;", "setp.lt.s32 %p1, %r2, %r1;", f"@%p1 bra L{k};"]
    b += ["st.global.u32 [%rd1], %r0;"]
    return HEAD + kernel(b, ".reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<4>;")


def nests(n):
    """Loops within loops, ten deep."""
    b = ["ld.param.u64 %rd1, [out];", "ld.param.u32 %r1, [n];", "mov.u32 %r0, %tid.x;"]
    for k in range(n // 50):
        for d in range(10):
            b += [f"mov.u32 %r{2+d}, 0;", f"L{k}_{d}:"]
        b += ["ld.global.u32 %r20, [%rd1];", "add.s32 %r0, %r0, %r20;"]
        for d in reversed(range(10)):
            b += [f"add.s32 %r{2+d}, %r{2+d}, 1;", f"setp.lt.s32 %p1, %r{2+d}, %r1;", f"@%p1 bra L{k}_{d};"]
    b += ["st.global.u32 [%rd1], %r0;"]
    return HEAD + kernel(b, ".reg .b32 %r<32>; .reg .b64 %rd<4>; .reg .pred %p<4>;")


def switches(n):
    """One switch with many cases."""
    b = ["ld.param.u64 %rd1, [out];", "ld.param.u32 %r1, [n];", "mov.u32 %r0, %tid.x;"]
    m = n // 3
    b += ["T: .branchtargets " + ", ".join(f"C{k}" for k in range(m)) + ";", "brx.idx %r0, T;"]
    for k in range(m):
        b += [f"C{k}:", f"mad.lo.s32 %r1, %r1, %r0, {k};", f"st.global.u32 [%rd1+{4*k}], %r1;", "bra E;"]
    b += ["E:", "st.global.u32 [%rd1], %r0;"]
    return HEAD + kernel(b, ".reg .b32 %r<4>; .reg .b64 %rd<4>;")


def many_switches(n):
    """Many switches with few cases."""
    b = ["ld.param.u64 %rd1, [out];", "ld.param.u32 %r1, [n];", "mov.u32 %r0, %tid.x;"]
    for s in range(n // 25):
        b += [f"T{s}: .branchtargets " + ", ".join(f"C{s}_{k}" for k in range(8)) + ";", f"brx.idx %r0, T{s};"]
        for k in range(8):
            b += [f"C{s}_{k}:", f"mad.lo.s32 %r1, %r1, %r0, {k};", f"st.global.u32 [%rd1+{4*k}], %r1;", f"bra E{s};"]
        b += [f"E{s}:"]
    b += ["st.global.u32 [%rd1], %r1;"]
    return HEAD + kernel(b, ".reg .b32 %r<4>; .reg .b64 %rd<4>;")


def labels(n):
    """Labels that nobody names."""
    b = ["ld.param.u64 %rd1, [out];", "ld.param.u32 %r1, [n];", "mov.u32 %r0, %tid.x;"]
    for k in range(n):
        b += [f"L{k}:", "add.s32 %r0, %r0, %r1;"]
    b += ["st.global.u32 [%rd1], %r0;"]
    return HEAD + kernel(b, ".reg .b32 %r<4>; .reg .b64 %rd<4>;")


def jumps(n):
    """Blocks in a scattered order, joined by branches."""
    m = n // 3
    b = ["ld.param.u64 %rd1, [out];", "ld.param.u32 %r1, [n];", "mov.u32 %r0, %tid.x;", "bra L0;"]
    order = [(k * 7919) % m for k in range(m)] if m % 7919 else list(range(m))
    for k in order:
        b += [f"L{k}:", f"add.s32 %r0, %r0, {k};", f"st.global.u32 [%rd1+{4*k}], %r0;", f"bra L{k+1};"]
    b += [f"L{m}:", "st.global.u32 [%rd1], %r0;"]
    return HEAD + kernel(b, ".reg .b32 %r<4>; .reg .b64 %rd<4>;")


def calls(n):
    """Many calls of one function."""
    f = ".func (.param .b32 r) f(.param .b32 a)\n{ .reg .b32 %r<4>; ld.param.b32 %r1, [a]; add.s32 %r1, %r1, 3; st.param.b32 [r], %r1; ret; }\n"
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;"]
    for _k in range(n // 5):
        b += ["{ .param .b32 p; .param .b32 q;", "st.param.b32 [p], %r0;", "call.uni (q), f, (p);", "ld.param.b32 %r0, [q]; }"]
    b += ["st.global.u32 [%rd1], %r0;"]
    return HEAD + f + kernel(b, ".reg .b32 %r<4>; .reg .b64 %rd<4>;")


def functions(n):
    """Many functions."""
    m = n // 8
    f = ""
    for k in range(m):
        f += f".func (.param .b32 r) f{k}(.param .b32 a)\n{{ .reg .b32 %r<4>; ld.param.b32 %r1, [a]; add.s32 %r1, %r1, {k}; st.param.b32 [r], %r1; ret; }}\n"
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;"]
    for k in range(m):
        b += ["{ .param .b32 p; .param .b32 q;", "st.param.b32 [p], %r0;", f"call.uni (q), f{k}, (p);", "ld.param.b32 %r0, [q]; }"]
    b += ["st.global.u32 [%rd1], %r0;"]
    return HEAD + f + kernel(b, ".reg .b32 %r<4>; .reg .b64 %rd<4>;")


def call_chain(n):
    """Functions each of which calls the one before."""
    m = max(1, n // 8)
    f = ".func (.param .b32 r) f0(.param .b32 a)\n{ .reg .b32 %r<4>; ld.param.b32 %r1, [a]; st.param.b32 [r], %r1; ret; }\n"
    for k in range(1, m):
        f += (f".func (.param .b32 r) f{k}(.param .b32 a)\n{{ .reg .b32 %r<4>; .param .b32 p; .param .b32 q; ld.param.b32 %r1, [a]; st.param.b32 [p], %r1;"
              f" call.uni (q), f{k - 1}, (p); ld.param.b32 %r1, [q]; add.s32 %r1, %r1, {k}; st.param.b32 [r], %r1; ret; }}\n")
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;", "{ .param .b32 p; .param .b32 q;", "st.param.b32 [p], %r0;", f"call.uni (q), f{m - 1}, (p);",
         "ld.param.b32 %r0, [q]; }", "st.global.u32 [%rd1], %r0;"]
    return HEAD + f + kernel(b, ".reg .b32 %r<4>; .reg .b64 %rd<4>;")


def predicates(n):
    """Many comparisons and guards."""
    m = n // 3
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;"]
    for k in range(m):
        b += [f"setp.lt.s32 %p{k+1}, %r0, {k};", f"@%p{k+1} add.s32 %r0, %r0, 1;", f"@!%p{max(1,k-3)} xor.b32 %r0, %r0, {k};"]
    b += ["st.global.u32 [%rd1], %r0;"]
    return HEAD + kernel(b, f".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<{m+2}>;")


def variables(n):
    """Many variables in global memory."""
    v = "".join(f".global .align 4 .u32 g{k} = {k};\n" for k in range(n // 2))
    b = ["mov.u32 %r0, %tid.x;"] + [f"st.global.u32 [g{k}], %r0;" for k in range(n // 2)]
    return HEAD + v + kernel(b, ".reg .b32 %r<4>; .reg .b64 %rd<4>;")


def pressure(n):
    """400 values alive at once, in straight code."""
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;"]
    w = 400
    b += [f"ld.global.u32 %r{k+1}, [%rd1+{4*k}];" for k in range(w)]
    b += [f"mad.lo.s32 %r{k%w+1}, %r{(k+1)%w+1}, %r0, {k%9};" for k in range(n - 2 * w if n > 3 * w else n)]
    b += [f"st.global.u32 [%rd1+{4*k}], %r{k+1};" for k in range(w)]
    return HEAD + kernel(b, f".reg .b32 %r<{w+4}>; .reg .b64 %rd<4>;")


def wide_pressure(n):
    """As many values alive at once as there are."""
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;"]
    m = n // 2
    b += [f"ld.global.u32 %r{k+1}, [%rd1+{4*k}];" for k in range(m)]
    b += [f"st.global.u32 [%rd1+{4*k}], %r{m-k};" for k in range(m)]
    return HEAD + kernel(b, f".reg .b32 %r<{m+4}>; .reg .b64 %rd<4>;")


def long_lives(n):
    """Values that are alive across many branches."""
    m, w = n // 5, 60
    b = ["ld.param.u64 %rd1, [out];", "ld.param.u32 %r0, [n];"]
    b += [f"ld.global.u32 %r{k+1}, [%rd1+{4*k}];" for k in range(w)]
    for k in range(m):
        b += [f"setp.lt.s32 %p1, %r0, {k};", f"@%p1 bra L{k};", f"st.global.u32 [%rd1+{4*k}], %r{k%w+1};", f"add.s32 %r{k%w+1}, %r0, {k};", f"L{k}:", "bar.sync 0;"]
    b += [f"st.global.u32 [%rd1+{4*k}], %r{k+1};" for k in range(w)]
    return HEAD + kernel(b, f".reg .b32 %r<{w+4}>; .reg .b64 %rd<4>; .reg .pred %p<2>;")


def vectors(n):
    """Wide loads and stores."""
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;"]
    for k in range(n // 2):
        r = 4 * k + 1
        b += [f"ld.global.v4.u32 {{%r{r}, %r{r+1}, %r{r+2}, %r{r+3}}}, [%rd1+{16*k}];", f"st.global.v4.u32 [%rd1+{16*k+8192}], {{%r{r+3}, %r{r+2}, %r{r+1}, %r{r}}};"]
    return HEAD + kernel(b, f".reg .b32 %r<{4*n+8}>; .reg .b64 %rd<4>;")


def kernels(n):
    """Many kernels in one module."""
    t = ""
    for k in range(n // 10):
        t += kernel(["ld.param.u64 %rd1, [out];"] + [f"add.s32 %r{j+1}, %r{j}, 1;" for j in range(7)] + ["st.global.u32 [%rd1], %r7;"], ".reg .b32 %r<9>; .reg .b64 %rd<4>;", name=f"k{k}")
    return HEAD + t + kernel(["ret;"])


def locs(n):
    """A place in the source for each instruction."""
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;"]
    for k in range(n // 2):
        b += [f".loc {k%50+1} {k+1} 3", f"add.s32 %r0, %r0, {k};", f".loc 1 {k+1} 3, function_name I{k%5}, inlined_at 2 {k+1} 4", "xor.b32 %r0, %r0, 5;"]
    b += ["st.global.u32 [%rd1], %r0;"]
    return HEAD + kernel(b, ".reg .b32 %r<4>; .reg .b64 %rd<4>;") + "".join(f'.file {k+1} "f{k}.cu"\n' for k in range(50)) + "".join(f".section .debug_str {{ I{k}: .b8 1 }}\n" for k in range(5))


def divisions(n):
    """Divisions of integers and floating-point numbers."""
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;", "mov.f32 %f0, 0f40000000;"]
    for k in range(n // 4):
        b += [f"div.rn.f32 %f{k+1}, %f{k}, %f0;", f"div.s32 %r{k+1}, %r{k}, %r0;", f"rem.s32 %r{k+1}, %r{k+1}, %r0;", f"div.full.f32 %f{k+1}, %f{k+1}, %f{k};"]
    b += [f"st.global.u32 [%rd1], %r{n//4};", f"st.global.f32 [%rd1+4], %f{n//4};"]
    return HEAD + kernel(b, f".reg .b32 %r<{n+4}>; .reg .f32 %f<{n+4}>; .reg .b64 %rd<4>;")


def constants(n):
    """Loads from constant memory."""
    b = ["ld.param.u64 %rd1, [out];"]
    b += [f"ld.const.u32 %r{k+1}, [c+{4*k%8192}];" if k % 2 == 0 else f"st.global.u32 [%rd1+{4*k}], %r{k};" for k in range(n)]
    return HEAD + ".const .align 16 .b8 c[8192];\n" + kernel(b, f".reg .b32 %r<{n+4}>; .reg .b64 %rd<4>;")


def parameters(n):
    """Many parameters."""
    m = min(n // 4, 1000)
    b = ["ld.param.u64 %rd1, [out];"]
    for k in range(n // 2):
        b += [f"ld.param.u32 %r{2*k+1}, [p{k%m}];", f"st.global.u32 [%rd1+{4*k}], %r{2*k+1};"]
    return HEAD + kernel(b, f".reg .b32 %r<{n+4}>; .reg .b64 %rd<4>;", ".param .u64 out, " + ", ".join(f".param .u32 p{k}" for k in range(m)))


def atomics(n):
    """Atomic operations, with and without a result."""
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;"]
    for k in range(n // 2):
        b += [f"atom.global.add.u32 %r{k+1}, [%rd1+{4*k}], %r0;", f"red.global.add.u32 [%rd1+{4*k+4}], 1;"]
    b += [f"st.global.u32 [%rd1], %r{n//2};"]
    return HEAD + kernel(b, f".reg .b32 %r<{n+4}>; .reg .b64 %rd<4>;")


def shuffles(n):
    """Exchanges among lanes, and votes."""
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;"]
    for k in range(n // 3):
        b += [f"shfl.sync.bfly.b32 %r{2*k+1}|%p1, %r{2*k}, 1, 31, -1;", f"add.s32 %r{2*k+2}, %r{2*k}, %r{2*k+1};", "vote.sync.any.pred %p2, %p1, -1;"]
    b += [f"st.global.u32 [%rd1], %r{n//3*2};"]
    return HEAD + kernel(b, f".reg .b32 %r<{n+4}>; .reg .b64 %rd<4>; .reg .pred %p<4>;")


def copies(n):
    """A chain of copies."""
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;"]
    b += [f"mov.u32 %r{k+1}, %r{k};" for k in range(n)] + [f"st.global.u32 [%rd1], %r{n};"]
    return HEAD + kernel(b, f".reg .b32 %r<{n+4}>; .reg .b64 %rd<4>;")


def dead(n):
    """A chain that nobody reads."""
    b = ["ld.param.u64 %rd1, [out];", "mov.u32 %r0, %tid.x;"]
    b += [f"mul.lo.s32 %r{k+1}, %r{k}, %r0;" for k in range(n)] + ["st.global.u32 [%rd1], %r0;"]
    return HEAD + kernel(b, f".reg .b32 %r<{n+4}>; .reg .b64 %rd<4>;")


def phis(n):
    """Values with two definitions each, one on either side of a branch: copies of compilers."""
    b = ["ld.param.u64 %rd1, [out];", "ld.param.u32 %r0, [n];"]
    for k in range(n // 5):
        b += [f"mov.u32 %r{k+1}, %r{k};", f"setp.gt.s32 %p{k+1}, %r{k}, {k};", f"@%p{k+1} bra L{k};", f"ld.global.u32 %r{k+1}, [%rd1+{4*k}];", "bar.sync 0;", f"L{k}:"]
    b += [f"st.global.u32 [%rd1], %r{n//5};"]
    return HEAD + kernel(b, f".reg .b32 %r<{n+4}>; .reg .b64 %rd<4>; .reg .pred %p<{n+2}>;")


def exits(n):
    """Many branches to the end."""
    b = ["ld.param.u64 %rd1, [out];", "ld.param.u32 %r0, [n];"]
    for k in range(n // 4):
        b += [f"setp.gt.s32 %p1, %r0, {k};", "@%p1 bra END;", f"st.global.u32 [%rd1+{4*k}], %r0;", "add.s32 %r0, %r0, 3;"]
    b += ["END:"]
    return HEAD + kernel(b, ".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;")


SHAPES = {name: made for name, made in globals().items() if callable(made) and name != "kernel"}
