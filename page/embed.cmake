# cmake -DASSETS=FILE;... -DOUTPUT=FILE -P embed.cmake: writes page::assets() with these files in it,
# each served at "/" and its name, index.html at "/".
set(type_html "text/html; charset=utf-8")
set(type_css "text/css; charset=utf-8")
set(type_js "text/javascript; charset=utf-8")

set(texts "")
set(list "")
set(number 0)
foreach(file IN LISTS ASSETS)
  cmake_path(GET file FILENAME name)
  cmake_path(GET file EXTENSION LAST_ONLY extension)
  string(SUBSTRING ${extension} 1 -1 extension)
  set(path /${name})
  if(name STREQUAL index.html)
    set(path /)
  endif()
  file(READ ${file} bytes HEX)
  string(LENGTH ${bytes} length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes ${bytes})
  string(APPEND texts "const char text${number}[] = {${bytes}};\n")
  string(APPEND list "    {\"${path}\", \"${type_${extension}}\", {text${number}, ${length}}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"page/assets.h\"

namespace {
${texts}
constexpr page::Asset all[] = {
${list}};
} // namespace

namespace page {
std::span<const Asset> assets() { return all; }
} // namespace page
")
