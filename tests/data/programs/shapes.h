// Objects with virtual functions that one unit makes and another calls: see shapes_use.cu.
#pragma once

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual float area(float scale) const = 0;
  __device__ virtual int id() const { return 1; }
};
struct Square : Shape {
  __device__ explicit Square(float side) : side(side) {}
  __device__ float area(float scale) const override;
  __device__ int id() const override;
  float side;
};
struct Circle : Shape {
  __device__ explicit Circle(float radius) : radius(radius) {}
  __device__ float area(float scale) const override;
  float radius;
};

__global__ void make_shapes(Shape** out, int n);
