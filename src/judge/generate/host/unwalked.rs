//! Small texts of host code that run functions where no statement calls them, and that move pointers without arithmetic:
//! initialisers of members, default arguments, functions as template arguments, bases, members of objects.
//!
//! `$` and `@` are what they are in [`super::snippets`].

use super::snippets::{Snippet, snippet};

const PROJECTS: &str = "host of projects";

#[rustfmt::skip]
pub(super) const SNIPPETS: &[Snippet] = &[
    snippet(PROJECTS, "static float*q@; static int run@(int t){ $<<<1,t,128>>>(q@,t/32,1); return t; } struct L@{ int d; L@(int t):d(run@(t)){} }; struct D@{ int d=run@(96); };", "q@=p; L@ l(64); D@ d; n=l.d/32; m=d.d/32;"),
    snippet(PROJECTS, "static float*q@; static int run@(int t){ $<<<1,t,128>>>(q@,t/32,1); return t; } static int later@(int d=run@(64)){ return d; }", "q@=p; n=later@()/32; m=later@(16)/8; auto f=[](int d=run@(48)){ return d; }; m=f()/8;"),
    snippet(PROJECTS, "static float*q@; static int run@(int t){ $<<<1,t,128>>>(q@,t/32,1); return t; } template<int(*F)(int)> static int call@(int t){ return F(t); } template<auto F> struct C@{ static int go(int t){ return F(t); } };", "q@=p; n=call@<run@>(64)/32; m=call@<&run@>(96)/32; m=C@<run@>::go(32)/32;"),
    snippet(PROJECTS, "static int g@=4; static int w@(int v){ g@=v; return v; } template<int(*F)(int)> static int call@(int t){ return F(t); }", "call@<w@>(5); n=g@; auto f=[v=w@(7)]{ return v; }; m=g@; auto h=[](int v=w@(3)){ return v; }; h(); n+=g@; m=f()&7;"),
    snippet(PROJECTS, "static float*q@; static int run@(int t){ $<<<1,t,128>>>(q@,t/32,1); return t; }", "q@=p; int z=0; { std::shared_ptr<int> s(&z,[](int*){ run@(64); }); std::unique_ptr<int,void(*)(int*)> u(&z,[](int*){ run@(96); }); } try{ throw run@(32); }catch(int e){ m=e/16; }"),
    snippet(PROJECTS, "static float*q@; static int run@(int t){ $<<<1,t,128>>>(q@,t/32,1); return t; } static auto la@=[](int t){ return run@(t); };", "q@=p; n=la@(64)/32; m=[d=run@(96)]{ return d; }()/32;"),
    snippet(PROJECTS, "", "std::function<void(int)> h=[&](int t){ $<<<1,t,128>>>(p,t/32,1); if(t>32) h(t/2); }; h(128);"),
    snippet(PROJECTS, "", "auto s=[](auto&...a){ ((a=6),...); }; s(n,m); auto w=[&](auto&...a){ (std::tie(a...))=std::make_tuple(3,5); }; w(m,n);"),
    snippet(PROJECTS, "typedef float Row@[64]; struct S@{ int c,d,e; float v[64]; float one; Row@ row; float*begin(){ return v; } float*only(){ return &one; } float&ref(){ return one; } float*line(){ return row; } };", "S@*s=(S@*)p; $<<<1,16,128>>>(s->begin(),1,m); $<<<1,16,128>>>(s->only(),1,m); $<<<1,16,128>>>(&s->ref(),1,m); $<<<1,16,128>>>(s->line(),1,m); float&z=s->v[3]; $<<<1,16,128>>>(&z,1,m);"),
    snippet(PROJECTS, "struct A@{ int x[3]; }; struct B@{ float y[64]; }; struct D@:A@,B@{}; static void take@(B@*q){ $<<<1,16,128>>>((float*)q,1,1); }", "D@*d=(D@*)p; B@*s=d; $<<<1,16,128>>>((float*)s,1,m); take@(d);"),
    snippet(PROJECTS, "struct V@{ float*q; float*operator-(){ return q+1; } float*operator~(){ return q+2; } }; struct X@{}; static float*operator,(X@,float*q){ return q+3; }", "V@ v{p}; $<<<1,16,128>>>(-v,1,m); $<<<1,16,128>>>(~v,1,m); $<<<1,16,128>>>((X@(),p),1,m); $<<<1,16,128>>>(std::plus<>()(p,1),1,m);"),
    snippet(PROJECTS, "static void st@(float*q){ $<<<1,16,128>>>(q,1,1); } struct O@{ void(*f)(float*); }; static const O@ o@={st@}; template<void(*F)(float*)> static void call@(float*q){ F(q); }", "o@.f(p+1); O@ h{st@}; h.f(p+2); call@<st@>(p+3);"),
    snippet(PROJECTS, "struct T@{ float c; float y[4]; float w; };", "T@*s=(T@*)p; auto&[c,y,w]=*s; $<<<1,4,128>>>(y,1,m); $<<<1,4,128>>>(&w,1,m); (void)c;"),
    snippet(PROJECTS, "static int g@=32; struct X@{ int&b; X@():b(g@){} }; static void set@(int v){ X@ x; x.b=v; } static void go@(float*q){ $<<<1,g@,128>>>(q,g@/32,1); }", "go@(p); set@(64); go@(p); n=g@/32;"),
    snippet(PROJECTS, "static int g@=32, h@=32; template<int*P> struct R@{ static void set(int v){ *P=v; } }; template<int&P> static void st@(int v){ P=v; } static void go@(float*q){ $<<<1,g@,128>>>(q,g@/32,1); $<<<1,h@,128>>>(q,1,2); }", "R@<&g@>::set(64); st@<h@>(96); go@(p);"),
    snippet(PROJECTS, "static int g@=32, h@=32; static void set@(int v){ [&b=g@,v]{ b=v; }(); auto f=[]()->int&{ return h@; }; f()=v*2; } static void go@(float*q){ $<<<1,g@,128>>>(q,g@/32,1); $<<<1,h@,128>>>(q,1,2); }", "set@(64); go@(p);"),
    snippet(PROJECTS, "static int g@=32, h@=32; static decltype(auto) r@(){ return (g@); } using I@=int&; static I@ s@(){ return h@; } static void go@(float*q){ $<<<1,g@,128>>>(q,g@/32,1); $<<<1,h@,128>>>(q,1,2); }", "r@()=64; s@()=96; go@(p);"),
    snippet(PROJECTS, "static int g@=32, h@=32; static void f@(int v,int&b=g@){ b=v; } static std::tuple<int&> t@(){ return {h@}; } static void go@(float*q){ $<<<1,g@,128>>>(q,g@/32,1); $<<<1,h@,128>>>(q,1,2); }", "f@(64); std::get<0>(t@())=96; go@(p);"),
    snippet(PROJECTS, "static int g@=32; static void go@(float*q,int t){ $<<<1,g@,128>>>(q,t,1); } static std::function<void(int)> set@{[](int v){ g@=v; }}; static std::function<void(float*,int)> start@{go@};", "go@(p,1); set@(64); start@(p,2);"),
];
