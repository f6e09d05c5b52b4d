/* Rows and boxes, arrays, texture objects and references, surfaces: each part checks what it got. */
#include "cuda_few.h"

void fetch(void) {}
void fetch_row(void) {}
void referenced(void) {}
void store(void) {}
enum { W = 12, H = 5, D = 3 };
static struct { int normalized, filter, address[3], format[5], srgb; unsigned anisotropy; int mipmap[5], reserved[14]; } image;
static const dim3 ONE = {1, 1, 1}, ALL = {W, H, 1}, ROW = {W, 1, 1};
static const struct format FLOATS = {32, 0, 0, 0, 2};
static float pixels[H][W], seen[H][W];

REGISTERS(KERNEL(fetch), KERNEL(fetch_row), KERNEL(referenced), KERNEL(store), __cudaRegisterTexture(handle, &image, 0, "image", 2, 0, 0))

__attribute__((constructor)) static void draw(void)
{
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x)
            pixels[y][x] = 100 * y + x + 0.25f;
}

static void *launched(const void *kernel, dim3 block, unsigned long long handle)
{
    static void *out;
    if (!out)
        CHECK(cudaMalloc(&out, sizeof seen));
    void *given[] = {&out, &handle};
    CHECK(cudaMemset(out, 0, sizeof seen));
    CHECK(cudaLaunchKernel(kernel, ONE, block, given, 0, 0));
    return out;
}

static void fetched(const void *kernel, dim3 block, unsigned long long handle, float (*right)[W], const char *what)
{
    CHECK(cudaMemcpy(seen, launched(kernel, block, handle), sizeof seen, ToHost));
    expect(!memcmp(seen, right, sizeof(float) * W * block.y), what);
}

static void rows(void)
{
    char *from = malloc(4 * 40), *to = calloc(4, 40), *pinned;
    void *there;
    size_t pitch = 0;
    cudaStream_t stream;
    for (int i = 0; i < 160; ++i)
        from[i] = i;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocPitch(&there, &pitch, 10, 4));
    CHECK(cudaMemcpy2D(there, pitch, from, 40, 10, 4, ToDevice));
    CHECK(cudaMemset2D((char *)there + 2, pitch, 7, 3, 2));
    CHECK(cudaMallocHost((void **)&pinned, 4 * 20));
    memset(pinned, -1, 4 * 20);
    CHECK(cudaMemcpy2DAsync(pinned, 20, there, pitch, 10, 4, ToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy2D(to, 40, pinned, 20, 10, 4, 0));
    for (int row = 0; row < 4; ++row)
        for (int x = 0; x < 40; ++x)
            expect(to[40 * row + x] == (x >= 10 ? 0 : row < 2 && x >= 2 && x < 5 ? 7 : (char)(40 * row + x)), "rows");
    expect(pinned[10] == -1 && pinned[79] == -1, "what lies between rows");
}

static void boxes(void)
{
    static char from[D][H][W], to[D][H][W];
    struct pitched there, here = {from, W, W, H}, back = {to, W, W, H};
    for (int i = 0; i < D * H * W; ++i)
        from[0][0][i] = i;
    CHECK(cudaMalloc3D(&there, (struct extent){W, H, D}));
    expect(there.pitch >= W && there.xsize == W && there.ysize == H, "pitched pointer");
    struct parms in = {.srcPtr = here, .dstPtr = there, .extent = {W, H, D}, .kind = ToDevice};
    CHECK(cudaMemcpy3D(&in));
    struct pitched inner = {(char *)there.ptr + there.pitch, there.pitch, W, H};
    CHECK(cudaMemset3D(inner, 9, (struct extent){4, 2, 2}));
    struct parms out = {.srcPtr = there, .srcPos = {1, 0, 1}, .dstPtr = back, .dstPos = {0, 1, 0}, .extent = {W - 1, H - 1, 2}, .kind = ToHost};
    CHECK(cudaMemcpy3DAsync(&out, 0));
    CHECK(cudaDeviceSynchronize());
    for (int z = 0; z < D; ++z)
        for (int y = 0; y < H; ++y)
            for (int x = 0; x < W; ++x) {
                int copied = z < 2 && y && x < W - 1, sy = y - 1, sx = x + 1, sz = z + 1;
                char right = !copied ? 0 : sz < 2 && sy >= 1 && sy < 3 && sx < 4 ? 9 : from[sz][sy][sx];
                expect(to[z][y][x] == right, "boxes");
            }
}

