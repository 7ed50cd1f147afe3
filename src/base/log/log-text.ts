/** Lines of the log for people: the same lines as JSON, read on a terminal. */

const LEVELS: Readonly<Record<number, string>> = {
  10: "TRACE",
  20: "DEBUG",
  30: "INFO",
  40: "WARN",
  50: "ERROR",
  60: "FATAL",
};
const LEVEL_WIDTH = 5;
/** Members that name a camera by its id, alone or with the type of a stream after it. */
const CAMERA_MEMBERS = ["camera", "channel", "channelId", "stream", "subject"];
const GUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;
const PLAIN_VALUE = /^[\w.,:/+@%-]+$/;

/** The name of the camera with this id; undefined where there is none. */
export type CameraName = (id: string) => string | undefined;

/**
 * Time, level, the camera's name, message, fields: `2026-11-22T23:54:33.746Z WARN  Gate: message  reason="no answer"`.
 * A line that is no JSON object is returned as it is.
 */
export function logText(line: string, nameOf: CameraName): string {
  const entry = readEntry(line);
  if (entry === undefined) return `${withoutControls(line.trimEnd())}\n`;
  const { time, level, msg, ...fields } = entry;
  const when = typeof time === "number" ? new Date(time).toISOString() : "";
  const word = (LEVELS[Number(level)] ?? String(level)).padEnd(LEVEL_WIDTH);
  const camera = cameraOf(fields, nameOf);
  const text = `${camera === undefined ? "" : `${camera}: `}${String(msg ?? "")}`;
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${shown(value)}`);
  return `${withoutControls([when, word, text, ...(rest.length > 0 ? ["", ...rest] : [])].join(" ").trim())}\n`;
}

function readEntry(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "object" && entry !== null ? { ...entry } : undefined;
  } catch {
    return undefined; // not of this log: shown as it is
  }
}

function cameraOf(fields: Readonly<Record<string, unknown>>, nameOf: CameraName): string | undefined {
  for (const member of CAMERA_MEMBERS) {
    const value = fields[member];
    const id = typeof value === "string" ? GUID.exec(value)?.[0] : undefined;
    const name = id === undefined ? undefined : nameOf(id.toLowerCase());
    if (name !== undefined) return name;
  }
  return undefined;
}

function shown(value: unknown): string {
  if (typeof value === "string" && PLAIN_VALUE.test(value)) return value;
  return JSON.stringify(value) ?? "";
}

/** What a camera or a client wrote must not steer the terminal. */
function withoutControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is meant
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, " ");
}
