// What the models of libraries/time say: lines of library_shapes.py on standard input, each again with two times in ns
// on DEVICE, for operands in DRAM and in L2.
//   python3 library_shapes.py list SET | library_forecast h100
#include <iostream>
#include <string>

#include "tests/library_shapes.h"

int main(int argc, char** argv) {
  const auto device = warplens::gpu::find_device(argc > 1 ? argv[1] : "h200");
  if (!device.ok()) {
    std::cerr << device.status().message() << "\n";
    return 2;
  }
  for (std::string line; std::getline(std::cin, line);) {
    const warplens::libraries::LibraryTime time = warplens::tests::time_of_line(line, **device);
    std::cout << line << " | " << static_cast<long long>(time.ns) << " " << static_cast<long long>(time.warm_ns)
              << "\n";
  }
}
