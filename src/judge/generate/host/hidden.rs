//! Small texts of host code that write where nothing looks like an assignment: handlers of whole bodies,
//! members that are `mutable`, formats, default arguments, references kept in objects.
//!
//! `$` and `@` are what they are in [`super::snippets`].

use super::snippets::{Snippet, snippet};

const HANDLERS: &str = "host bodies that try";
const MUTABLE: &str = "host mutable members";
const HIDDEN: &str = "host hidden writes";
const MADE: &str = "host kernels of macros";

#[rustfmt::skip]
pub(super) const SNIPPETS: &[Snippet] = &[
    snippet(HANDLERS, "static int f@(int&x) try { x+=6; return 1; } catch(int){ return 2; }", "n=f@(m)+2; b=m*8;"),
    snippet(HANDLERS, "static void f@(int&x,int c) try { if(c>0) throw 1; x=2; } catch(int k){ x+=k; } catch(...){ x=9; }", "f@(n,argc); f@(m,n-n); b=n*16;"),
    snippet(HANDLERS, "struct T@{ int x; T@(int by) try : x(by) { x+=2; } catch(...){ } };", "T@ t(3); n=t.x; m=T@(argc).x&7; b=t.x*16;"),
    snippet(HANDLERS, "struct T@{ int x=1; void go(int c) try { x+=c; if(c>2) throw c; } catch(int k){ x=k; } };", "T@ t; t.go(2); n=t.x; t.go(5); m=t.x; b=t.x*16;"),
    snippet(MUTABLE, "struct V@{ mutable int x; operator int()const{ return x++; } };", "V@ a{3}; int z=a; n=a.x; const V@ c{2}; z+=c; m=c.x+(z&1); b=a.x*8;"),
    snippet(MUTABLE, "struct V@{ mutable int x; bool operator!()const{ return x++>0; } int operator[](int i)const{ return x+=i; } };", "V@ a{3}; bool q=!a; n=a.x; int z=a[2]; m=a.x; b=q?a.x*8:z;"),
    snippet(MUTABLE, "struct V@{ mutable int x; int y; }; struct W@:V@{ }; static void f@(const V@&s){ s.x+=9; } static const V@ whole@{3,4};", "V@ s{1,2}; f@(s); n=s.x; W@ w; w.x=1; w.y=5; f@(w); m=w.x+w.y; f@(whole@); b=whole@.x*8; g=whole@.y&3;"),
    snippet(MUTABLE, "struct V@{ mutable int x=2; int get()const{ return x; } void put(int k)const{ x=k; } }; struct U@{ V@ v; };", "U@ u; const U@&r=u; r.v.put(5); n=u.v.get(); U@ c=u; c.v.put(7); m=u.v.x; b=c.v.x*8;"),
    snippet(HIDDEN, "", "fprintf(stderr,\"%.0s%n\",\"abc\",&n); char t[8]; snprintf(t,8,\"%d%n\",argc,&m); b=m*8;"),
    snippet(HIDDEN, "struct S@{ char c[4]; signed char d[2]; int w; };", "S@ s{{1,2,3,4},{5,6},7}; char*q=s.c; q[1]=9; n=s.c[1]; memset(s.d+1,3,1); m=s.d[1]+s.w; b=s.c[2]*16;"),
    snippet(HIDDEN, "struct S@{ char c[4]; }; static void f@(char*q){ q[2]=8; }", "S@ s{{1,2,3,4}}; S@*t=&s; f@(t->c); n=s.c[2]; char*e=&s.c[3]; *e=6; m=s.c[3];"),
    snippet(HIDDEN, "static int G@=1; static int f@(int x=++G@){ return x; }", "n=f@(); m=f@(7)+G@; f@(); b=G@*16;"),
    snippet(HIDDEN, "static int G@=2; static void go@(float*p,int b,int x=G@++){ $<<<1,b,128>>>(p,x,G@); } struct T@{ int v; T@(int a=++G@):v(a){} };", "go@(p,b); T@ t; n=t.v; T@ u(4); m=u.v+G@; go@(p,b,3);"),
    snippet(HIDDEN, "", "std::reference_wrapper<int> r=n; r=m; r.get()+=3; b=m*8; int k=1; r=k; r+=4; g=k&3; n+=m&1;"),
    snippet(HIDDEN, "", "int k=3,l=4; auto r=std::ref(k); r.get()=5; n=k; auto s=std::ref(l); s=r; s.get()+=2; m=k+l; b=k*8;"),
    snippet(MADE, "#define PAIR@(name,F) __global__ void name##_f(float*a,int n){ a[threadIdx.x*F+n]=1; } __global__ void name##_b(float*a,int n){ a[threadIdx.x*(F+1)+n]=1; }\nPAIR@($_p@,2)\nPAIR@($_q@,5)\n", "$_p@_f<<<1,32>>>(p,n); $_p@_b<<<2,64>>>(p,m); $_q@_b<<<1,b&127>>>(p,4);"),
    snippet(MADE, "#define LIST@(X) X(float,f) X(double,d) X(short,s)\n#define DEF@(T,s) __global__ void $_x@##s(T*a,int n){ a[threadIdx.x*sizeof(T)/2+n]=1; }\nLIST@(DEF@)\n", "$_x@f<<<1,32>>>(p,n); $_x@d<<<2,64>>>((double*)p,m); $_x@s<<<1,96>>>((short*)p,8);"),
    snippet(MADE, "#define OVER@(name) __global__ void name(float*a,int n){ a[threadIdx.x*n]=1; } __global__ void name(short*a,int n){ a[threadIdx.x*(n+1)]=1; }\nOVER@($_o@)\n", "$_o@<<<1,32>>>(p,n); $_o@<<<2,64>>>((short*)p,m);"),
    snippet(MADE, "#define BOTH@ template<int N> __global__ void $_t@(float*a){ a[threadIdx.x*N]=1; } template<int N> __global__ void $_u@(float*a){ a[threadIdx.x*(N+2)]=1; }\nBOTH@\n", "$_t@<2><<<1,32>>>(p); $_u@<3><<<2,64>>>(p); $_u@<2><<<1,32>>>(p);"),
];
