/**
 * What is refused although the description allows it, as the introduction of /openapi.json says: by what the answer says.
 * Everything else that the description allows must be accepted.
 */
const SAID_IN_WORDS: readonly RegExp[] = [
  // Times in the wrong order, too far apart, or too far from now.
  /is later than|is not earlier than|must be later than|the range ends before|hours long|days long|in the future|at most \d+ days before/,
  // Ids that name nothing in this configuration.
  /names no security object|no [\w ]+ has (?:the|this) id|not a server of this configuration|is this server|not a known model|the GUID of a channel you may see/,
  // One object twice, or more than fit.
  /another [\w ]+ has this name|there may be \d+|occurs twice|is named twice|is already in|in two folders|addresses, at most|too many|channels are called/,
  // Members of a camera that do not go together.
  /(?:Settings|Name)\S*: (?:contradicts|must be a complete|must be the|must be empty|must be parameters|must be a host|is not a URL|holds|has a different|the model is not|that stream is|a stream that is|a folder|is the model's|give both|needs|is \d+, more than|the range from|has broken)/,
  /(?:Settings|Roles)\S*: \w+ can be given to one stream only|the main stream cannot be|give both Latitude|needs Latitude|accepted:|a zone|Zones/,
  // The state of what is changed.
  /the root (?:security object )?cannot be|cannot be moved into itself|senior administrators have every|send a new Password|contradicts (?:All|the id in)/,
  /the bundle is refused/,
];

/** What an error answer says that no exception covers. */
export function unexplained(answer: string): readonly string[] {
  const message = /"ErrorMessage":"(.*)"\}/s.exec(answer)?.[1] ?? answer.replace(/^.*Message: /s, "");
  return message
    .split("; ")
    .map((fault) => fault.trim())
    .filter((fault) => !/^and \d+ more/.test(fault) && !SAID_IN_WORDS.some((said) => said.test(fault)));
}
