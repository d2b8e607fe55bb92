# Puts the guide for agents into the program. The package carries the same file as a skill folder.
set(agent_skill ${CMAKE_SOURCE_DIR}/python/warplens/skill/SKILL.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${agent_skill})
file(READ ${agent_skill} text)
set(written ${CMAKE_BINARY_DIR}/units/agent_skill.cpp)
file(WRITE ${written}.new "#include \"warplens/cli/agent_skill.h\"\n\nnamespace warplens::cli {\n\n"
  "const std::string_view kAgentSkill = R\"WARPLENS(${text})WARPLENS\";\n\n}  // namespace warplens::cli\n")
configure_file(${written}.new ${written} COPYONLY)  # touched only when it changed
target_sources(warplens_cli PRIVATE ${written})
