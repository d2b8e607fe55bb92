// Planted defects: memory of the device's heap used after it was freed.
__device__ int* kept;

//@ read_after<char> block=1 : use-after-free
//@ read_after<short> block=1 : use-after-free
//@ read_after<int> block=4 : use-after-free
//@ read_after<double> block=32 : use-after-free
template <typename T>
__global__ void read_after(int* x, int* y, int n) {
  T* p = static_cast<T*>(malloc(64));
  p[2] = T(n);
  free(p);
  y[threadIdx.x] = static_cast<int>(*static_cast<volatile T*>(p + 2));  //!
}

//@ write_after<char> block=1 : use-after-free
//@ write_after<short> block=1 : use-after-free
//@ write_after<int> block=8 : use-after-free
//@ write_after<long long> block=1 : use-after-free
template <typename T>
__global__ void write_after(int* x, int* y, int n) {
  T* p = static_cast<T*>(malloc(128));
  free(p);
  *static_cast<volatile T*>(p + threadIdx.x) = T(n);  //!
}

//@ vector_after block=1 : use-after-free
__global__ void vector_after(int* x, int* y, int n) {
  int* p = static_cast<int*>(malloc(256));
  for (int k = 0; k < 8; ++k) p[k] = x[k];
  free(p);
  int4 v;
  asm volatile("ld.volatile.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));  //!
  y[0] = v.x + v.w;
}

//@ atomic_after block=1 : use-after-free
__global__ void atomic_after(int* x, int* y, int n) {
  int* p = static_cast<int*>(malloc(16));
  p[0] = 1;
  free(p);
  y[0] = atomicAdd(p, 1);  //!
}

//@ exchange_after block=1 : use-after-free
__global__ void exchange_after(int* x, int* y, int n) {
  unsigned long long* p = static_cast<unsigned long long*>(malloc(16));
  p[1] = 1;
  free(p);
  y[0] = static_cast<int>(atomicExch(p + 1, 5ull));  //!
}

//@ freed_by_another_thread block=32 : use-after-free
__global__ void freed_by_another_thread(int* x, int* y, int n) {
  __shared__ int* p;
  if (threadIdx.x == 0) {
    p = static_cast<int*>(malloc(128));
    for (int k = 0; k < 32; ++k) p[k] = k;
  }
  __syncwarp();
  y[threadIdx.x] = p[threadIdx.x];
  __syncwarp();
  if (threadIdx.x == 7) free(p);
  __syncwarp();
  x[threadIdx.x] = *static_cast<volatile int*>(p + 31 - threadIdx.x);  //!
}

//@ freed_in_a_loop block=1 : use-after-free
__global__ void freed_in_a_loop(int* x, int* y, int n) {
  int* p = static_cast<int*>(malloc(64));
  for (int k = 0; k < 3; ++k) {
    *static_cast<volatile int*>(p + k) = k;  //!
    if (x[k] == 1) free(p);
  }
}

//@ freed_list block=1 stops : use-after-free
__global__ void freed_list(int* x, int* y, int n) {
  struct Node {
    volatile int value;
    Node* volatile next;
  };
  Node* head = nullptr;
  for (int k = 0; k < 4; ++k) {
    Node* node = static_cast<Node*>(malloc(sizeof(Node)));
    node->value = x[k];
    node->next = head;
    head = node;
  }
  for (Node* node = head; node;) {
    free(node);
    node = node->next;  //!
  }
}

//@ kept_pointer grid=2 block=1 : use-after-free
__global__ void kept_pointer(int* x, int* y, int n) {
  if (blockIdx.x == 0) {
    kept = static_cast<int*>(malloc(64));
    kept[0] = 1;
    free(kept);
    __threadfence();
    atomicExch(&y[0], 1);
  } else {
    while (atomicAdd(&y[0], 0) == 0) {}
    __threadfence();
    y[1] = *static_cast<volatile int*>(kept);  //!
  }
}

//@ second_of_two block=1 : use-after-free
__global__ void second_of_two(int* x, int* y, int n) {
  int* p = static_cast<int*>(malloc(64));
  int* q = static_cast<int*>(malloc(64));
  p[0] = 1, q[0] = 2;
  free(q);
  y[0] = *static_cast<volatile int*>(p) + *static_cast<volatile int*>(q);  //!
  free(p);
}

//@ deleted block=1 : use-after-free
__global__ void deleted(int* x, int* y, int n) {
  int* p = new int[8];
  p[3] = n;
  delete[] p;
  y[0] = *static_cast<volatile int*>(p + 3);  //!
}

//@ copied_after block=1 : use-after-free
__global__ void copied_after(int* x, int* y, int n) {
  volatile int* p = static_cast<int*>(malloc(64));
  for (int k = 0; k < 16; ++k) p[k] = x[k];
  free(const_cast<int*>(p));
  for (int k = 0; k < 16; ++k) y[k] = p[k];  //!
}

//@ after_a_branch block=32 : use-after-free
__global__ void after_a_branch(int* x, int* y, int n) {
  volatile int* p = static_cast<int*>(malloc(64));
  *p = n;
  if (x[threadIdx.x] % 2) free(const_cast<int*>(p));
  y[threadIdx.x] = *p;  //!
}
