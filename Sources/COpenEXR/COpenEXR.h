#include <openexr.h>
