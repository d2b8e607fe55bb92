#include "warplens/isa/ptx/module.h"

#include <algorithm>

#include "warplens/base/text.h"

namespace warplens::ptx {

std::string Function::register_name(uint32_t id) const {
  const RegisterDeclaration& declaration = register_declarations[registers[id].declaration];
  return declaration.ranged ? fmt::format("{}{}", declaration.name, id - declaration.first) : declaration.name;
}

const Directive* Function::directive(std::string_view name) const {
  const auto found =
      std::find_if(directives.begin(), directives.end(), [&](const Directive& each) { return each.name == name; });
  return found == directives.end() ? nullptr : &*found;
}

uint32_t Function::parameter_bytes() const {
  return parameters.empty() ? 0 : parameters.back().offset + static_cast<uint32_t>(parameters.back().size_bytes);
}

const Function* Module::function(std::string_view name) const {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const Function& each) { return each.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

const Variable* Module::variable(std::string_view name) const {
  const auto found =
      std::find_if(variables.begin(), variables.end(), [&](const Variable& each) { return each.name == name; });
  return found == variables.end() ? nullptr : &*found;
}

std::string_view Module::file_name(uint32_t number) const {
  const auto found = std::find_if(files.begin(), files.end(), [&](const File& each) { return each.number == number; });
  return found == files.end() ? std::string_view() : found->name;
}

int Module::architecture() const {
  for (const std::string& target : targets) {
    if (!target.starts_with("sm_")) continue;
    const size_t digits = target.find_first_not_of("0123456789", 3);
    return static_cast<int>(parse_int(std::string_view(target).substr(3, digits - 3)).value_or(0));
  }
  return 0;
}

bool Module::operator==(const Module& other) const {
  return version_major == other.version_major && version_minor == other.version_minor && targets == other.targets &&
         address_bits == other.address_bits && mnemonics == other.mnemonics && variables == other.variables &&
         functions == other.functions && files == other.files && sections == other.sections &&
         aliases == other.aliases && pragmas == other.pragmas;
}

}  // namespace warplens::ptx
