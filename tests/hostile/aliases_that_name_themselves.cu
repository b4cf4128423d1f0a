// Aliases that name themselves or one another in front of `::`: no enumeration is found, and the search ends.
struct B;
template <typename T> struct A { using X = typename T::X; enum E { one }; };
struct C { using X = X::Y; };
struct D { using P = A<D>::P; };
namespace m { struct F { using Q = F::Q; using R = R::S::T; }; }
__global__ void k(int *p) { p[threadIdx.x * C::X::z] = m::F::R::one; p[threadIdx.x * m::F::Q::one] = D::P::one;}
void f(int *p) { k<<<1, 128>>>(p); }
