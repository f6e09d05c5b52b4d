/* Arrays, copies of rows and boxes, textures, surfaces and references, by the driver alone: each part checks what it got. */
#include "driver_few.h"

typedef struct { size_t width, height; int format; unsigned channels; } CUDA_ARRAY_DESCRIPTOR;
typedef struct { size_t width, height, depth; int format; unsigned channels, flags; } CUDA_ARRAY3D_DESCRIPTOR;
typedef struct {
    size_t source_x, source_y, source_z, source_level; int source_kind; const void *source_host; CUdeviceptr source_device; void *source_array, *none;
    size_t source_pitch, source_rows, x, y, z, level; int kind; void *host; CUdeviceptr device; void *array, *nothing; size_t pitch, rows, width, height, depth;
} CUDA_MEMCPY3D;
typedef struct {
    int kind;
    union {
        struct { void *array; } array;
        struct { CUdeviceptr pointer; int format; unsigned channels; size_t bytes; } linear;
        struct { CUdeviceptr pointer; int format; unsigned channels; size_t width, height, pitch; } rows;
        int reserved[32];
    };
    unsigned flags;
} CUDA_RESOURCE_DESC;
typedef struct { int modes[3], filter; unsigned flags, anisotropy; int mipmap_filter; float bias, least, most, border[4]; int reserved[12]; } CUDA_TEXTURE_DESC;
int cuArrayCreate_v2(void **, const CUDA_ARRAY_DESCRIPTOR *), cuArrayDestroy(void *), cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *, void *);
int cuArray3DCreate_v2(void **, const CUDA_ARRAY3D_DESCRIPTOR *), cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *, void *);
int cuMipmappedArrayCreate(void **, const CUDA_ARRAY3D_DESCRIPTOR *, unsigned), cuMipmappedArrayGetLevel(void **, void *, unsigned);
int cuMipmappedArrayDestroy(void *);
int cuMemcpyHtoA_v2(void *, size_t, const void *, size_t), cuMemcpyAtoH_v2(void *, void *, size_t, size_t), cuMemcpy3D_v2(const CUDA_MEMCPY3D *);
int cuMemcpyAtoD_v2(CUdeviceptr, void *, size_t, size_t), cuMemcpyDtoA_v2(void *, size_t, CUdeviceptr, size_t), cuMemcpyAtoA_v2(void *, size_t, void *, size_t, size_t);
int cuTexObjectCreate(unsigned long long *, const CUDA_RESOURCE_DESC *, const CUDA_TEXTURE_DESC *, const void *), cuTexObjectDestroy(unsigned long long);
int cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *, unsigned long long), cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *, unsigned long long);
int cuSurfObjectCreate(unsigned long long *, const CUDA_RESOURCE_DESC *), cuSurfObjectDestroy(unsigned long long);
int cuModuleGetTexRef(void **, CUmodule, const char *), cuModuleGetSurfRef(void **, CUmodule, const char *), cuTexRefSetArray(void *, void *, unsigned);
int cuTexRefSetAddressMode(void *, int, int), cuTexRefSetFilterMode(void *, int), cuTexRefSetFlags(void *, unsigned), cuTexRefSetFormat(void *, int, int);
int cuTexRefSetAddress2D_v3(void *, const CUDA_ARRAY_DESCRIPTOR *, CUdeviceptr, size_t), cuTexRefGetArray(void **, void *), cuTexRefGetFlags(unsigned *, void *);
int cuTexRefSetAddress_v2(size_t *, void *, CUdeviceptr, size_t);

enum { COLUMNS = 10, ROWS = 6, WIDE = 12, OUT = WIDE * ROWS, HOST = 1, DEVICE = 2, ARRAY = 3, FLOATS = 0x20, BYTES = 1 };
static CUmodule module;
static float picture[ROWS][COLUMNS], out[ROWS][WIDE];
static CUdeviceptr there;

