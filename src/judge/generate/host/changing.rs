//! Small texts of host code whose objects change where they are only used, and whose names mean another
//! thing where they stand: operators, conversions, heads of lambdas, pickers.
//!
//! `$` and `@` are what they are in [`super::snippets`].

use super::snippets::{Snippet, snippet};

const OPERATORS: &str = "host operators";
const PICKERS: &str = "host pickers";

#[rustfmt::skip]
pub(super) const SNIPPETS: &[Snippet] = &[
    snippet(OPERATORS, "struct V@{ int x; bool operator!(){ return x++>0; } int operator-(){ return x+=4; } int operator~(){ return x*=2; } };", "V@ a{3}; bool q=!a; n=a.x; int z=-a; m=a.x; int y=~a; b=a.x*2;"),
    snippet(OPERATORS, "struct V@{ int x; operator int(){ return x++; } };", "V@ a{3}; int z=a; n=a.x; z=a+1; m=a.x; if(a) b=a.x*8;"),
    snippet(OPERATORS, "struct V@{ int x; operator bool(){ return x-->0; } };", "V@ a{3}; while(a) n++; m=a.x+5; if(a&&n) m++; b=(a.x+10)*4; bool q=a?true:false; g=(a.x+8)&3;"),
    snippet(OPERATORS, "struct V@{ int x; operator int(); }; inline V@::operator int(){ x+=2; return x; } struct W@{ V@ v{3}; };", "W@ w; int z=w.v*2; n=w.v.x; V@ c[2]={{1},{2}}; z=c[1]; m=c[1].x;"),
    snippet(OPERATORS, "struct V@{ int x; int operator[](int i){ return x+=i; } };", "V@ a{3}; int z=a[2]; n=a.x; m=a[1]+a.x; for(int i=0;i<argc;i++) z=a[1]; b=a.x*8;"),
    snippet(OPERATORS, "struct V@{ int x; int&operator*(){ x++; return x; } V@*operator->(){ x+=5; return this; } };", "V@ a{3}; int z=*a; n=a.x; z=a->x; m=a.x;"),
    snippet(OPERATORS, "struct V@{ int x; bool operator==(const V@&o){ return x++==o.x; } bool operator<(V@&o){ o.x++; return true; } };", "V@ a{3},c{4}; if(a==c) b=96; n=a.x; bool q=a<c; m=c.x; for(int i=0;i<5&&a<c;i++) n+=2; m+=c.x&3;"),
    snippet(OPERATORS, "struct V@{ int x; }; static V@&operator<<(V@&a,int k){ a.x=k; return a; } static V@&operator+(V@&a,int k){ a.x+=k; return a; }", "V@ a{3}; a<<5<<7; n=a.x; V@&r=a+1; r.x=9; m=a.x; b=(a+1+2).x*4; g=a.x&3;"),
    snippet(OPERATORS, "struct V@{ int x; V@&operator<<(int k){ x=k; return *this; } };", "V@ a{3}; (a<<5)<<7; n=a.x; if((a<<4<<6).x>1) m=a.x;"),
    snippet(OPERATORS, "struct V@{ int w=7; float v[4]; float&operator[](int i){ return v[i]; } int size()const{ return w; } };", "V@ a; a[1]=2; n=a.w; m=a.size(); b=a[0]>100?n*16:64; g=a.w&3;"),
    snippet(OPERATORS, "static int G@=0; static int next@(){ return ++G@; } struct T@{ int a=next@(),c=next@(); }; struct U@{ int a; U@():a(next@()){} };", "T@ t; n=t.c; T@ u{7}; m=u.c; b=16*G@; U@ w; g=w.a&3; n+=G@;"),
    snippet(OPERATORS, "static int f@(int x){ return x*10; } namespace q@{ static int f@(int x,int y=9){ return x+y; } static const int w=6; static int z=3; }", "n=f@(1)-6; { using q@::f@; m=f@(1); using q@::w; b=w*8; using q@::z; z=5; } g=q@::z&3; n+=f@(0);"),
    snippet(OPERATORS, "template<class T> static int f@(T){ return 2; } template<class T> static int f@(T*){ return 3; } static int h@(int){ return 4; } static int h@(float*){ return 5; }", "n=f@((void*)0); m=f@(p); float*q=nullptr; b=16*h@(q); g=h@(0)&3;"),
    snippet(OPERATORS, "", "uint3 u={8,2,1}; $<<<1,u,128>>>(p,n,m); dim3 c(4,2); c.y=argc+1; uint3 w=c; dim3 d(w); d.z=2; $<<<1,d,128>>>(p,n,m); dim3 e={w}; $<<<1,e,128>>>(p,n,m);"),
    snippet(PICKERS, "", "constexpr int B=64; auto f=[&]<int B>(){ $<<<1,B,128>>>(p,n,m); }; f.template operator()<32>(); f.operator()<48>(); n=B/16;"),
    snippet(PICKERS, "static const int B@=64;", "auto f=[&]<int B@>(int x){ return x*B@; }; n=f.template operator()<3>(2); auto h=[&]<class T>(T x){ return sizeof(T); }; m=h('a')+h(1);"),
    snippet(PICKERS, "template<int N> struct T@{ static const int b=N*16; };", "auto f=[&]<bool A,int N>(int x){ using T=T@<A?N:1>; $<<<1,T::b,128>>>(p,x,N); }; if(argc>1) f.template operator()<true,3>(n); else f.template operator()<false,4>(m);"),
    snippet(PICKERS, "template<int B> __global__ void $_t@(float*a,int n){ a[threadIdx.x*B+n]=1; } typedef void(*fn@)(float*,int); template<int B> static fn@ pick@(int c){ if(c>1) return $_t@<B>; return $_t@<B+1>; } template<int B> static void run@(float*p,int c){ fn@ f=pick@<4>(c); f<<<1,B>>>(p,c); }", "run@<64>(p,argc);"),
    snippet(PICKERS, "template<int B> __global__ void $_t@(float*a,int n){ a[threadIdx.x*B+n]=1; } typedef void(*fn@)(float*,int); static fn@ pick@(int c){ constexpr int B=8; if(c>1) return $_t@<B>; return $_t@<B/2>; }", "constexpr int B=5; fn@ f=pick@(argc); f<<<1,32>>>(p,B);"),
    snippet(PICKERS, "template<int B> __global__ void $_t@(float*a,int n){ a[threadIdx.x*B+n]=1; } typedef void(*fn@)(float*,int); static const int W@=3; namespace q@{ static const int W@=7; static fn@ pick@(int c){ return c>1?$_t@<W@>:$_t@<W@+1>; } }", "auto f=q@::pick@(argc); f<<<1,32>>>(p,n);"),
    snippet(PICKERS, "template<int B> __global__ void $_t@(float*a,int n){ a[threadIdx.x*B+n]=1; } typedef void(*fn@)(float*,int); template<int M> struct mp@{ static fn@ pick(int p){ switch(p){ case 1: return $_t@<M>; case 2: return $_t@<M*2>; default: return nullptr; } } }; static fn@ pick@(int m,int p){ if(m==1) return mp@<3>::pick(p); if(m>1) return mp@<5>::pick(p); return nullptr; }", "fn@ f=pick@(argc,argc); if(f) { f<<<1,32>>>(p,n); }"),
    snippet(PICKERS, "template<int B> __global__ void $_t@(float*a,int n){ a[threadIdx.x*B+n]=1; } typedef void(*fn@)(float*,int); template<class T> static fn@ pick@(){ return $_t@<sizeof(T)>; }", "using T=char; fn@ f=argc>1?pick@<float>():pick@<double>(); f<<<1,32>>>(p,n);\n auto h=pick@<short>(); h<<<1,sizeof(T)*16>>>(p,n);"),
    snippet(PICKERS, "template<int B> __global__ void $_t@(float*a,int n){ a[threadIdx.x*B+n]=1; } typedef void(*fn@)(float*,int); static fn@ get@(bool a,bool b){ return [&]{ if(a){ constexpr int X=1; return [&]{ if(b){ constexpr int Y=2; return $_t@<X*4+Y>; } else { constexpr int Y=3; return $_t@<X*4+Y>; } }(); } else { constexpr int X=2; return $_t@<X>; } }(); }", "auto f=get@(argc>1,argc>2); f<<<1,32>>>(p,n);"),
    snippet(PICKERS, "template<int B> __global__ void $_t@(float*a,int n){ a[threadIdx.x*B+n]=1; } using fn@=void(*)(float*,int); struct R@{ std::map<int,fn@> m; template<int B> void add(){ m[B]=$_t@<B>; } fn@ get(int i){ return m[i]; } };", "constexpr int B=77; R@ r; r.add<3>(); r.add<6>(); fn@ f=r.get(argc>1?3:6); f<<<1,B&63>>>(p,n);"),
    snippet(PICKERS, "template<class T> struct Est@{ int b; Est@(int k):b(k){} void run(T*p,int n); void go(float*p){ $<<<1,b,128>>>(p,sizeof(T),1); } }; template<class T> void Est@<T>::run(T*p,int n){ $<<<1,b,128>>>((float*)p,n,sizeof(T)); } template struct Est@<float>; template struct Est@<double>;", "Est@<float> e(64); e.run(p,n); Est@<double>(32).go(p); Est@<char> c(16); c.go(p);"),
    snippet(PICKERS, "template<class T> static void ra@(T*p,int n){ $<<<1,sizeof(T)*8,128>>>((float*)p,n,1); } template<class T> using fn@=void(*)(T*,int); static fn@<double> gd@(int c){ if(c>5) return nullptr; return ra@; }", "fn@<double> f=gd@(argc); f((double*)p,n); fn@<float> h=ra@; h(p,m);"),
    snippet(PICKERS, "template<int N> static void ex@(float*p,int n){ $<<<1,N,128>>>(p,n,N/8); } static auto pick@(int i)->void(*)(float*,int){ void(*fs[])(float*,int)={ex@<32>,ex@<48>}; return fs[i&1]; }", "auto f=pick@(argc); f(p,n); void(*q)(float*,int)=argc>2?ex@<64>:ex@<96>; q(p,7);"),
];
