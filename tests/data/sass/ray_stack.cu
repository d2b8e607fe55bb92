// Threads hand places in their own stack to functions: stores to local memory through generic pointers.
struct Vec { float x, y, z; };
struct Hit { float t; Vec p, n; int what; };
__device__ __noinline__ bool hit_sphere(const Vec* c, float r, const Vec* o, const Vec* d, float most, Hit* out) {
  Vec oc{o->x - c->x, o->y - c->y, o->z - c->z};
  float b = oc.x * d->x + oc.y * d->y + oc.z * d->z, q = oc.x * oc.x + oc.y * oc.y + oc.z * oc.z - r * r, disc = b * b - q;
  if (disc <= 0) return false;
  float t = -b - sqrtf(disc);
  if (t < 0.001f || t > most) return false;
  out->t = t; out->p = Vec{o->x + t * d->x, o->y + t * d->y, o->z + t * d->z};
  out->n = Vec{(out->p.x - c->x) / r, (out->p.y - c->y) / r, (out->p.z - c->z) / r}; out->what = 1;
  return true;
}
__device__ __noinline__ unsigned next(unsigned* state) { *state = *state * 1664525u + 1013904223u; return *state; }
extern "C" __global__ void render(Vec* frame, unsigned* states, const Vec* centres, const float* radii, int spheres, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h) return;
  unsigned state = states[i];
  Vec colour{0, 0, 0};
  for (int s = 0; s < 4; ++s) {
    Vec o{0, 0, 0}, d{float(i % w) / w - 0.5f + next(&state) % 1000 * 1e-6f, float(i / w) / h - 0.5f, -1};
    float inv = rsqrtf(d.x * d.x + d.y * d.y + d.z * d.z); d.x *= inv; d.y *= inv; d.z *= inv;
    int stack[16]; int top = 0; stack[top++] = 0;
    Hit best; best.t = 1e30f; best.what = 0;
    while (top > 0) {
      int node = stack[--top];
      if (node >= spheres) continue;
      Hit one; Hit* op = &one; asm volatile("" : "+l"(op));
      if (hit_sphere(centres + node, radii[node], &o, &d, best.t, op)) best = *op;
      if (2 * node + 2 < spheres && top < 14) { stack[top++] = 2 * node + 1; stack[top++] = 2 * node + 2; }
    }
    if (best.what) { colour.x += best.n.x; colour.y += best.n.y; colour.z += best.n.z; } else colour.z += 0.5f;
  }
  states[i] = state;
  frame[i] = colour;
}
