/**
 * Who answers for a package: the person who makes it, as Debian's tools take them from DEBFULLNAME and DEBEMAIL (debchange(1)),
 * else the author of the commit that it is made of.
 */
import { spawnSync } from "node:child_process";

/** Debian Policy 5.6.2: a name, and an address in angle brackets. */
const PERSON = /^[^<>,\r\n]+ <[^<>@\s]+@[^<>@\s]+>$/;

/**
 * The value of the field Maintainer. Throws an Error that says what to set where nobody is named rightly.
 *
 * @param {{ DEBFULLNAME?: string | undefined, DEBEMAIL?: string | undefined }} env
 * @param {string} author of the commit, as `Name <address>`
 */
export function maintainerOf({ DEBFULLNAME = "", DEBEMAIL = "" }, author) {
  if (DEBFULLNAME === "" && DEBEMAIL === "") return checked(author.trim());
  return checked(`${DEBFULLNAME.trim()} <${DEBEMAIL.trim()}>`);
}

function checked(person) {
  if (PERSON.test(person)) return person;
  throw new Error(`no maintainer for the package, "${person}" is none: set DEBFULLNAME and DEBEMAIL`);
}

/** The author of the newest commit of the checkout `root`; "" where git knows none. */
export function authorOf(root) {
  const log = spawnSync("git", ["log", "-1", "--format=%an <%ae>"], { cwd: root, encoding: "utf8" });
  return log.status === 0 ? log.stdout.trim() : "";
}
