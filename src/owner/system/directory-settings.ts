import { isLdapFilter } from "../../access/index.js";
import { changed, defaultsOf, directory, directoryTexts, type InputOf } from "../../contract/index.js";
import { notesOf, readerOf } from "../../contract/reading/index.js";
import { ENTER_AGAIN, Faults, type JsonSchema, schemaOfBody, withNotes } from "../../route/index.js";
import { type DirectorySettings, goesElsewhere, SECRET_PLACES } from "../../site/index.js";

/* The directory of users in the configuration, in bodies and answers. */

export const directoryBody = readerOf(directory);

/** The description of the body, which is that of the answer too. */
export function directorySchema(): JsonSchema {
  return withNotes(schemaOfBody(directoryBody), notesOf(directory, directoryTexts));
}

const FIRST: DirectorySettings = { url: "", baseDn: "", ...defaultsOf(directory) };

/** The directory with the members that are given. Throws NvrdError with all faults. */
export function directoryOf(
  input: InputOf<typeof directory>,
  before: DirectorySettings | undefined,
  at = "",
): DirectorySettings {
  const base = before ?? FIRST;
  const password =
    (input.ServiceDn ?? base.serviceDn) === "" ? "" : input.ServicePassword || base.servicePassword;
  const next = changed(directory, { ...input, ServicePassword: password }, base);
  check(next, { base, isPasswordGiven: Boolean(input.ServicePassword), at });
  return next;
}

function check(
  next: DirectorySettings,
  { base, isPasswordGiven, at }: { base: DirectorySettings; isPasswordGiven: boolean; at: string },
): void {
  const faults = new Faults();
  for (const [name, filter] of [
    ["UserFilter", next.userFilter],
    ["GroupFilter", next.groupFilter],
  ] as const)
    if (filter !== "" && !isLdapFilter(filter)) faults.add(`${at}${name}`, "accepted: a filter (RFC 4515)");
  if (next.url === "") faults.add(`${at}Url`, "is required where there is none yet", "CONFLICT");
  if (next.baseDn === "") faults.add(`${at}BaseDn`, "is required where there is none yet", "CONFLICT");
  const isForAnother = goesElsewhere(SECRET_PLACES.directory(base), SECRET_PLACES.directory(next));
  if (next.serviceDn !== "" && next.servicePassword === "")
    faults.add(`${at}ServicePassword`, "is required with ServiceDn", "CONFLICT");
  else if (next.serviceDn !== "" && !isPasswordGiven && isForAnother)
    faults.add(`${at}ServicePassword`, ENTER_AGAIN.directory, "CONFLICT");
  faults.throwIfAny();
}