static void *array_of_pixels(unsigned flags)
{
    void *array;
    CHECK(cudaMallocArray(&array, &FLOATS, W, H, flags));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, pixels, sizeof *pixels, sizeof *pixels, H, ToDevice));
    return array;
}

static void arrays(void)
{
    void *array = array_of_pixels(0), *other, *solid;
    struct format format = {0}, made = cudaCreateChannelDesc(8, 8, 0, 0, 1);
    struct extent extent = {0};
    unsigned flags = 77;
    CHECK(cudaArrayGetInfo(&format, &extent, &flags, array));
    expect(!memcmp(&format, &FLOATS, sizeof format) && extent.width == W && extent.height == H && !extent.depth && !flags, "what an array is");
    expect(made.x == 8 && made.y == 8 && !made.z && made.f == 1, "a format");
    CHECK(cudaMallocArray(&other, &FLOATS, W, H, 0));
    CHECK(cudaMemcpy2DArrayToArray(other, 4, 1, array, 8, 2, 16, 3, 3));
    CHECK(cudaMemcpyToArray(other, 0, 0, pixels, 4, ToDevice));
    CHECK(cudaMemcpy2DFromArray(seen, sizeof *seen, other, 0, 0, sizeof *seen, H, ToHost));
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x)
            expect(seen[y][x] == (y >= 1 && y < 4 && x >= 1 && x < 5 ? pixels[y + 1][x + 1] : x + y ? 0 : pixels[0][0]), "copies of arrays");
    CHECK(cudaMemcpyFromArray(seen, array, 4 * (W - 1), 0, 8, ToHost));
    expect(seen[0][0] == pixels[0][W - 1] && seen[0][1] == pixels[1][0], "bytes over the end of a row");
    static short from[2][3][4][2], to[2][3][4][2];
    struct format pairs = {16, 16, 0, 0, 0};
    for (int i = 0; i < 48; ++i)
        from[0][0][0][i] = i;
    CHECK(cudaMalloc3DArray(&solid, &pairs, (struct extent){4, 3, 2}, 0));
    struct parms in = {.srcPtr = {from, 16, 4, 3}, .dstArray = solid, .extent = {4, 3, 2}, .kind = ToDevice};
    struct parms out = {.srcArray = solid, .srcPos = {1, 1, 1}, .dstPtr = {to, 16, 4, 3}, .extent = {3, 2, 1}, .kind = ToHost};
    CHECK(cudaMemcpy3D(&in));
    CHECK(cudaMemcpy3D(&out));
    for (int y = 0; y < 2; ++y)
        expect(!memcmp(to[0][y], from[1][y + 1][1], 12), "a box of an array");
    expect(!to[0][0][3][0] && !to[1][0][0][0], "what lies behind it");
    CHECK(cudaFreeArray(array));
    CHECK(cudaFreeArray(0));
    expect(cudaGetChannelDesc(&format, array) == 400, "an array that was freed");
}

