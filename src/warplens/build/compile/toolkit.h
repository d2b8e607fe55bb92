// Where the CUDA compiler is: CUDA_HOME, the system's toolkits, then the wheels that pip installs.
#pragma once
#include <string>
#include <vector>

namespace warplens::compile {

/// A facility that is not there is an empty string.
struct Toolkit {
  std::string nvrtc;                  // path of libnvrtc.so.13 or .12
  std::string nvcc;                   // path of the program
  std::string ptxas;                  // path of the program
  std::string nvjitlink;              // path of libnvJitLink.so.13 or .12, which assembles PTX as ptxas does
  std::string cupti;                  // path of libcupti.so.13 or .12, which records CUDA activity
  std::string torch;                  // folder of PyTorch's headers
  std::vector<std::string> includes;  // header folders that belong to nvrtc (or to nvcc where there is no nvrtc)
};

/// Looked for once a process.
const Toolkit& toolkit();

/// As `toolkit()`, for the given roots only; each is a toolkit's folder or a Python site-packages folder.
Toolkit find_toolkit(const std::vector<std::string>& roots);

/// The remedy for a missing compiler, as the end of an error message.
std::string toolkit_advice();
/// The remedy if nvcc finds no compiler for host code.
std::string host_compiler_advice();

/// Distinguishes builds of a library or program without loading it: path, size and modification time.
std::string file_identity(const std::string& path);

}  // namespace warplens::compile
