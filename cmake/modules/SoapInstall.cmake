# Install rules and the package files for find_package(Soap).
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
