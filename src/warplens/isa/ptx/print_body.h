// Parts of print() that more than one file needs.
#pragma once
#include <string>
#include <vector>

#include "warplens/isa/ptx/module.h"

namespace warplens::ptx {

/// "{ ... }" with a newline at its end.
std::string print_body(const Module& module, const Function& function);
std::string directives_text(const std::vector<Directive>& directives);
std::string prototype_text(const Module& module, const Prototype& prototype);

}  // namespace warplens::ptx
