/** Items of /event and /specialarchiveevents as existing programs read them: by line and position. */

export interface ReadItem {
  readonly members: readonly (readonly [name: string, value: string | string[]])[];
  readonly names: string;
  readonly bytes: number;
  value(name: string): string | string[] | undefined;
}

/** Reads `{CRLF TAB"Name" : value,CRLF … }` strictly; throws naming the line that is none. */
export function readItem(text: string): ReadItem {
  const lines = text.split("\r\n");
  if (lines.shift() !== "{") throw new Error(`no { alone on the first line of ${text}`);
  if (lines.pop() !== "}") throw new Error(`no } alone on the last line of ${text}`);
  const members = lines.map((line, index): [string, string | string[]] => {
    const match = /^\t"(\w+)" : ("(?:[^"\\}]|\\.)*"|\[[^}]*\])(,?)$/.exec(line);
    if (match === null) throw new Error(`not a member: ${line}`);
    const [, name = "", value = "", comma] = match;
    if ((comma === ",") !== index < lines.length - 1) throw new Error(`comma out of place: ${line}`);
    return [name, JSON.parse(value) as string | string[]];
  });
  const byName = new Map(members);
  if (byName.size !== members.length) throw new Error(`a member twice: ${text}`);
  return {
    members,
    names: members.map(([name]) => name).join(" "),
    bytes: Buffer.byteLength(text),
    value: (name) => byName.get(name),
  };
}

/** The items of a body of /event, each with a blank line before it and none after. */
export function readLiveItems(body: Buffer): ReadItem[] {
  const text = body.toString("utf8");
  if (!text.startsWith("\r\n")) throw new Error("the body does not begin with a line end");
  return text
    .slice(2)
    .split(/(?<=\r\n\})\r\n/)
    .filter((item) => item !== "")
    .map((item) => {
      if (!item.startsWith("\r\n{")) throw new Error(`no blank line before: ${JSON.stringify(item)}`);
      return readItem(item.slice(2));
    });
}

/** The chunks of a chunked answer with what follows each on the wire so far. */
export function readChunks(wire: string): { readonly data: string; readonly terminated: boolean }[] {
  const chunks: { data: string; terminated: boolean }[] = [];
  let at = wire.indexOf("\r\n\r\n") + 4;
  for (;;) {
    const end = wire.indexOf("\r\n", at);
    const size = Number.parseInt(wire.slice(at, end), 16);
    if (end < 0 || !(size > 0) || wire.length < end + 2 + size) return chunks;
    const after = end + 2 + size;
    chunks.push({ data: wire.slice(end + 2, after), terminated: wire.slice(after, after + 2) === "\r\n" });
    at = after + 2;
  }
}
