/* Is linked with the library that has all. */
int part(int, char **);

int main(int count, char **arguments) { return part(count, arguments); }
