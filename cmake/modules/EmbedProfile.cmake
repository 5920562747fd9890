# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes a C++ file that holds the texts of profiles, each under the name of its file:
#   cmake "-DINPUTS=h100.json h200.json" -DOUTPUT=x.cpp -P EmbedProfile.cmake
# In pieces, since compilers need not accept longer literals than 65536 characters.
separate_arguments(INPUTS)
set(code "#include \"Soap/Profile/Profile.h\"\n\n#include <map>\n\n")
set(table "")
set(names "")
foreach(input IN LISTS INPUTS)
  get_filename_component(name ${input} NAME_WE)
  string(REPLACE "-" "_" id ${name})
  file(READ ${input} text)
  string(LENGTH "${text}" length)
  string(APPEND code "static const char *const ${id}_pieces[] = {\n")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 16000 piece)
    string(APPEND code "R\"soap(${piece})soap\",\n")
    math(EXPR at "${at} + 16000")
  endwhile()
  string(APPEND code "};\n\n")
  string(APPEND table "    for (const char *piece : ${id}_pieces)\n      joined[\"${name}\"] += piece;\n")
  string(APPEND names ", ${name}")
endforeach()
string(SUBSTRING "${names}" 2 -1 names)
string(APPEND code "const char *soap::builtinProfileText(const std::string &name) {
  static const std::map<std::string, std::string> texts = [] {
    std::map<std::string, std::string> joined;
${table}    return joined;
  }();
  auto it = texts.find(name);
  return it == texts.end() ? nullptr : it->second.c_str();
}

std::string soap::builtinProfileNames() { return \"${names}\"; }
")
file(WRITE ${OUTPUT} "${code}")
