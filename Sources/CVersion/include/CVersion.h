#ifndef CVERSION_H
#define CVERSION_H

/// The commit that an installed command was built from; "" in other builds.
const char *vitrine_commit(void);

#endif
