#include "warplens/build/compile/toolkit.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "warplens/base/process.h"
#include "warplens/base/text.h"

namespace warplens::compile {
namespace {

namespace fs = std::filesystem;

// Where a toolkit and the system keep what is made for this processor.
#if defined(__aarch64__)
#define WL_TARGET "targets/sbsa-linux"
constexpr const char* kSystemLibraries = "lib/aarch64-linux-gnu";
#else
#define WL_TARGET "targets/x86_64-linux"
constexpr const char* kSystemLibraries = "lib/x86_64-linux-gnu";
#endif

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// The first of root/folder/name that exists, or "".
std::string first_file(const std::string& root, const std::vector<const char*>& folders,
                       const std::vector<const char*>& names) {
  for (const char* name : names) {
    for (const char* folder : folders) {
      if (std::string path = fmt::format("{}/{}/{}", root, folder, name); exists(path)) return path;
    }
  }
  return "";
}

/// The folders of `root` that hold CUDA's headers: a toolkit's, or those of the wheels of CUDA 13 or 12.
std::vector<std::string> include_folders(const std::string& root) {
  std::vector<std::string> found;
  for (const char* folder : {"include", WL_TARGET "/include", "nvidia/cu13/include", "nvidia/cuda_runtime/include"}) {
    const std::string path = fmt::format("{}/{}", root, folder);
    if (!exists(path + "/cuda_runtime.h")) continue;
    found.push_back(path);
    if (exists(path + "/cccl")) found.push_back(path + "/cccl");
    break;
  }
  for (const char* folder : {"nvidia/cuda_cccl/include", "nvidia/cuda_nvcc/include"}) {
    if (const std::string path = fmt::format("{}/{}", root, folder); exists(path)) found.push_back(path);
  }
  return found;
}

/// Whether a program named nvcc is a script that calls `warplens nvcc`, for builds that name their compiler themselves.
bool leads_back_here(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(512, 0);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<size_t>(file.gcount()));
  return start.starts_with("#!") && start.find("warplens") != std::string::npos;
}

Toolkit toolkit_at(const std::string& root) {
  const std::vector<const char*> libraries = {"lib64",
                                              "lib",
                                              WL_TARGET "/lib",
                                              kSystemLibraries,
                                              "nvidia/cu13/lib",
                                              "nvidia/cuda_nvrtc/lib",
                                              "nvidia/cuda_cupti/lib",
                                              "extras/CUPTI/lib64",
                                              "nvidia/nvjitlink/lib"};
  const std::vector<const char*> programs = {"bin", "nvidia/cu13/bin", "nvidia/cuda_nvcc/bin",
                                             "triton/backends/nvidia/bin"};
  Toolkit here;
  here.nvrtc = first_file(root, libraries, {"libnvrtc.so.13", "libnvrtc.so.12"});
  here.nvjitlink = first_file(root, libraries, {"libnvJitLink.so.13", "libnvJitLink.so.12"});
  here.cupti = first_file(root, libraries, {"libcupti.so.13", "libcupti.so.12"});
  here.nvcc = first_file(root, programs, {"nvcc"});
  if (leads_back_here(here.nvcc)) here.nvcc.clear();
  here.ptxas = first_file(root, programs, {"ptxas"});
  if (exists(root + "/torch/include/ATen/ATen.h")) here.torch = root + "/torch/include";
  here.includes = include_folders(root);
  return here;
}

/// lib/python3.*/site-packages under `prefix` (a virtual environment, ~/.local, /usr/local).
void add_site_packages(const std::string& prefix, std::vector<std::string>& roots) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(prefix + "/lib", ignored)) {
    if (entry.path().filename().string().starts_with("python3")) {
      for (const char* kind : {"site-packages", "dist-packages"}) {
        if (const std::string path = (entry.path() / kind).string(); exists(path)) roots.push_back(path);
      }
    }
  }
}

/// The folder of the file that this code runs from: the program, or a library inside a Python package.
std::string own_folder() {
  Dl_info info{};
  std::error_code ignored;
  if (::dladdr(reinterpret_cast<void*>(&toolkit), &info) == 0 || info.dli_fname == nullptr) return "";
  fs::path file = fs::canonical(info.dli_fname, ignored);
  if (ignored) file = fs::read_symlink("/proc/self/exe", ignored);
  return file.parent_path().string();
}

std::vector<std::string> default_roots() {
  std::vector<std::string> roots;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const std::string value = environment(name); !value.empty()) roots.push_back(value);
  }
  std::error_code ignored;
  if (const std::string nvcc = find_program("nvcc"); !nvcc.empty())
    roots.push_back(fs::canonical(nvcc, ignored).parent_path().parent_path().string());
  roots.insert(roots.end(), {"/usr/local/cuda", "/opt/cuda", "/usr"});
  if (const std::string environment_root = environment("VIRTUAL_ENV"); !environment_root.empty())
    add_site_packages(environment_root, roots);
  if (const std::string own = own_folder(); !own.empty()) {
    add_site_packages(own + "/../.venv", roots);
    roots.push_back(own + "/..");     // of a library in a package: its neighbours in site-packages
    roots.push_back(own + "/../..");  // the same of the program, which lies in the package's bin
  }
  if (const std::string python = find_program("python3"); !python.empty())
    add_site_packages(fs::path(python).parent_path().parent_path().string(), roots);
  add_site_packages(environment("HOME") + "/.local", roots);
  add_site_packages("/usr/local", roots);
  return roots;
}

}  // namespace

Toolkit find_toolkit(const std::vector<std::string>& roots) {
  Toolkit found;
  const auto adopt = [](std::string& have, const std::string& offered) {
    if (have.empty()) have = offered;
  };
  bool compiler_headers = false;
  for (const std::string& root : roots) {
    const Toolkit here = toolkit_at(root);
    // Headers must match the compiler: those beside the first compiler win.
    if (const bool brings_compiler =
            found.nvrtc.empty() && found.nvcc.empty() && !(here.nvrtc.empty() && here.nvcc.empty());
        !here.includes.empty() && (found.includes.empty() || (brings_compiler && !compiler_headers))) {
      found.includes = here.includes;
      compiler_headers = brings_compiler;
    }
    adopt(found.nvrtc, here.nvrtc);
    adopt(found.nvcc, here.nvcc);
    adopt(found.ptxas, here.ptxas);
    adopt(found.nvjitlink, here.nvjitlink);
    adopt(found.cupti, here.cupti);
    adopt(found.torch, here.torch);
  }
  return found;
}

const Toolkit& toolkit() {
  static const Toolkit found = find_toolkit(default_roots());
  return found;
}

std::string toolkit_advice() {
  return "set CUDA_HOME to a CUDA toolkit, or install NVIDIA's compiler: scripts/toolkit.sh in a checkout, elsewhere "
         "pip install nvidia-cuda-nvrtc nvidia-cuda-nvcc nvidia-cuda-crt nvidia-nvvm nvidia-cuda-runtime "
         "nvidia-cuda-cccl";
}

std::string host_compiler_advice() {
  return "nvcc needs a C++ compiler for the host, but none is installed: apt-get install g++ (kernels in files "
         "without host code do not need it)";
}

std::string file_identity(const std::string& path) {
  struct stat info{};
  if (path.empty() || ::stat(path.c_str(), &info) != 0) return path;
  return fmt::format("{} {} {}.{}", path, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

}  // namespace warplens::compile