static void set_up(void)
{
    CUcontext context;
    CHECK(cuInit(0));
    CHECK(cuCtxCreate(&context, 0, 0));
    CHECK(cuModuleLoadData(&module, device_code));
    CHECK(cuMemAlloc(&there, sizeof out));
    for (int y = 0; y < ROWS; ++y)
        for (int x = 0; x < COLUMNS; ++x)
            picture[y][x] = 100 * y + x;
}

static void *filled(void)
{
    void *array;
    CUDA_ARRAY_DESCRIPTOR what = {COLUMNS, ROWS, FLOATS, 1}, got;
    CHECK(cuArrayCreate_v2(&array, &what));
    CHECK(cuArrayGetDescriptor_v2(&got, array));
    EXPECT(!memcmp(&what, &got, sizeof got));
    CUDA_MEMCPY2D rows = {.source_kind = HOST, .source_host = picture, .source_pitch = sizeof *picture, .kind = ARRAY, .array = array,
                          .width = sizeof *picture, .height = ROWS};
    CHECK(cuMemcpy2D(&rows));
    return array;
}

static void launch(const char *name, unsigned long long handle)
{
    CUfunction function;
    void *given[] = {&there, &handle};
    CHECK(cuModuleGetFunction(&function, module, name));
    CHECK(cuMemsetD8(there, 0, sizeof out));
    CHECK(cuLaunchKernel(function, 1, 1, 1, COLUMNS, ROWS, 1, 0, 0, given, 0));
    CHECK(cuMemcpyDtoH(out, there, sizeof out));
}

static void expect_picture(float scale)
{
    for (int y = 0; y < ROWS; ++y)
        for (int x = 0; x < COLUMNS; ++x)
            EXPECT(out[y][x] == scale * picture[y][x]);
}

static void arrays(void)
{
    float got[ROWS][COLUMNS] = {{0}}, row[COLUMNS], planes[2][3][4], box[2][2][2];
    void *array = filled(), *other = filled(), *solid;
    CUDA_MEMCPY2D rows = {.source_x = 8, .source_y = 1, .source_kind = ARRAY, .source_array = array, .kind = HOST, .host = got, .pitch = sizeof *got,
                          .width = 12, .height = 2};
    CHECK(cuMemcpy2D(&rows));
    EXPECT(got[0][0] == 102 && got[0][2] == 104 && got[1][1] == 203 && got[0][3] == 0);
    rows.width = 36;                                    /* past the end of its rows */
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemcpy2D(&rows));
    rows.width = 12, rows.source_array = (void *)0x1234;
    FAILS("CUDA_ERROR_INVALID_HANDLE", cuMemcpy2D(&rows));
    rows.source_array = array, rows.kind = DEVICE, rows.device = there, rows.pitch = 0;
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemcpy2D(&rows));
    CHECK(cuMemcpyAtoH_v2(row, array, 2 * sizeof row, sizeof row));
    EXPECT(row[0] == 200 && row[9] == 209);
    CHECK(cuMemcpyAtoD_v2(there, array, sizeof row, sizeof row));
    CHECK(cuMemcpyDtoA_v2(other, 0, there, sizeof row));
    CHECK(cuMemcpyAtoA_v2(other, 3 * sizeof row, other, 0, sizeof row));
    CHECK(cuMemcpyAtoH_v2(got, other, 0, sizeof got));
    EXPECT(got[0][3] == 103 && got[3][3] == 103 && got[2][3] == 203);
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemcpyHtoA_v2(array, 0, got, sizeof got + 4));
    CUDA_ARRAY3D_DESCRIPTOR what = {4, 3, 2, FLOATS, 1, 0}, shown;
    CHECK(cuArray3DCreate_v2(&solid, &what));
    CHECK(cuArray3DGetDescriptor_v2(&shown, solid));
    EXPECT(shown.depth == 2 && shown.format == FLOATS && shown.channels == 1);
    for (int i = 0; i < 24; ++i)
        (&planes[0][0][0])[i] = i;
    CUDA_MEMCPY3D copy = {.source_kind = HOST, .source_host = planes, .source_pitch = 16, .source_rows = 3, .kind = ARRAY, .array = solid,
                          .width = 16, .height = 3, .depth = 2};
    CHECK(cuMemcpy3D_v2(&copy));
    CUDA_MEMCPY3D back = {.source_x = 4, .source_y = 1, .source_kind = ARRAY, .source_array = solid, .kind = HOST, .host = box, .pitch = 8, .rows = 2,
                          .width = 8, .height = 2, .depth = 2};
    CHECK(cuMemcpy3D_v2(&back));
    EXPECT(box[0][0][0] == 5 && box[0][1][1] == 10 && box[1][0][0] == 17 && box[1][1][1] == 22);
    back.rows = 1;                                      /* planes over each other */
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemcpy3D_v2(&back));
    back.rows = 2, back.source_level = 1;
    FAILS("CUDA_ERROR_NOT_SUPPORTED", cuMemcpy3D_v2(&back));
    CHECK(cuArrayDestroy(array));
    FAILS("CUDA_ERROR_INVALID_HANDLE", cuArrayDestroy(array));
    void *mipmaps, *level;
    CHECK(cuMipmappedArrayCreate(&mipmaps, &what, 8));
    CHECK(cuMipmappedArrayGetLevel(&level, mipmaps, 1));
    CHECK(cuArray3DGetDescriptor_v2(&shown, level));
    EXPECT(shown.width == 2 && shown.height == 1 && shown.depth == 1);
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMipmappedArrayGetLevel(&level, mipmaps, 3));
    CHECK(cuMipmappedArrayDestroy(mipmaps));
    FAILS("CUDA_ERROR_INVALID_HANDLE", cuMipmappedArrayDestroy(mipmaps));
    CUDA_ARRAY_DESCRIPTOR wrong = {4, 4, 0xb0, 1};      /* NV12 */
    FAILS("CUDA_ERROR_NOT_SUPPORTED", cuArrayCreate_v2(&array, &wrong));
    wrong.format = FLOATS, wrong.channels = 3;
    FAILS("CUDA_ERROR_INVALID_VALUE", cuArrayCreate_v2(&array, &wrong));
}

