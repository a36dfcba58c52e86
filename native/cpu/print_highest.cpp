// Prints the highest CPU level of the building machine, for CMake; nothing below x86-64-v2.
#include <cstdio>

#include "cpu/levels.hpp"

int main() {
    const char* names[dovetail::kMostLevels];
    const int n = dovetail::cpu_levels(names);
    if (n) std::fputs(names[n - 1], stdout);
}