static void objects(void)
{
    void *array = array_of_pixels(0), *linear, *pitched;
    size_t pitch;
    struct resource resource = {.kind = 0, .array = {array}}, back;
    struct texture how = {.address = {1, 1, 1}}, how_back;
    unsigned long long texture = 0;
    memset((char *)&resource + 64, 0xaa, sizeof resource - 64);     /* CUDA 10, which compiled this program, ends it there */
    memset(&back, 0x55, sizeof back);
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, 0));
    CHECK(cudaGetTextureObjectResourceDesc(&back, texture));
    expect(back.flags == 0x55555555 && !memcmp(&resource, &back, 64), "the bytes of a resource");
    memset(&how_back, 0x55, sizeof how_back);
    CHECK(cudaGetTextureObjectTextureDesc(&how_back, texture));
    expect(back.array.array == array && how_back.seamless == 0x55555555 && !memcmp(&how, &how_back, sizeof how - 4), "what a texture was made by");
    fetched(fetch, ALL, texture, pixels, "a texture of an array");
    void *out = launched(fetch, ALL, texture);
    CHECK(cudaDestroyTextureObject(texture));      /* the launch has it still */
    CHECK(cudaMemcpy(seen, out, sizeof seen, ToHost));
    expect(!memcmp(seen, pixels, sizeof seen), "a texture that is destroyed behind a launch");
    expect(cudaDestroyTextureObject(texture) == 1, "a texture that was destroyed");

    CHECK(cudaMalloc(&linear, sizeof pixels));
    CHECK(cudaMemcpy(linear, pixels, sizeof pixels, ToDevice));
    struct resource row = {.kind = 2, .linear = {linear, FLOATS, sizeof pixels}};
    CHECK(cudaCreateTextureObject(&texture, &row, &how, 0));
    fetched(fetch_row, ROW, texture, pixels, "a texture of linear memory");
    row.linear.bytes *= 64;
    CHECK(cudaCreateTextureObject(&texture, &row, &how, 0));
    fetched(fetch_row, ROW, texture, pixels, "a texture of linear memory that is larger than its allocation");

    CHECK(cudaMallocPitch(&pitched, &pitch, sizeof *pixels, H));
    CHECK(cudaMemcpy2D(pitched, pitch, pixels, sizeof *pixels, sizeof *pixels, H, ToDevice));
    struct resource plane = {.kind = 3, .rows = {pitched, FLOATS, W, H, pitch}};
    CHECK(cudaCreateTextureObject(&texture, &plane, &how, 0));
    fetched(fetch, ALL, texture, pixels, "a texture of rows");
}

static void references(void)
{
    size_t offset = 1;
    void *array = array_of_pixels(0), *pitched, *out;
    size_t pitch;
    image.address[0] = image.address[1] = 1;
    CHECK(cudaBindTextureToArray(&image, array, &FLOATS));
    fetched(referenced, ALL, 0, pixels, "a reference to an array");
    CHECK(cudaMallocPitch(&pitched, &pitch, sizeof *pixels, H));
    CHECK(cudaMemset2D(pitched, pitch, 0, sizeof *pixels, H));
    out = launched(referenced, ALL, 0);
    CHECK(cudaBindTexture2D(&offset, &image, pitched, &FLOATS, W, H, pitch));
    CHECK(cudaMemcpy(seen, out, sizeof seen, ToHost));
    expect(!offset && !memcmp(seen, pixels, sizeof seen), "a reference that is bound anew behind a launch");
    static float zeros[H][W];
    fetched(referenced, ALL, 0, zeros, "a reference to rows");
    CHECK(cudaUnbindTexture(&image));
    launched(referenced, ALL, 0);
    expect(cudaDeviceSynchronize() == 719, "a reference to nothing");
}

static void surfaces(void)
{
    void *array = array_of_pixels(2), *plain = array_of_pixels(0);
    struct resource resource = {.kind = 0, .array = {array}}, other = {.kind = 0, .array = {plain}}, back;
    unsigned long long surface = 0;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    CHECK(cudaGetSurfaceObjectResourceDesc(&back, surface));
    expect(back.array.array == array, "what a surface was made of");
    expect(cudaCreateSurfaceObject(&surface + 1, &other) == 1, "a surface of an array without the flag");
    launched(store, ALL, surface);
    CHECK(cudaMemcpy2DFromArray(seen, sizeof *seen, array, 0, 0, sizeof *seen, H, ToHost));
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x)
            expect(seen[y][x] == 10 * y + x, "a surface");
    CHECK(cudaDestroySurfaceObject(surface));
    expect(cudaDestroySurfaceObject(surface) == 1, "a surface that was destroyed");
}