static void objects(void)
{
    unsigned long long texture;
    unsigned char bytes[ROWS][64] = {{0}};
    CUdeviceptr small;
    CUDA_RESOURCE_DESC resource = {.kind = 0, .array = {filled()}}, shown;
    CUDA_TEXTURE_DESC how = {.modes = {1, 1, 1}}, seen;
    CHECK(cuTexObjectCreate(&texture, &resource, &how, 0));
    CHECK(cuTexObjectGetResourceDesc(&shown, texture));
    CHECK(cuTexObjectGetTextureDesc(&seen, texture));
    EXPECT(!memcmp(&shown, &resource, sizeof shown) && !memcmp(&seen, &how, sizeof seen));
    launch("fetch", texture);
    expect_picture(1);
    CHECK(cuTexObjectDestroy(texture));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuTexObjectGetResourceDesc(&shown, texture));
    for (int y = 0; y < ROWS; ++y)
        for (int x = 0; x < COLUMNS; ++x)
            bytes[y][x] = 51 * (x % 6);
    CHECK(cuMemAlloc(&small, sizeof bytes));
    CHECK(cuMemcpyHtoD(small, bytes, sizeof bytes));
    resource = (CUDA_RESOURCE_DESC){.kind = 3, .rows = {small, BYTES, 1, COLUMNS, ROWS, 64}};
    CHECK(cuTexObjectCreate(&texture, &resource, &how, 0));
    launch("fetch", texture);                           /* without the flag 1, bytes are read as floats up to 1 */
    for (int x = 0; x < 6; ++x)
        EXPECT(out[1][x] > 0.2f * x - 1e-6f && out[1][x] < 0.2f * x + 1e-6f);
    how.flags = 0x80;
    FAILS("CUDA_ERROR_INVALID_VALUE", cuTexObjectCreate(&texture, &resource, &how, 0));
    how.flags = 0;
    FAILS("CUDA_ERROR_NOT_SUPPORTED", cuTexObjectCreate(&texture, &resource, &how, &how));
}

