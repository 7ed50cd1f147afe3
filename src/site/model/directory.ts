import type { directory, StoredOf } from "../../contract/index.js";

/** A directory of users (LDAP) in the configuration; the room `access` asks it. */
export type DirectorySettings = StoredOf<typeof directory>;
