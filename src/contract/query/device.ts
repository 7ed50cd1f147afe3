import { IPV4, OCTET } from "../kinds/host-patterns.js";
import { choice, decimal, id, meaning, needed, number, whole } from "../kinds/kinds.js";
import { ANNOUNCEMENT_NAME_LENGTH_MAX, POSITION_NAME_LENGTH_MAX } from "../resource/text-lengths.js";
import { lineOf, numberOf, or, type Parameters, spelled } from "./parameters.js";
import { formatQuery } from "./viewing.js";

/** What is asked of cameras: movements, sound, and who is there. */

/** The time after which the recorder stops a movement, in milliseconds; clients repeat the command to move longer. */
export const PTZ_STOP_AFTER_MS = { min: 50, max: 30_000, usual: 5000 } as const;

/** Each with the parameters that it needs besides the channel. */
export const PTZ_COMMANDS = {
  getcapabilities: [],
  startmove: [],
  stop: [],
  zoom: ["zoomstep"],
  startzoom: ["speed"],
  gotopreset: ["index"],
  savepreset: ["name"],
  removepreset: ["index"],
  gotohome: [],
  setautofocus: [],
  moveto: ["width", "height", "x", "y"],
} as const;
export type PtzCommandName = keyof typeof PTZ_COMMANDS;

const PIXELS_MAX = 65_535;
const side = decimal(1, PIXELS_MAX);
const point = decimal(0, PIXELS_MAX);

/** Each command uses some of them, and takes no notice of the others. */
export const ptzQuery = {
  command: meaning("The command.", needed(choice(...(Object.keys(PTZ_COMMANDS) as PtzCommandName[])))),
  channelid: meaning("The channel.", needed(id)),
  panspeed: meaning(
    "`startmove`: the speed to the right, -100 to 100; beyond them as the nearest. 0 when left out.",
    number,
  ),
  tiltspeed: meaning("`startmove`: the speed upwards, as `panspeed`.", number),
  stoptimeout: meaning(
    `\`startmove\`, \`startzoom\`: milliseconds until the recorder stops the camera, ${PTZ_STOP_AFTER_MS.min} to ${PTZ_STOP_AFTER_MS.max}; beyond them as the nearest, 0 and less as ${PTZ_STOP_AFTER_MS.max}.`,
    or(number, PTZ_STOP_AFTER_MS.usual),
  ),
  zoomstep: meaning("`zoom`: the step, -100 to 100; positive zooms in.", number),
  speed: meaning("`startzoom`: the speed, -100 to 100; positive zooms in.", number),
  index: meaning(
    "`gotopreset`, `savepreset`, `removepreset`: the camera's own number; counted from 1 if it has no numbers.",
    whole(0, 999_999),
  ),
  name: meaning("`savepreset`: what the position is called.", lineOf(POSITION_NAME_LENGTH_MAX)),
  width: meaning("`moveto`: the width of the picture that is shown, in pixels.", side),
  height: meaning("`moveto`: its height.", side),
  x: meaning("`moveto`: the point, from the left edge of the picture; at most `width`.", point),
  y: meaning("`moveto`: the point, from the upper edge; at most `height`.", point),
  ...formatQuery,
} as const satisfies Parameters;

/** Sampling frequencies of AAC by their index (ISO/IEC 14496-3, table 1.18). */
export const AAC_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
] as const;
export type AacRate = (typeof AAC_RATES)[number];

/** The sound of a speaker's socket. */
export const talkQuery = {
  law: meaning("The law of G.711 that is sent, or AAC.", or(choice("mu", "a", "aac"), "mu")),
  rate: meaning("Samples of AAC a second.", or(numberOf(...AAC_RATES), 16_000)),
  channels: meaning("Channels of AAC.", or(numberOf(1, 2), 1)),
  opens: meaning("When the WebSocket opens.", or(choice("listening", "atOnce"), "listening")),
} as const satisfies Parameters;

export const announcementQuery = {
  name: meaning("What users call it.", needed(lineOf(ANNOUNCEMENT_NAME_LENGTH_MAX))),
} as const satisfies Parameters;

const SCAN_SECONDS_USUAL = 5;

/** A search for cameras. */
export const discoveryQuery = {
  interface: meaning("Scans only on this interface: its name, or one of its addresses.", lineOf(64)),
  address: meaning(
    "Scans these hosts individually, at most 1024: `192.168.1.10`, `192.168.1.10:8000`, `192.168.1.10-40`, `192.168.1.0/24`.",
    // The usual spellings; others, such as IPv6 in brackets, are read too.
    spelled(
      `^(?:|${IPV4}(?::[1-9]\\d{0,3}|/(?:2[2-9]|3[0-2])|-${OCTET})?|[A-Za-z_](?:[A-Za-z0-9_.-]{0,60}[A-Za-z0-9_])?)$`,
    ),
  ),
  timeout: meaning(
    `Seconds. When left out: ${SCAN_SECONDS_USUAL}, and more for a range. 0 returns the known devices at once.`,
    decimal(0, 60),
  ),
} as const satisfies Parameters;
