//! Small texts of host code that choose among kernels, instances and shapes: dispatchers, lambdas that are
//! given to functions, objects that launch, overloads, enumerations.
//!
//! `$` and `@` are what they are in [`super::snippets`].

use super::snippets::{Snippet, snippet};

const NAME: &str = "host dispatch";

#[rustfmt::skip]
pub(super) const SNIPPETS: &[Snippet] = &[
    snippet(NAME, "enum class E@:short{A=2}; template<class T> struct Of@{ static constexpr int b=32; }; template<> struct Of@<E@>{ static constexpr int b=64; }; template<class T> static void go@(float*p,T v){ $<<<1,Of@<T>::b,128>>>(p,int(v),1); }", "short s=2; go@(p,s); go@(p,E@::A); go@(p,3);"),
    snippet(NAME, "template<class T> struct Of@{ static constexpr int b=48; }; template<> struct Of@<int>{ static constexpr int b=16; }; template<class T> static void go@(float*p,T v){ $<<<1,Of@<T>::b,128>>>(p,int(v),1); }", "enum S{two=2,three}; go@(p,two); go@(p,2); S s=three; go@(p,s);"),
    snippet(NAME, "const int w@=3;", "enum class S@{a=1,w@}; n=w@; m=int(S@::w@);"),
    snippet(NAME, "", "enum{first=std::numeric_limits<short>::digits,second}; n=second-10; enum{A=4,B}; m=B;"),
    snippet(NAME, "template<class F> static void sw@(int c,F f){ if(c>1) f(std::integral_constant<int,32>{}); else f(std::integral_constant<int,64>{}); }", "sw@(argc,[&](auto c){ $<<<1,c.value,128>>>(p,n,1); });"),
    snippet(NAME, "template<class F> static void sw@(int c,F&&f){ switch(c){ case 1: return f(std::integral_constant<int,32>{}); case 2: f(std::integral_constant<int,48>{}); break; default: f(std::integral_constant<int,64>{}); } }", "sw@(argc,[&](auto c){ constexpr int B=decltype(c)::value; $<<<1,B,128>>>(p,n,m); n+=1; });"),
    snippet(NAME, "template<int B> __global__ void $_t@(float*a,int n){ a[threadIdx.x*(B/16)+n]=1; } template<class F> static void sw@(bool c,F f){ if(c) f(std::integral_constant<int,32>{}); else f(std::integral_constant<int,64>{}); }", "sw@(argc>1,[&](auto c){ sw@(n>4,[&](auto d){ $_t@<c.value><<<1,d.value>>>(p,n); }); });"),
    snippet(NAME, "static std::vector<std::function<void(int)>> jobs@; template<class F> static void keep@(F f){ f(1); jobs@.push_back(f); }", "auto h=[=](int x){ $<<<1,b,128>>>(p,x,1); }; keep@(h); for(auto&j:jobs@) j(5);"),
    snippet(NAME, "static std::function<void(int)> one@; template<class F> static void keep@(F f){ f(2); one@=f; }", "keep@([=](int x){ $<<<1,b,128>>>(p,x,1); }); one@(7);"),
    snippet(NAME, "template<class F> static void two@(F f){ f(2); f(4); }", "two@([&](int x){ $<<<1,32,128>>>(p,x,1); m=x; }); n=m;"),
    snippet(NAME, "template<class F> static void one@(F f){ f(3); } template<class F> static void two@(F f,int x){ one@(f); if(x>1) one@(f); f(x); }", "two@([&](int x){ $<<<1,32,128>>>(p,x,1); },argc);"),
    snippet(NAME, "template<class F> static void times@(int t,F f){ for(int i=0;i<t;i++) f(i); }", "times@(3,[&](int i){ $<<<1,16+16*i,128>>>(p,i,1); }); times@(argc,[&](int i){ $<<<1,32,128>>>(p+i,n,1); n+=i; });"),
    snippet(NAME, "template<class F> static auto pass@(F f){ return f; }", "int c=0; auto h=pass@([&,p=p](int x){ $<<<1,32,128>>>(p,x,++c); }); h(3); h(5); m=c;"),
    snippet(NAME, "struct Go@{ float*p; int b=32; void operator()(int n){ $<<<1,b,128>>>(p,n,1); b+=16; } };", "Go@ f{p}; f(n); f(m); n=f.b/8;"),
    snippet(NAME, "struct Count@{ int v=3; int operator()(){ return ++v; } };", "Count@ c; n=c(); Count@ d=c; d(); m=d.v; n+=c.v;"),
    snippet(NAME, "struct Run@{ dim3 g,b; size_t s; Run@(dim3 g,dim3 b,size_t s=128):g(g),b(b),s(s){} template<class K,class...A> void operator()(K k,A...a)const{ k<<<g,b,s>>>(a...); } };", "Run@(g,b)($,p,n,m); Run@{dim3(2),dim3(16,2)}($,p+1,m,n); Run@ r(1,48); r($,p,4,1);"),
    snippet(NAME, "template<class F> static void each@(size_t n,F f){ const int B=64; $<<<(n+B-1)/B,B,128>>>(f(),3,1); }", "each@(100,[=]{ return p; }); each@(10,[=]{ return p+1; });"),
    snippet(NAME, "", "int c=1; auto f=[c]() mutable { return c*=2; }; n=f(); n+=f(); auto h=f; m=h()+c;"),
    snippet(NAME, "", "int c=2; auto f=[&,k=c]() mutable { k+=3; $<<<1,32,128>>>(p,k,1); n=k; }; f(); f(); m=c;"),
    snippet(NAME, "__global__ void $_o@(float*a,int n,int m=3){ a[threadIdx.x*m+n]=1; } __global__ void $_o@(double*a,int n){ a[threadIdx.x*n]=1; }", "std::map<int,float*> q{{1,p}}; $_o@<<<1,32>>>(q[1],n); $_o@<<<1,32>>>(q.at(1),n,m); $_o@<<<1,32>>>((double*)q[1],n);"),
    snippet(NAME, "template<class T> __global__ void $_o@(T*a,int n){ a[threadIdx.x*n]=1; } __global__ void $_o@(float*a,int n){ a[threadIdx.x*n+1]=1; }", "$_o@<<<1,32>>>(p,n); $_o@<<<1,32>>>((int*)p,n); $_o@<float><<<1,32>>>(p,m);"),
    snippet(NAME, "struct C@{ float*q; explicit operator float*()const{ return q+1; } }; static C@ mk@(float*p){ return {p}; }", "auto c=mk@(p+2); $<<<g,b,128>>>((float*)c,n,m); $<<<g,b,128>>>((float*)mk@(p),n,m);"),
    snippet(NAME, "static void shape@(int n,int&g,int&b){ b=n>4?64:32; g=(n+b-1)/b+1; }", "int x,y; shape@(n,x,y); $<<<x,y,128>>>(p,n,m); shape@(20,x,y); $<<<x,y,128>>>(p,n,m);"),
    snippet(NAME, "static void shape@(int n,dim3*g,dim3*b){ *b=dim3(16,2); *g=dim3(n,2); }", "dim3 x,y; shape@(n,&x,&y); $<<<x,y,128>>>(p,n,m); y.x=8; $<<<x,y,128>>>(p,n,m);"),
    snippet(NAME, "struct L@{ int g,b; }; static constexpr L@ T@[]={{1,32},{2,64},{3,96}}; static L@ pick@(int n){ for(auto&e:T@) if(n*8<=e.b) return e; return T@[2]; }", "L@ q=pick@(n); $<<<q.g,q.b,128>>>(p,n,m); auto [x,y]=pick@(100); $<<<x,y,128>>>(p,n,m);"),
    snippet(NAME, "template<class C> struct R@{ float*p; explicit R@(float*q):p(q){} template<int N> void go(int n)const{ $<<<N,C::k,128>>>(p,n,1); } void operator()(int n){ go<2>(n); } }; struct Cf@{ static constexpr int w=2,k=w*32; };", "R@<Cf@> r(p); r(n); r.template go<3>(m);"),
    snippet(NAME, "", "int lv=1; auto rec=[&](auto&&self,int x)->void{ if(x==0) return; $<<<1,x*16,128>>>(p,lv++,1); self(self,x/2); }; rec(rec,4);"),
    snippet(NAME, "", "for(unsigned x=100;x>1;x=(x+9)/10) { $<<<(x+9)/10,10,128>>>(p,(int)x%32,m); }"),
    snippet(NAME, "", "int*c=new int[2]{3,4}; n=c[0]; c[1]=8; m=c[1]; delete[] c;"),
    snippet(NAME, "static int risky@(int x,int&out){ if(x>2) return 1; out=x+1; return 0; }\n#define TRY@(e) do{ int r_=(e); if(r_) m=r_+4; }while(0)\n", "TRY@(risky@(n,g)); TRY@(risky@(1,n)); n=g>3?5:n;"),
    snippet(NAME, "typedef void(*fn@)(float*,int,int); template<int B> static void lch@(float*p,int n,int m){ $<<<1,B,128>>>(p,n,m); } static fn@ get@(int t){ switch(t){ case 1: return lch@<32>; case 2: return lch@<64>; } return lch@<16>; }", "fn@ f=get@(argc); f(p,n,m); get@(2)(p+1,m,n);"),
    snippet(NAME, "template<class T,int N> __global__ void $_p@(T*a,int n){ a[threadIdx.x*N+n%4]=1; } template<class T> static void pk@(T*q,int c){ auto pick=[](int c)->void(*)(T*,int){ switch(c){ case 1: return &$_p@<T,2>; case 2: return &$_p@<T,3>; default: return &$_p@<T,5>; } }; auto k=pick(c); k<<<1,32>>>(q,c); }", "pk@<float>(p,argc); pk@<int>((int*)p,n);"),
    snippet(NAME, "template<int N> __global__ void $_w@(float*a){ a[threadIdx.x*N]=1; }", "int c=3; auto pick=[&]{ c=argc+4; return c==5?$_w@<2>:c==3?$_w@<3>:$_w@<7>; }; auto k=pick(); k<<<1,32>>>(p);"),
    snippet(NAME, "template<class T,int N> __global__ void $_l@(T*a){ a[threadIdx.x*N]=1; } template<int B,int K> struct Lo@{ template<class T> static void go(int n,T*q){ if(n==B) { $_l@<T,B><<<1,32>>>(q); } else Lo@<B+1,K>::go(n,q); } }; template<int K> struct Lo@<K,K>{ template<class T> static void go(int,T*q){ $_l@<T,K><<<2,16>>>(q); } };", "Lo@<1,4>::go(n%5,p); Lo@<2,3>::go(m%5,(int*)p);"),
    snippet(NAME, "template<int N> __global__ void $_r@(float*a){ a[threadIdx.x*N]=1; } template<int N> static void re@(float*q,int c){ int w=16*N; auto f=[&](int x){ $_r@<N><<<1,x>>>(q); w=x; }; if constexpr(N>1) { if(c>N) re@<N-1>(q,c); } f(w); if constexpr(N>2) { re@<N-2>(q,c+1); } f(w+8); }", "re@<4>(p,n); re@<3>(p,argc);"),
    snippet(NAME, "template<int L,bool F> __global__ void $_q@(float*a,int n){ a[threadIdx.x*L+F*(n%4)]=1; } template<class F> static void cf@(std::false_type,bool f,F&&g){ if(f) g(std::true_type{}); else g(std::false_type{}); } template<class F> static void cf@(std::true_type,bool,F&&g){ g(std::bool_constant<false>{}); }", "auto q=[&](auto l,auto f){ $_q@<decltype(l)::value,decltype(f)::value><<<1,32>>>(p,n); }; auto w=[&](auto f){ q(std::integral_constant<int,2>{},f); }; if(n>4) cf@(std::true_type{},m>3,w); else cf@(std::integral_constant<bool,false>{},m>3,w);"),
    snippet(NAME, "template<int N> __global__ void $_c@(float*a){ a[threadIdx.x*N]=1; } template<int N> static int ru@(float*q,int n){ $_c@<N><<<1,16*N>>>(q); return n; } template<int N> static int bo@(float*q,int n){ auto f=&ru@<N>; if(n>4) f=&ru@<N+1>; return f(q,n); } template<class P> static void ti@(P*q,int n,int(*f)(P*,int)){ for(int i=0;i<n;i++) (*f)(q,i); } template<int N> static void te@(float*q,int n){ ti@(q,n,ru@<N>); }", "te@<2>(p,n); int(*t[])(float*,int)={bo@<1>,bo@<3>,ru@<5>}; n=t[argc%3](p,n); t[m%3](p,4);"),
    snippet(NAME, "template<int S> static void st@(float*q,int n){ static int const w=16; constexpr int h=S+1; static const int N=w*h; static const int first=n; $<<<1,N,128>>>(q,first%8,1); $<<<1,h*8,128>>>(q,N/16,1); }", "st@<1>(p,n); st@<2>(p,m); st@<1>(p,m);"),
    snippet(NAME, "template<int D,int C> static void fa@(float*p,int n){ constexpr int w=D>64?4:2; const dim3 b(16,w,1); dim3 g; g.x=(n+C-1)/C; g.y=2; g.z=1; $<<<g,b,128>>>(p,n,C/8); } template<int D> static void col@(float*p,int n){ if(n<=3){ fa@<D,8>(p,n); return; } if(n<=5){ fa@<D,16>(p,n); return; } fa@<D,32>(p,n); }", "switch(m){ case 2: col@<64>(p,n); break; case 3: col@<128>(p,n); break; default: col@<32>(p,n); }"),
];
