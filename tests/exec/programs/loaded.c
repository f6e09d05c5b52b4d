/* Loads the library beside it while it runs, and calls what was a program. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **arguments)
{
    char path[4096];
    snprintf(path, sizeof path, "%s", arguments[0]);
    strcpy(strrchr(path, '/'), "/libpart.so");
    void *library = dlopen(path, RTLD_NOW);
    int (*part)(int, char **) = library ? dlsym(library, "part") : NULL;
    return part ? part(count, arguments) : printf("%s\n", dlerror());
}
