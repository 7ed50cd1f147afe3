import { LANGUAGES } from "../../base/index.js";
import { choice, decimal, flag, id, meaning, needed, whole } from "../kinds/kinds.js";
import { ids, moment, momentOrBinary, or, type Parameters, spelled, words } from "./parameters.js";
import { formatQuery } from "./viewing.js";

/** Events, live and stored, and what was found in pictures. */

export const liveEventsQuery = {
  channelid: meaning("Only events of this channel.", id),
  filter: meaning(
    "Only events of this type. A type that this recorder does not know has no events: keep-alives come, and with `mode=demo` the virtual plates.",
    id,
  ),
  mode: meaning(
    "`demo` adds a virtual plate every 3 s: a number, the initiator `ExternalEvent`, all other values empty or zero. It is kept nowhere and belongs to no channel, whatever `channelid` says.",
    or(choice("realtime", "demo"), "realtime"),
  ),
  ...formatQuery,
} as const satisfies Parameters;

const languages = choice(...LANGUAGES);

export const archiveEventsQuery = {
  shortevent: meaning("Items have only `EventCategory`, `EventId` and `Timestamp`.", flag),
  language: meaning(
    "An addition of nvrd's: `EventDescription` and `EventComment` in this language where the recorder wrote them. Texts of cameras, users and other programs stay, as do details of errors. When left out: the name of the type in the language of the setting `language`, and comments in English.",
    languages,
  ),
} as const satisfies Parameters;

export const specialEventsQuery = {
  starttime: meaning("The first moment, included; also a `BinaryTimestamp`.", needed(momentOrBinary)),
  endtime: meaning(
    "The last moment, included; also a `BinaryTimestamp`. One before `starttime` leaves nothing.",
    needed(momentOrBinary),
  ),
  eventid: meaning("Only events of this type. One that this recorder does not know has none.", id),
  channelid: meaning("Only events of this channel. When left out: all that the user may see.", id),
  ...formatQuery,
} as const satisfies Parameters;

export const eventTypesQuery = {
  language: meaning(
    "An addition of nvrd's: names in this language, whatever the setting `language` says. Events keep the name in the language of the setting.",
    languages,
  ),
  ...formatQuery,
} as const satisfies Parameters;

const LABELS_MAX = 16;
const TEXT_LENGTH_MAX = 64;
/** As many as the address of a request holds, with other parameters beside them. */
const CHANNELS_MAX = 200;
const LABEL = `[^,]{0,${TEXT_LENGTH_MAX}}`;
const part = decimal(0, 1);
const searched = words(TEXT_LENGTH_MAX);

/** Microseconds until the year 2255, which a number still tells apart, and which of the events of that moment. */
export const FINDING_ID_PATTERN = "^(?:[0-8]?[0-9]{1,15})-[0-9]{1,15}$";

export const findingsQuery = {
  channelids: meaning(
    `Ids of channels, at most ${CHANNELS_MAX}, with commas. When left out: all that the user sees.`,
    ids(CHANNELS_MAX),
  ),
  labels: meaning(
    `Labels (\`car\`, \`dog\`) or kinds (\`plate\`, \`face\`, \`person\`, \`vehicle\`, \`object\`), at most ${LABELS_MAX}, with commas.`,
    spelled(
      `^${LABEL}(?:,${LABEL}){0,${LABELS_MAX - 1}}$`,
      `at most ${LABELS_MAX} labels of ${TEXT_LENGTH_MAX} characters, with commas`,
    ),
  ),
  starttime: meaning("Included. When left out: the first event.", moment),
  endtime: meaning("Included. When left out: now.", moment),
  left: meaning("A region of the picture: what touches it is found. All four sides, or none.", part),
  top: meaning("Of the region.", part),
  width: meaning("Of the region.", part),
  height: meaning("Of the region.", part),
  minconfidence: meaning("Percent.", or(decimal(0, 100), 0)),
  number: meaning("A part of a plate's number, in any case.", searched),
  name: meaning("A part of the name of a face, in any case.", searched),
  limit: meaning("Findings of a page.", or(whole(1, 200), 50)),
  before: meaning("`Next` of the page before.", spelled(FINDING_ID_PATTERN, "`Next` of the page before")),
} as const satisfies Parameters;