static void surfaces(void)
{
    unsigned long long surface;
    float got[ROWS][COLUMNS];
    CUDA_RESOURCE_DESC resource = {.kind = 0};
    CUDA_ARRAY3D_DESCRIPTOR what = {COLUMNS, ROWS, 0, FLOATS, 1, 2};
    CHECK(cuArray3DCreate_v2(&resource.array.array, &what));
    CHECK(cuSurfObjectCreate(&surface, &resource));
    launch("store", surface);
    CHECK(cuMemcpyAtoH_v2(got, resource.array.array, 0, sizeof got));
    EXPECT(got[0][0] == 0 && got[3][4] == 34);
    CHECK(cuSurfObjectDestroy(surface));
}

static void references(void)
{
    void *reference, *array = filled(), *got;
    unsigned flags;
    CUdeviceptr linear;
    size_t offset = 1;
    CHECK(cuModuleGetTexRef(&reference, module, "image"));
    FAILS("CUDA_ERROR_NOT_FOUND", cuModuleGetTexRef(&got, module, "nonesuch"));
    FAILS("CUDA_ERROR_NOT_FOUND", cuModuleGetSurfRef(&got, module, "image"));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuTexRefGetArray(&got, reference));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuTexRefSetArray(reference, array, 0));
    CHECK(cuTexRefSetFilterMode(reference, 1));         /* in any order: they count at the launch */
    CHECK(cuTexRefSetArray(reference, array, 1));
    CHECK(cuTexRefSetAddressMode(reference, 0, 1));
    CHECK(cuTexRefSetAddressMode(reference, 1, 1));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuTexRefSetAddressMode(reference, 3, 1));
    CHECK(cuTexRefSetFormat(reference, FLOATS, 1));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuTexRefSetFormat(reference, BYTES, 1));
    CHECK(cuTexRefSetFilterMode(reference, 0));
    CHECK(cuTexRefGetArray(&got, reference));
    EXPECT(got == array);
    launch("referenced", 0);
    expect_picture(1);
    for (int y = 0; y < ROWS; ++y)
        for (int x = 0; x < COLUMNS; ++x)
            out[y][x] = 2 * picture[y][x];
    CHECK(cuMemAlloc(&linear, 64 * ROWS));
    CUDA_MEMCPY2D rows = {.source_kind = HOST, .source_host = out, .source_pitch = sizeof *out, .kind = DEVICE, .device = linear, .pitch = 64,
                          .width = sizeof *picture, .height = ROWS};
    CHECK(cuMemcpy2D(&rows));
    CUDA_ARRAY_DESCRIPTOR what = {COLUMNS, ROWS, FLOATS, 1};
    CHECK(cuTexRefSetAddress2D_v3(reference, &what, linear, 64));
    launch("referenced", 0);
    expect_picture(2);
    CHECK(cuTexRefSetFlags(reference, 1));
    CHECK(cuTexRefGetFlags(&flags, reference));
    EXPECT(flags == 1);
    FAILS("CUDA_ERROR_INVALID_VALUE", cuTexRefSetFlags(reference, 0x100));
    CHECK(cuTexRefSetAddress_v2(&offset, reference, linear, 64));
    EXPECT(offset == 0);
    CHECK(cuModuleUnload(module));
    FAILS("CUDA_ERROR_INVALID_HANDLE", cuTexRefSetFlags(reference, 1));
}

int main(int count, char **arguments)
{
    static const struct { const char *name; void (*part)(void); } parts[] = {
        {"arrays", arrays}, {"objects", objects}, {"surfaces", surfaces}, {"references", references}};
    set_up();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (!strcmp(arguments[1], parts[i].name))
            parts[i].part();
    puts("PASSED");
    return 0;
}
