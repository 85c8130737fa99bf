// A file of its own: only it is compiled again for another commit.
#include "CVersion.h"

#ifndef VITRINE_COMMIT
#define VITRINE_COMMIT ""
#endif

const char *vitrine_commit(void) { return VITRINE_COMMIT; }