static void mipmaps(void)
{
    void *mipmaps, *level, *same, *none;
    struct extent extent;
    unsigned long long texture;
    CHECK(cudaMallocMipmappedArray(&mipmaps, &FLOATS, (struct extent){W, H, 0}, 9, 0));
    CHECK(cudaGetMipmappedArrayLevel(&level, mipmaps, 3));
    CHECK(cudaArrayGetInfo(0, &extent, 0, level));
    expect(extent.width == 1 && extent.height == 1 && !extent.depth, "the smallest level");
    expect(cudaGetMipmappedArrayLevel(&none, mipmaps, 4) == 1, "a level behind it");
    CHECK(cudaGetMipmappedArrayLevel(&level, mipmaps, 1));
    CHECK(cudaGetMipmappedArrayLevel(&same, mipmaps, 1));
    CHECK(cudaArrayGetInfo(0, &extent, 0, level));
    expect(same == level && extent.width == W / 2 && extent.height == H / 2, "a level");
    CHECK(cudaMemcpy2DToArray(level, 0, 0, pixels, sizeof *pixels, sizeof *pixels / 2, H / 2, ToDevice));
    struct resource resource = {.kind = 1, .array = {mipmaps}};
    struct texture how = {.normalized = 1, .mipmap_filter = 1, .least = 1, .most = 1}, all = {.normalized = 1, .most = 3}, texels = {.least = 1, .most = 1};
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, 0));
    CHECK(cudaMemcpy(seen, launched(fetch, ALL, texture), sizeof seen, ToHost));
    expect(seen[0][0] == pixels[1][3] && seen[H - 1][W - 1] == pixels[1][3], "the middle of a level");
    how.least = how.most = 0;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, 0));
    CHECK(cudaMemcpy(seen, launched(fetch, ALL, texture), sizeof seen, ToHost));
    expect(!seen[0][0], "the largest level");
    expect(cudaCreateTextureObject(&texture, &resource, &all, 0) == 801, "a texture of several levels");
    expect(cudaCreateTextureObject(&texture, &resource, &texels, 0) == 1, "coordinates that are not normalized");
    CHECK(cudaFreeArray(level));            /* it stays part of the whole, as on an H100 */
    CHECK(cudaFreeMipmappedArray(mipmaps));
    CHECK(cudaFreeMipmappedArray(0));
    expect(cudaGetMipmappedArrayLevel(&level, mipmaps, 0) == 400 && cudaArrayGetInfo(0, &extent, 0, level) == 400, "levels that were freed");
}

