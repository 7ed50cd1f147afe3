/** Minimum pino level for each syslog priority (RFC 5424, 6.2.1). */
const PRIORITIES: readonly (readonly [number, number])[] = [
  [60, 2],
  [50, 3],
  [40, 4],
  [30, 6],
];
const PRIORITY_DEBUG = 7;
/** Members that are not written as fields. */
const OTHER_MEMBERS = new Set(["level", "time", "msg"]);
const FIELDS_MAX = 32;
const FIELD_BYTES_MAX = 4096;
const MESSAGE_LENGTH_MAX = 8192;
/** The journal accepts names of up to 64 bytes: capital letters, digits, underscores (systemd.journal-fields(7)). */
const NAME_LENGTH_MAX = 48;
const LENGTH_BYTES = 8;

/**
 * Converts a log line to the journal's native protocol: MESSAGE with the text followed by the members, PRIORITY, and each
 * member as a separate field, `channelId` as NVRD_CHANNEL_ID. A line that is not a JSON object becomes a plain message.
 */
export function journalEntry(line: string): Uint8Array {
  const { text, priority, members } = readLine(line);
  const shown = members.map(([name, value]) => `${name}=${value}`).join(" ");
  const message = shown === "" ? text : `${text} (${shown})`;
  const fields: [string, string][] = [
    ["MESSAGE", cut(message, MESSAGE_LENGTH_MAX)],
    ["PRIORITY", String(priority)],
    ["SYSLOG_IDENTIFIER", "nvrd"],
  ];
  for (const [name, value] of members) fields.push([fieldName(name), cut(value, FIELD_BYTES_MAX)]);
  return Buffer.concat(fields.map(([name, value]) => encoded(name, value)));
}

function readLine(line: string): {
  readonly text: string;
  readonly priority: number;
  readonly members: readonly (readonly [string, string])[];
} {
  const data = parsed(line);
  if (data === undefined) return { text: line.trimEnd(), priority: PRIORITY_DEBUG - 1, members: [] };
  const members = Object.entries(data)
    .filter(([name, value]) => !OTHER_MEMBERS.has(name) && value !== undefined && value !== null)
    .slice(0, FIELDS_MAX)
    .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)] as const);
  const level = typeof data.level === "number" ? data.level : 0;
  const priority = PRIORITIES.find(([from]) => level >= from)?.[1] ?? PRIORITY_DEBUG;
  return { text: typeof data.msg === "string" ? data.msg : "", priority, members };
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const data: unknown = JSON.parse(line);
    if (typeof data === "object" && data !== null && !Array.isArray(data)) return { ...data };
  } catch {
    // Not a line of pino: the caller takes it as text.
  }
  return undefined;
}

function fieldName(name: string): string {
  const snake = name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, "_$&").toUpperCase();
  return `NVRD_${snake.replaceAll(/[^A-Z0-9]/g, "_").slice(0, NAME_LENGTH_MAX)}`;
}

function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1)}…`;
}

/** A value with a line break is sent with its length, little endian, instead of the equals sign. */
function encoded(name: string, value: string): Uint8Array {
  if (!value.includes("\n")) return Buffer.from(`${name}=${value}\n`);
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeBigUInt64LE(BigInt(bytes.length));
  return Buffer.concat([Buffer.from(`${name}\n`), length, bytes, Buffer.from("\n")]);
}
