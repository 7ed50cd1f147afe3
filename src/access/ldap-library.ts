import { createRequire } from "node:module";

type LdapLibrary = typeof import("ldapts");

let library: LdapLibrary | undefined;

/** ldapts, loaded by the first call: with what it needs it is some thirty modules, and most recorders ask no directory. */
export function ldapLibrary(): LdapLibrary {
  library ??= createRequire(import.meta.url)("ldapts") as LdapLibrary;
  return library;
}
