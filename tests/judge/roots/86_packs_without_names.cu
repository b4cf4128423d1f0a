// Packs without names hold all their arguments, and packs behind other parameters are matched where they stand.
template <class...> struct Tup { static constexpr int n = 1; };
template <class A, class B> struct Tup<A, B> { static constexpr int n = 2; };
template <class A> struct Tup<A> { static constexpr int n = 4; };
template <int...> struct Num { static constexpr int n = 1; };
template <int A, int B> struct Num<A, B> { static constexpr int n = B; };
template <class T, class...> struct One { static constexpr int n = 1; };
template <class T, class A, class B> struct One<T, A, B> { static constexpr int n = 8; };
template <class T, class... U> struct Named { static constexpr int n = 1; };
template <class T, class A, class B> struct Named<T, A, B> { static constexpr int n = 8; };
template <class T, class... U> struct Two { static constexpr int n = 1; };
template <class T, class A, class... B> struct Two<T, A, B...> { static constexpr int n = 4 + sizeof...(B); };
template <int T, int... U> struct Thr { static constexpr int n = 1; };
template <int A, int B> struct Thr<A, B> { static constexpr int n = B; };
template <class...> struct Rec;
template <> struct Rec<> { };
template <class A, class... B> struct Rec<A, B...> { A a; Rec<B...> rest; };
template <class T, class... R> struct Via { static constexpr int n = Tup<R...>::n + One<T, R...>::n; };
template <class> struct Inner { static constexpr int n = 3; };
template <class... A> struct Inner<Tup<A...>> { static constexpr int n = 4 + sizeof...(A); };
template <class A, class B> struct Same { static constexpr int n = 1; };
template <class A> struct Same<A, A> { static constexpr int n = 2; };
//@ launch r86 grid=(2) block=(32) args(a=f32[65536], n=?5)
__global__ void r86(float *a, int n) {
  int t = threadIdx.x;
  a[t * Tup<int, short>::n] = 1;
  a[t * Tup<int>::n] = 1;
  a[t * Tup<>::n] = 1;
  a[t * Tup<int, int, int>::n] = 1;
  a[t * Num<3, 2>::n] = 1;
  a[t * One<int, int, int>::n] = 1;
  a[t * One<int, int>::n] = 1;
  a[t * Named<int, int, int>::n] = 1;
  a[t * Two<int, int, int>::n] = 1;
  a[t * Two<int>::n] = 1;
  a[t * Thr<1, 4>::n] = 1;
  a[t * (int)sizeof(Rec<int, double, char>)] = 1;
  a[t * Via<int, short, char>::n] = 1;
  a[t * Inner<Tup<int, char>>::n] = 1;
  a[t * Same<Tup<int, short>, Tup<int, char>>::n] = 1;
  a[t * Same<Tup<int, short>, Tup<int, short>>::n] = 1;
}
