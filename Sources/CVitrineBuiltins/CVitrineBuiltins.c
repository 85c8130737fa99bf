// This target is its header; SwiftPM wants one file to compile.
#include "CVitrineBuiltins.h"
