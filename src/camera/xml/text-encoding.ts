/**
 * Text of a device: in the encoding that it names, and where the bytes are none of that, in the one that they look like. Many
 * devices write what their owner typed as he typed it, whatever they declare.
 */
export function decodeText(bytes: Uint8Array, ...labels: readonly (string | undefined)[]): string {
  const named = labels.map((label) => (label === undefined ? undefined : encodingOf(label)));
  const [first] = named.filter((encoding) => encoding !== undefined);
  if (first !== undefined && first !== "utf-8") {
    const text = decoded(bytes, "utf-8");
    if (text !== undefined && isMeant(text, first)) return text;
  }
  for (const encoding of new Set([...named, "utf-8"])) {
    const text = encoding === undefined ? undefined : decoded(bytes, encoding);
    if (text !== undefined) return text;
  }
  return new TextDecoder(likelyEncoding(bytes)).decode(bytes);
}

/** Encodings with a byte a character: whatever the bytes are, they can be read so. */
const SINGLE_BYTE = /^(?:windows-|iso-8859|koi8|macintosh|x-mac|ibm)/;

/**
 * Whether what can be read as UTF-8 is UTF-8, whatever is declared: in an encoding with a byte a character hardly anything looks
 * like it, and in one with two bytes only words of two letters do.
 */
function isMeant(text: string, declared: string): boolean {
  const runs = text.match(/\P{ASCII}+/gu) ?? [];
  return runs.length > 0 && (SINGLE_BYTE.test(declared) || runs.every((run) => !/[\u0080-\u07ff]/.test(run)));
}

/** Undefined: the bytes are not written in it. */
function decoded(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Names that devices use, and the Encoding Standard does not know; without separators, lower case. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["cp936", "gb18030"],
  ["ms936", "gb18030"],
  ["gb23121980", "gb18030"],
  ["cp932", "shift_jis"],
  ["cp949", "euc-kr"],
  ["cp950", "big5"],
  ["win1251", "windows-1251"],
  ["ansi", "windows-1252"],
]);

/** Undefined for a name that nobody knows. A document that is read byte by byte is not in UTF-16, whatever it declares. */
function encodingOf(label: string): string | undefined {
  if (/^utf-?16/i.test(label)) return "utf-8";
  const other = OTHER_NAMES.get(label.toLowerCase().replace(/[^a-z0-9]/g, ""));
  try {
    return other ?? new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** Bytes of a text by which its encoding is guessed: enough for some names. */
const LOOKED_AT = 32 * 1024;
/** Pairs of bytes that GB 2312 gives to signs and to its usual characters. */
const GB2312_PAIRS = /^(?:[\xa1-\xd7][\xa1-\xfe])+$/;
/** Letters of Windows-1251; in Windows-1252 they are letters with accents, which stand between letters of ASCII. */
const CYRILLIC_WORD = /^[\xa8\xb8\xb9\xc0-\xff]{2,}$/;

/** What bytes that are no UTF-8 are written in, by most of their runs above ASCII. */
function likelyEncoding(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(LOOKED_AT, bytes.byteLength));
  const runs = start.toString("latin1").match(/[\x80-\xff]+/g) ?? [];
  const most = (isOne: (run: string) => boolean): boolean => runs.filter(isOne).length * 2 >= runs.length;
  if (most(isCutUtf8)) return "utf-8";
  if (most((run) => GB2312_PAIRS.test(run))) return "gb18030";
  return most((run) => CYRILLIC_WORD.test(run)) ? "windows-1251" : "windows-1252";
}

/** Whether a run is UTF-8 but for its end: devices cut names at a number of bytes. */
function isCutUtf8(run: string): boolean {
  const bytes = Buffer.from(run, "latin1");
  return [0, 1, 2, 3].some(
    (cut) => bytes.length - cut >= 2 && decoded(bytes.subarray(0, bytes.length - cut), "utf-8") !== undefined,
  );
}
