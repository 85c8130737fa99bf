// The library is C++: its headers are taken in where the bridge is compiled (CCodecs/draco.cpp). This names it for the linker.
