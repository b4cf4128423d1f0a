// A record with an array and a pointer: what is written to the array at an index that is not known leaves
// the pointer as it was, unless the index leads past the array.
struct Keeper {
  float queue[3];
  float *to;
  float rows[2][2];
  int step;
  int count;
  __device__ Keeper(float *start) : to(start), step(2), count(0) {
    for (int i = 0; i < 3; ++i)
      queue[i] = 0;
  }
  __device__ void add(float key) {
    if (key > queue[count % 3]) {
      queue[count % 3] = key;
      ++count;
    }
  }
  __device__ void flush() {
    for (int i = 0; i < 2; ++i)
      rows[i & 1][count & 1] = queue[i];
    to[threadIdx.x * step] = queue[0] + rows[0][1];
  }
};

//@ launch r17_array_beside_a_pointer grid=(1) block=(64) args(in=f32[65536], out=f32[65536], n=?5)
__global__ void r17_array_beside_a_pointer(const float *in, float *out, int n) {
  __shared__ float s[256];
  Keeper keeper(s);
  keeper.to[threadIdx.x] = 1;
  for (int i = 0; i < n; ++i)
    keeper.add(in[i * 64 + threadIdx.x]);
  keeper.flush();
  out[threadIdx.x * keeper.step] = keeper.count;
}

struct Rows {
  int first[2];
  int second[2];
  float *to;
};

//@ launch r17_pointer_walks_through_a_record grid=(1) block=(64) args(out=f32[65536], n=?3, m=?1)
__global__ void r17_pointer_walks_through_a_record(float *out, int n, int m) {
  Rows rows = {{1, 2}, {4, 8}, out};
  int *all = (int *)&rows;
  all[n & 3] = 16;
  rows.to[threadIdx.x * rows.second[1]] = 1;
  rows.second[m & 1] = 32;
  rows.to[threadIdx.x * rows.first[1]] = 1;
  rows.to[threadIdx.x * rows.second[0]] = 1;
}

struct Table {
  int step[2][2];
  float *to;
};

//@ launch r17_row_past_its_end grid=(1) block=(64) args(out=f32[65536], n=?3)
__global__ void r17_row_past_its_end(float *out, int n) {
  Table table = {{{1, 2}, {4, 8}}, out};
  for (int i = 0; i < 2; ++i)
    table.step[i][n & 1] = 3;
  table.to[threadIdx.x * table.step[1][0]] = 1;
  table.to[threadIdx.x * table.step[0][1]] = 1;
}

union Either {
  int word[2];
  float *to;
};

//@ launch r17_loop_left_with_a_record grid=(1) block=(64) args(in=f32[65536], out=f32[65536], n=?9)
__global__ void r17_loop_left_with_a_record(const float *in, float *out, int n) {
  Keeper keeper(out);
  for (int i = 0; i < n; ++i) {
    keeper.queue[i % 3] = in[threadIdx.x];
    keeper.step = 4;
    if (in[i] > 0.5f) {
      keeper.step = 8;
      break;
    }
  }
  keeper.to[threadIdx.x] = keeper.queue[n % 3];
  keeper.to[threadIdx.x * keeper.step] = 1;
  for (int i = 0; i < 4; ++i) {
    keeper.to[threadIdx.x * 2] = 1;
    keeper.queue[i % 3] = 1;
    keeper.to = out + 1024 * i;
  }
  keeper.to[threadIdx.x * 4] = 1;
}
