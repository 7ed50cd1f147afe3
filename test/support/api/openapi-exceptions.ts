/**
 * What is refused with 400 although the description allows it, as the introduction of /openapi.json says: by the operation and
 * what the answer says. Everything else that the description allows must be accepted, be unknown (404) or contradict what there
 * is (409).
 */
const SAID_IN_WORDS: readonly (readonly [operation: RegExp, fault: RegExp])[] = [
  [/^GET \/api\/live$/, /^this is the address of a WebSocket/],
  [/^POST \/api\/update$/, /^the bundle is refused/],
  [
    /^POST \/api\/session\/password$/,
    /^New is (?:one of the passwords that are tried first|the present password)/,
  ],
  [/^POST \/api\/setup$/, /^TimeZone: a time zone that the recorder knows/],
  [/^POST \/api\/system\/configuration$/, /configuration (?:not imported|in this file)|^[\w.]+: /],
  [/^P(?:OST|UT) \/configure\/channels(?:\/\{id\})?$/, /(?:Settings|Name)\b\S*: /],
];

/** What an error answer says that no exception covers. */
export function unexplained(operation: string, answer: string): readonly string[] {
  const message = /"ErrorMessage":"(.*)"\}/s.exec(answer)?.[1] ?? answer.replace(/^.*Message: /s, "");
  return message
    .split("; ")
    .map((fault) => fault.trim())
    .filter((fault) => !/^and \d+ more/.test(fault))
    .filter((fault) => !SAID_IN_WORDS.some(([of, said]) => of.test(operation) && said.test(fault)));
}