static void wrong(void)
{
    void *array = array_of_pixels(0), *none, *there;
    struct format three = {8, 8, 8, 0, 1}, uneven = {8, 16, 0, 0, 1};
    struct resource resource = {.kind = 0, .array = {array}}, mipmaps = {.kind = 1}, freed = {.kind = 0, .array = {(void *)0x1234}};
    struct resource host = {.kind = 2, .linear = {pixels, FLOATS, 64}}, past = {.kind = 2}, uneven_rows = {.kind = 3};
    struct texture how = {.address = {1, 1, 1}}, unknown = {.address = {1, 9, 1}}, coloured = {.address = {3, 3, 3}, .border = {1, 0, 0, 0}};
    struct parms two = {.srcArray = array, .srcPtr = {pixels, 48, W, H}, .dstArray = array, .extent = {1, 1, 1}, .kind = ToDevice};
    struct parms past_end = {.srcPtr = {pixels, 48, W, H}, .dstArray = array, .dstPos = {8, 0, 0}, .extent = {8, 1, 1}, .kind = ToDevice};
    unsigned long long handle;
    CHECK(cudaMalloc(&there, 4096));
    past.linear.pointer = there, past.linear.format = FLOATS, past.linear.bytes = (size_t)1 << 40;
    uneven_rows.rows.pointer = there, uneven_rows.rows.format = FLOATS, uneven_rows.rows.width = W, uneven_rows.rows.height = H, uneven_rows.rows.pitch = 50;
    SAY(cudaMallocArray(&none, &three, 4, 4, 0));
    SAY(cudaMallocArray(&none, &uneven, 4, 4, 0));
    SAY(cudaMallocArray(&none, &FLOATS, 0, 4, 0));
    SAY(cudaMallocArray(&none, &FLOATS, (size_t)1 << 40, (size_t)1 << 40, 0));
    SAY(cudaMallocArray(&none, &FLOATS, 4, 4, 0x40));
    SAY(cudaMalloc3DArray(&none, &FLOATS, (struct extent){4, 5, 6}, 4));
    SAY(cudaMallocMipmappedArray(&none, &FLOATS, (struct extent){(size_t)1 << 40, (size_t)1 << 40, 0}, 2, 0));
    SAY(cudaFreeArray(there));
    SAY(cudaMemcpy2DToArray(array, 4, 0, pixels, sizeof *pixels, sizeof *pixels, H, ToDevice));
    SAY(cudaMemcpy2DToArray(array, 0, 0, pixels, 8, sizeof *pixels, H, ToDevice));
    SAY(cudaMemcpy2DToArray(array, 1, 0, pixels, 8, 8, 1, ToDevice));
    SAY(cudaMemcpy2DToArray(array, 0, 0, pixels, sizeof *pixels, sizeof *pixels, H, ToHost));
    SAY(cudaMemcpy2DToArray(array, 0, 0, (void *)16, sizeof *pixels, sizeof *pixels, H, ToDevice));
    SAY(cudaMemcpyToArray(array, 0, 0, pixels, sizeof pixels + 1, ToDevice));
    SAY(cudaMemcpy3D(&two));
    SAY(cudaMemcpy3D(&past_end));
    SAY(cudaMemcpy3D((struct parms *)8));
    SAY(cudaMemcpy2D(there, (size_t)-1, pixels, (size_t)-1, 8, 5, ToDevice));
    SAY(cudaMemcpy2D(there, 2048, pixels, 48, 48, 3, ToDevice));
    SAY(cudaMemset2D(there, 16, 0, 32, 2));
    SAY(cudaMemset2D(there, (size_t)1 << 63, 0, 32, 2));
    SAY(cudaMallocPitch(&none, &(size_t){0}, (size_t)1 << 62, (size_t)1 << 62));
    SAY(cudaCreateTextureObject(&handle, &freed, &how, 0));
    SAY(cudaCreateTextureObject(&handle, &mipmaps, &how, 0));
    SAY(cudaCreateTextureObject(&handle, &host, &how, 0));
    SAY(cudaCreateTextureObject(&handle, &past, &how, 0));
    SAY(cudaCreateTextureObject(&handle, &uneven_rows, &how, 0));
    SAY(cudaCreateTextureObject(&handle, &resource, &unknown, 0));
    SAY(cudaCreateTextureObject(&handle, &resource, &coloured, 0));
    SAY(cudaCreateTextureObject(&handle, &resource, &how, &how));
    SAY(cudaCreateTextureObject(&handle, (struct resource *)8, &how, 0));
    SAY(cudaDestroyTextureObject(1234));
    SAY(cudaBindTextureToArray(&handle, array, &FLOATS));
    SAY(cudaBindTextureToArray(&image, array, &three));
    CHECK(cudaCreateTextureObject(&handle, &resource, &how, 0));
    CHECK(cudaFreeArray(array));
    launched(fetch, ALL, handle);
    SAY(cudaDeviceSynchronize());
}

static void no_texture(void)
{
    launched(fetch, ALL, 1234);
    SAY(cudaDeviceSynchronize());
}

PARTS({"rows", rows}, {"boxes", boxes}, {"arrays", arrays}, {"objects", objects}, {"references", references}, {"surfaces", surfaces}, {"mipmaps", mipmaps},
      {"wrong", wrong}, {"no_texture", no_texture})
