//! Small texts of host code that hand lambdas to kernels, by value as CUDA has it.
//!
//! `$` and `@` are what they are in [`super::snippets`].

use super::snippets::{Snippet, snippet};

const NAME: &str = "host lambdas handed to kernels";

const EACH: &str = "template<class F> __global__ void $_e@(int k,F f){ int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<k) f(i); }";

#[rustfmt::skip]
pub(super) const SNIPPETS: &[Snippet] = &[
    snippet(NAME, EACH, "$_e@<<<2,64>>>(100,[=] __device__ (int i){ p[i*2]=n; }); $_e@<<<1,32>>>(32,[=] __device__ (int i){ p[i]=1; });"),
    snippet(NAME, EACH, "auto f=[=] __device__ (int i){ p[(i*n)&4095]=1; }; n+=3; $_e@<<<2,64>>>(100,f); auto h=[=] __device__ (int i){ p[(i*n)&4095]=2; }; $_e@<<<2,64>>>(90,h);"),
    snippet(NAME, EACH, "float*q=p+3; $_e@<<<1,64>>>(64,[q,m] __device__ (int i){ q[i*(m&7)]=m; }); q++; $_e@<<<2,32>>>(64,[q] __device__ (int i){ q[i]=1; });"),
    snippet(NAME, "template<class F> __global__ void $_e@(int k,F f){ int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<k) f(i); } template<class T> void run@(T*q,int s){ auto f=[=] __device__ (int i){ q[(i*s)&511]=s; q[i*(int)sizeof(T)/4]=1; }; $_e@<<<2,64>>>(100,f); }", "run@((double*)p,2); run@(p,1); run@((char*)p,n&3);"),
    snippet(NAME, EACH, "auto f=[=] __device__ (int i){ return i*(n&3); }; $_e@<<<2,64>>>(90,[=] __device__ (int i){ p[f(i)&1023]=1; });"),
    snippet(NAME, "template<class F> __global__ void $_e@(int k,F f){ int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<k) f(i); } template<class F> void run@(float*q,int s,const F&f){ $_e@<<<2,64>>>(100,[=] __device__ (int i){ q[(f(i)+s)&1023]=1; q[i*s]=2; }); }", "int w=n&3; run@(p,3,[=] __device__ (int i){ return i*w; }); run@(p+1,2,[=] __device__ (int i){ return i; });"),
    snippet(NAME, EACH, "int w=n&3,v=5; float*q=p+1; auto f=[=] __device__ (int i){ return i*w; }; $_e@<<<1,64>>>(64,[=] __device__ (int i) mutable { q[(f(i)*v)&1023]=1; q[i*v]=2; });"),
    snippet(NAME, EACH, "int c=n&1; $_e@<<<1,64>>>(64,[=] __device__ (int i) mutable { c+=1; p[(i*c)&1023]=2; });"),
    snippet(NAME, EACH, "const int w=3; constexpr int v=5; const int u=n&7; $_e@<<<1,64>>>(64,[=] __device__ (int i){ p[i*w]=v; p[i*v]=1; p[i*u]=w; });"),
    snippet(NAME, "struct V@{ float*d; int ld; }; template<class F> __global__ void $_e@(int k,F f){ int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<k) f(i); }", "V@ v{p+1,4}; $_e@<<<1,32>>>(32,[v] __device__ (int i){ v.d[i*v.ld]=1; }); v.ld=n&7; v.d++; $_e@<<<1,32>>>(32,[=] __device__ (int i){ v.d[i*v.ld]=1; });"),
    snippet(NAME, EACH, "for(int s=1;s<4;s++) { $_e@<<<1,64>>>(64,[=] __device__ (int i){ p[i*s]=1; }); }"),
    snippet(NAME, EACH, "if(argc>1) { $_e@<<<1,64>>>(64,[=] __device__ (int i){ p[i]=1; }); } else { $_e@<<<1,32>>>(64,[=] __device__ (int i){ p[i*8]=1; }); }"),
    snippet(NAME, "template<class F> __global__ void $_e@(int k,F f){ int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<k) f(i); } template<class F> void run@(int k,F f){ $_e@<<<(k+63)/64,64>>>(k,f); }", "run@(100,[=] __device__ (int i){ p[i*3]=1; }); run@(70,[=] __device__ (int i){ p[i+n]=1; }); auto f=[=] __device__ (int i){ p[i]=m; }; run@(33,f); run@(64,f);"),
    snippet(NAME, "template<class F,class G> __global__ void $_t@(int k,F f,G h){ int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<k) h(f(i)); }", "auto f=[=] __device__ (int i){ return (i*n)&255; }; auto h=[=] __device__ (int i){ p[i]=1; }; $_t@<<<2,32>>>(64,f,h); $_t@<<<1,64>>>(60,[] __device__ (int i){ return i*2; },h);"),
    snippet(NAME, "template<class F> __global__ void $_e@(int k,F f){ int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<k) f(i); } struct H@{ float*d; int s; void go(float*q){ $_e@<<<1,32>>>(32,[=] __device__ (int i){ q[i*2]=1; }); int t=s; $_e@<<<1,32>>>(32,[q,t] __device__ (int i){ q[i*(t&7)]=1; }); } };", "H@ h{p,n}; h.go(p+1); h.s=3; h.go(p);"),
    snippet(NAME, "template<class F> __device__ void at@(F&&f,int i){ f(i+1); } template<class F> __global__ void $_e@(int k,F f){ int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<k) at@(f,i); }", "$_e@<<<2,64>>>(100,[=] __device__ (int i){ p[i*4]=n; });"),
    snippet(NAME, EACH, "int w=2; { int w=n&3; $_e@<<<1,64>>>(64,[=] __device__ (int i){ for(int w=0;w<2;w++) p[i+w*64]=1; p[i*w]=2; }); } $_e@<<<1,64>>>(64,[=] __device__ (int i){ p[i*w]=2; });"),
    snippet(NAME, "template<class F> __global__ void $_e@(int k,F f){ int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<k) f(i); } template<int B,class T> void run@(T*q){ $_e@<<<1,B>>>(B,[=] __device__ (int i){ __shared__ T s[B*4]; s[i*4]=1; q[i*B/8]=s[i]; }); }", "run@<32>(p); run@<64>((double*)p); run@<64>(p+1);"),
];
