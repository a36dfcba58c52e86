# Zig as the compiler: for an old glibc, for musl, or for another processor, whatever this machine has.
# The environment names the program in DOVETAIL_ZIG and what to compile for in DOVETAIL_TARGET,
# e.g. x86_64-linux-gnu.2.17.
set(DOVETAIL_ZIG ON)
set(CMAKE_CXX_COMPILER "$ENV{DOVETAIL_ZIG}" c++ -target $ENV{DOVETAIL_TARGET})
set(CMAKE_CXX_ARCHIVE_CREATE "\"$ENV{DOVETAIL_ZIG}\" ar qc <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_APPEND "\"$ENV{DOVETAIL_ZIG}\" ar q <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_CXX_ARCHIVE_FINISH "\"$ENV{DOVETAIL_ZIG}\" ranlib <TARGET>")
