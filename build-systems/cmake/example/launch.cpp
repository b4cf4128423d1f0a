// Host code of the library; the launches stand beside their kernels.
int kernels_of_this_library() { return 1; }
