// Calls of CUDA 12's runtime whose arguments or structures CUDA 13 changed, declared here as CUDA 12 has them.
#include <cstdio>
#include <cstring>

extern "C" {
struct Pointer {
  int kind, device;
  void *on_device, *on_host;
};
struct Resource {
  int kind;
  void* pointer;
  int channels[5];
  size_t size_bytes;
  size_t rest[2];
};
static_assert(sizeof(Resource) == 64);
int cudaRuntimeGetVersion(int* version);
int cudaGetDeviceProperties_v2(void* properties, int device);
int cudaGetDeviceProperties(void* properties, int device);
int cudaMallocManaged(void** out, size_t size_bytes, unsigned flags);
int cudaPointerGetAttributes(Pointer* out, const void* pointer);
int cudaMemAdvise(const void* pointer, size_t size_bytes, int advice, int device);
int cudaMemPrefetchAsync(const void* pointer, size_t size_bytes, int device, void* stream);
int cudaMemsetAsync(void* pointer, int value, size_t size_bytes, void* stream);
int cudaStreamCreate(void** out);
int cudaStreamBeginCapture(void* stream, int mode);
int cudaStreamGetCaptureInfo(void* stream, int* status, unsigned long long* id);
int cudaStreamGetCaptureInfo_v2(void* stream, int* status, unsigned long long* id, void** graph, void*** before,
                                size_t* count);
int cudaStreamEndCapture(void* stream, void** graph);
int cudaGraphGetNodes(void* graph, void** nodes, size_t* count);
int cudaGraphGetEdges(void* graph, void** from, void** to, size_t* count);
int cudaGraphGetEdges_v2(void* graph, void** from, void** to, void* data, size_t* count);
int cudaGraphNodeGetDependencies(void* node, void** before, size_t* count);
int cudaGraphNodeGetDependentNodes(void* node, void** after, size_t* count);
int cudaGraphAddEmptyNode(void** out, void* graph, void** before, size_t count);
int cudaGraphAddDependencies(void* graph, void** from, void** to, size_t count);
int cudaGraphRemoveDependencies(void* graph, void** from, void** to, size_t count);
int cudaCreateTextureObject(unsigned long long* out, const Resource* resource, const void* how, const void* view);
int cudaGetTextureObjectResourceDesc(Resource* out, unsigned long long object);
int cudaThreadSynchronize();
}

static int wrong = 0;
static void check(const char* what, bool right) {
  if (right) return;
  ++wrong;
  std::printf("%s\n", what);
}

/// A buffer with bytes behind what a call may write.
struct Guarded {
  unsigned char bytes[2048];
  Guarded() { std::memset(bytes, 0x5a, sizeof bytes); }
  int number(size_t at) const {
    int value = 0;
    std::memcpy(&value, bytes + at, sizeof value);
    return value;
  }
};

static void properties() {
  constexpr size_t kBytes = 1032, kOldBytes = 728, kMajor = 360, kClock = 348, kProcessors = 388, kCluster = 772;
  Guarded now, old;
  check("properties", cudaGetDeviceProperties_v2(now.bytes, 0) == 0 && now.number(kMajor) == 9);
  check("clock rate", now.number(kClock) == 1980000);
  check("processors", now.number(kProcessors) == 132);
  check("clusters", now.number(kCluster) == 1);
  check("bytes of properties", now.bytes[kBytes - 1] == 0 && now.bytes[kBytes] == 0x5a);
  check("CUDA 11's properties", cudaGetDeviceProperties(old.bytes, 0) == 0 && old.number(kMajor) == 9);
  check("bytes of CUDA 11's", old.bytes[kOldBytes] == 0x5a);
}

static void memory(void* x) {
  Pointer about[2];
  std::memset(about, 0x5a, sizeof about);
  check("pointer", cudaPointerGetAttributes(about, x) == 0 && about[0].kind == 3 && about[0].on_device == x);
  check("bytes of a pointer's", about[1].kind == 0x5a5a5a5a);
  check("advise", cudaMemAdvise(x, 4, 1, 0) == 0);
  check("prefetch", cudaMemPrefetchAsync(x, 4, 0, nullptr) == 0 && cudaMemPrefetchAsync(x, 4, -1, nullptr) == 0);
  Resource resource{2, x, {32, 0, 0, 0, 2}, 4000, {}}, told[2];
  std::memset(told, 0x5a, sizeof told);
  const unsigned char how[72] = {};
  unsigned long long texture = 0;
  check("texture", cudaCreateTextureObject(&texture, &resource, how, nullptr) == 0);
  check("its resource", cudaGetTextureObjectResourceDesc(told, texture) == 0 && told[0].size_bytes == 4000);
  check("bytes of a resource", told[1].kind == 0x5a5a5a5a);
}

static void graphs(void* x) {
  void *stream = nullptr, *graph = nullptr, *captured = nullptr, *nodes[2], *from[1], *to[1], *empty = nullptr;
  void** before = nullptr;
  int status = 0;
  unsigned long long id = 0;
  size_t count = 2;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, 0);
  cudaMemsetAsync(x, 1, 4, stream);
  cudaMemsetAsync(x, 2, 4, stream);
  check("capture", cudaStreamGetCaptureInfo(stream, &status, &id) == 0 && status == 1 && id != 0);
  check("captured", cudaStreamGetCaptureInfo_v2(stream, &status, &id, &captured, &before, &count) == 0);
  check("one node to wait for", count == 1 && before != nullptr);
  check("end", cudaStreamEndCapture(stream, &graph) == 0 && graph == captured);
  check("nodes", cudaGraphGetNodes(graph, nodes, &(count = 2)) == 0 && count == 2);
  check("edges", cudaGraphGetEdges(graph, from, to, &(count = 1)) == 0 && count == 1 && to[0] == nodes[1]);
  check("edges with data", cudaGraphGetEdges_v2(graph, from, to, nullptr, &(count = 1)) == 0 && from[0] == nodes[0]);
  check("before", cudaGraphNodeGetDependencies(nodes[1], from, &(count = 1)) == 0 && from[0] == nodes[0]);
  check("after", cudaGraphNodeGetDependentNodes(nodes[0], to, &(count = 1)) == 0 && to[0] == nodes[1]);
  check("another node", cudaGraphAddEmptyNode(&empty, graph, nullptr, 0) == 0);
  check("joined", cudaGraphAddDependencies(graph, &nodes[1], &empty, 1) == 0);
  check("parted", cudaGraphRemoveDependencies(graph, &nodes[1], &empty, 1) == 0);
  check("parted again", cudaGraphRemoveDependencies(graph, &nodes[1], &empty, 1) == 1);
}

int main() {
  int version = 0;
  void* x = nullptr;
  check("version", cudaRuntimeGetVersion(&version) == 0 && version / 1000 == 12);
  check("memory", cudaMallocManaged(&x, 4000, 1) == 0);
  properties();
  memory(x);
  graphs(x);
  check("wait", cudaThreadSynchronize() == 0);
  std::printf("%d wrong\n", wrong);
  return wrong;
}
