/**
 * What is refused with 400 although the description allows it, as the introduction of /openapi.json says: by the operation and
 * what the answer says. Everything else that the description allows must be accepted, be unknown (404) or contradict what there
 * is (409).
 */
const SAID_IN_WORDS: readonly (readonly [operation: RegExp, fault: RegExp])[] = [
  [/^GET \/api\/(?:live|channels\/\{id\}\/talk)$/, /^this is the address of a WebSocket/],
  [/^POST \/api\/update$/, /^the bundle is refused/],
  [
    /^POST \/api\/session\/password$/,
    /^New is (?:one of the passwords that are tried first|the present password)/,
  ],
  [/^POST \/api\/setup$/, /^TimeZone: a time zone that the recorder knows/],
  [/^POST \/api\/system\/configuration$/, /configuration (?:not imported|in this file)|^[\w.]+: /],
  [/^POST \/api\/tasks$/, /^(?:Csv|Pictures|WithChannelIds): /],
  [/ \/exportarchive$/, /^an export may be 24 hours long/],
  [/ \/archivefragments$/, /^fromtime is later than totime/],
  [
    /^GET \/api\/(?:timeline|strip)$/,
    /^(?:to must be later than from|from and to are more than \d+ days apart)/,
  ],
  [/^POST \/archive_events$/, /^startTimeUtc: is later than endTimeUtc/],
  [/^POST \/api\/push\/subscriptions$/, /^(?:Endpoint: an https:|Keys\.(?:P256dh|Auth): )/],
  [/^P(?:OST|UT) \/configure\/away$/, /(?:Identity|Recipients)\S*: .* whose checksum is right$/],
  [/^P(?:OST|UT) \/configure\/away$/, /Hours\[\d+\]\.ToMinute: is not after FromMinute$/],
  [/^P(?:OST|UT) \/configure\/alarms$/, /SendingHours\.Week: is required$/],
  [/^P(?:OST|UT) \/configure\/alarms$/, /Webhook\.(?:To: |Secret: the token that the service gave$)/],
  [/^GET /, /^path and query are longer than 8192 characters/],
  [/./, / says otherwise than /],
  [
    /^P(?:OST|UT) \/configure\//,
    /^\S*: is that of another (?:camera|directory|proxy|server): enter it again$/,
  ],
  [/^P(?:OST|UT) \/configure\/channels(?:\/\{id\})?$/, /(?:Settings|Name)\b\S*: /],
];

/** What alone would be answered with 404 or 409; beside other faults it is named with them. */
const OF_ANOTHER_STATUS = /: (?:names no |contradicts the id |not a server of this configuration)/;

/** What an error answer says that no exception covers. */
export function unexplained(operation: string, answer: string): readonly string[] {
  const message = /"ErrorMessage":"(.*)"\}/s.exec(answer)?.[1] ?? answer.replace(/^.*Message: /s, "");
  const faults = message
    .split("; ")
    .map((fault) => fault.trim())
    .filter((fault) => !/^and \d+ more/.test(fault));
  const left = faults.filter(
    (fault) => !SAID_IN_WORDS.some(([of, said]) => of.test(operation) && said.test(fault)),
  );
  return left.length === faults.length ? left : left.filter((fault) => !OF_ANOTHER_STATUS.test(fault));
}
