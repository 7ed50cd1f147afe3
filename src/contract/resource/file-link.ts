import { line, needed, secret, whole } from "../kinds/kinds.js";
import type { TextsOf } from "../kinds/texts.js";

/** A link to a file for somebody without a login: the body that makes one. */
export const fileLink = {
  Hours: needed(whole(1, 168)),
  Password: secret(line(128)),
} as const;

export const fileLinkTexts: TextsOf<typeof fileLink> = {
  Hours: "How long it is there. It ends with the file, whatever was asked for.",
  Password: "Asked of whoever opens the link. Absent, null or empty: none.",
};
