import { LANGUAGES } from "../../base/index.js";
import { SEEN_KINDS } from "../../base/kinds/index.js";
import { FINDING_DIRECTIONS, FINDING_SOURCES } from "../answer/index.js";
import { choice, decimal, flag, id, meaning, needed, whole } from "../kinds/kinds.js";
import { ids, moment, momentOrBinary, or, type Parameters, spelled, words } from "./parameters.js";
import { formatQuery, optionalPicture } from "./viewing.js";

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

const WORDS_OF_LIST_MAX = 40;
const TEXT_LENGTH_MAX = 64;
/** As many as the address of a request holds, with other parameters beside them. */
const CHANNELS_MAX = 200;
const WORD = `[^,]{0,${TEXT_LENGTH_MAX}}`;
const part = decimal(0, 1);
const searched = words(TEXT_LENGTH_MAX);

const listOfWords = (noun: string) =>
  spelled(
    `^${WORD}(?:,${WORD}){0,${WORDS_OF_LIST_MAX - 1}}$`,
    `at most ${WORDS_OF_LIST_MAX} ${noun} of ${TEXT_LENGTH_MAX} characters, with commas`,
  );
const listOfNames = (names: readonly string[]) => {
  const one = `(?:${names.join("|")})`;
  return spelled(`^(?:${one}(?:,${one}){0,${WORDS_OF_LIST_MAX - 1}})?$`, `${names.join(", ")}, with commas`);
};

/** A channel, and microseconds until the year 2255, which a number still distinguishes. */
export const FINDING_ID_PATTERN = "^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-[0-8]?[0-9]{1,15}$";

export const findingsQuery = {
  channelids: meaning(
    `Ids of channels, at most ${CHANNELS_MAX}, with commas. When left out: all whose archive the user may see.`,
    ids(CHANNELS_MAX),
  ),
  text: meaning(
    "Words, each of which has to fit: a kind in English or Russian, or the begin of a word of a label, zone, line, plate, name or camera: `person gate`.",
    words(128),
  ),
  kinds: meaning(
    "Kinds, with commas: `person,vehicle`. With `lineCrossed` also whoever crossed a line of the recorder's detector.",
    listOfNames(SEEN_KINDS),
  ),
  labels: meaning("Labels (`car`, `dog`) or kinds, with commas.", listOfWords("labels")),
  sources: meaning("Who saw it, with commas.", listOfNames(FINDING_SOURCES)),
  zones: meaning("Names of zones, with commas: one of them.", listOfWords("zones")),
  lines: meaning("Names of lines that were crossed, with commas: one of them.", listOfWords("lines")),
  direction: meaning("In which direction a line was crossed.", choice(...FINDING_DIRECTIONS)),
  starttime: meaning("What lasted until then, or began later. When left out: all.", moment),
  endtime: meaning("What began until then. When left out: now.", moment),
  left: meaning("A region of the picture: what touches it is found. All four sides, or none.", part),
  top: meaning("Of the region.", part),
  width: meaning("Of the region.", part),
  height: meaning("Of the region.", part),
  minsize: meaning("The least part of the picture that it fills at its best.", or(part, 0)),
  minscore: meaning("How sure who saw it has to be.", or(part, 0)),
  number: meaning("A part of a plate's number, in any case.", searched),
  name: meaning("A part of the name of a face, in any case.", searched),
  unseen: meaning("Only what the user has not marked as seen.", flag),
  limit: meaning("Findings of a page.", or(whole(1, 200), 50)),
  before: meaning("`Next` of the page before.", spelled(FINDING_ID_PATTERN, "`Next` of the page before")),
} as const satisfies Parameters;

export const findingPictureQuery = {
  size: meaning("Longest side in pixels.", or(whole(32, 1920), 320)),
  whole: meaning("The whole picture, and not what is cut out of it.", flag),
  time: meaning("The moment that is shown. When left out: the one at which it was seen best.", moment),
  ...optionalPicture,
} as const satisfies Parameters;
