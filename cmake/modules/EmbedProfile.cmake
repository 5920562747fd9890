# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes a C++ file that holds the text of a profile:
#   cmake -DNAME=h200 -DINPUT=h200.json -DOUTPUT=x.cpp -P EmbedProfile.cmake
# In pieces, since compilers need not accept longer literals than 65536 characters.
file(READ ${INPUT} text)
string(LENGTH "${text}" length)
set(code "#include \"Soap/Profile/Profile.h\"\n\nstatic const char *const pieces[] = {\n")
set(at 0)
while(at LESS length)
  string(SUBSTRING "${text}" ${at} 16000 piece)
  string(APPEND code "R\"soap(${piece})soap\",\n")
  math(EXPR at "${at} + 16000")
endwhile()
string(APPEND code "};\n
const char *soap::builtinProfileText(const std::string &name) {
  static const std::string text = [] {
    std::string joined;
    for (const char *piece : pieces)
      joined += piece;
    return joined;
  }();
  return name == \"${NAME}\" ? text.c_str() : nullptr;
}
")
file(WRITE ${OUTPUT} "${code}")
