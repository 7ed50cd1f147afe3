import { createRequire } from "node:module";

type LdapLibrary = typeof import("ldapts");

let library: LdapLibrary | undefined;

/** ldapts, loaded by the first call: with its dependencies it has about thirty modules, and most recorders use no directory. */
export function ldapLibrary(): LdapLibrary {
  library ??= createRequire(import.meta.url)("ldapts") as LdapLibrary;
  return library;
}
