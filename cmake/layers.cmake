# What every target of ours is compiled with.
add_library(house INTERFACE)
target_include_directories(house INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(house INTERFACE CYCLESOAK_VERSION="${PROJECT_VERSION}")
target_compile_options(house INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wnon-virtual-dtor -Wold-style-cast -Wno-missing-field-initializers $<$<BOOL:${CYCLESOAK_WERROR}>:-Werror>)
if(CYCLESOAK_SANITIZE)
  target_compile_definitions(house INTERFACE _GLIBCXX_ASSERTIONS)
  target_compile_options(house INTERFACE -fsanitize=${CYCLESOAK_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(house INTERFACE -fsanitize=${CYCLESOAK_SANITIZE})
endif()

# cyclesoak_layer(FOLDER USES LIBRARY...): the sources of a folder as a library of its name.
function(cyclesoak_layer folder)
  cmake_parse_arguments(layer "" "" "USES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  add_library(${folder} STATIC ${sources})
  target_link_libraries(${folder} PUBLIC house ${layer_USES})
endfunction()
