// lmdb-js includes Node's own header of this name to tell whether its V8 functions fit the running Node. This build uses
// Node-API alone, which every Node has: no version of V8 fits.
#ifndef NVRD_LMDB_NODE_VERSION_H_
#define NVRD_LMDB_NODE_VERSION_H_

#define NODE_MAJOR_VERSION 0
#define NODE_VERSION_AT_LEAST(major, minor, patch) 0

#endif  // NVRD_LMDB_NODE_VERSION_H_
