# Small files of one folder are compiled together, several a unit: their headers are parsed once, which is most of the time.
# Each file still compiles alone: WARPLENS_UNITS=OFF builds them so, as the preset debug does.
option(WARPLENS_UNITS "Compile the files of a folder together" ON)
set(WARPLENS_UNIT_FILES 8)  # at most, so that a change compiles little and two cores share a folder

# Compiled alone: files with flags of their own, PTX's lanes (minutes of code), and heavy headers.
set(alone
  base/checksum base/json base/json_fault cli/parse trace/profile/native/check
  run/ptx/lanes/[^/]+ simt/lanes/[^/]+ run/sass/execution/run_warp run/sass/control/flow run/sass/control/splits
  trace/readers/kineto/scanner cudart12/[^/]+)
list(JOIN alone "|" alone)
set(WARPLENS_ALONE "^(${alone})\\.cpp$")

# Sets `out` to what a target named `name` compiles for `sources`: units, written under build/units, and files compiled alone.
function(warplens_units out name)
  set(root ${CMAKE_SOURCE_DIR}/src/warplens)
  set(compiled "")
  set(folders "")
  foreach(source ${ARGN})
    file(RELATIVE_PATH path ${root} ${source})
    if(NOT WARPLENS_UNITS OR path MATCHES "${WARPLENS_ALONE}")
      list(APPEND compiled ${source})
      continue()
    endif()
    get_filename_component(folder ${path} DIRECTORY)
    string(REPLACE / _ folder ${folder})
    list(APPEND folders ${folder})
    list(APPEND files_${folder} ${path})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    list(LENGTH files_${folder} count)
    math(EXPR units "(${count} + ${WARPLENS_UNIT_FILES} - 1) / ${WARPLENS_UNIT_FILES}")
    foreach(unit RANGE 1 ${units})
      math(EXPR begin "${count} * (${unit} - 1) / ${units}")
      math(EXPR length "${count} * ${unit} / ${units} - ${begin}")
      list(SUBLIST files_${folder} ${begin} ${length} files)
      list(TRANSFORM files PREPEND "#include \"warplens/")
      list(TRANSFORM files APPEND "\"\n")
      string(CONCAT text ${files})
      set(written ${CMAKE_BINARY_DIR}/units/${name}/${folder}_${unit}.cpp)
      file(CONFIGURE OUTPUT ${written} CONTENT "${text}" @ONLY)
      list(APPEND compiled ${written})
    endforeach()
  endforeach()
  set(${out} ${compiled} PARENT_SCOPE)
endfunction()
