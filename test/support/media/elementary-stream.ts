/** Takes elementary streams apart, to compare what was received with what was sent. */

/** The NAL units of an Annex B stream (ITU-T H.264, B.1; H.265, B.1), without start codes and trailing zeros. */
export function nalUnits(stream: Buffer): Buffer[] {
  const units: Buffer[] = [];
  let start = -1;
  for (let at = 0; at + 3 <= stream.length; at += 1) {
    if (stream[at] !== 0 || stream[at + 1] !== 0 || stream[at + 2] !== 1) continue;
    if (start >= 0) units.push(withoutTrailingZeros(stream.subarray(start, at)));
    start = at + 3;
    at += 2;
  }
  if (start >= 0) units.push(withoutTrailingZeros(stream.subarray(start)));
  return units;
}

function withoutTrailingZeros(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return bytes.subarray(0, end);
}

/** NAL units other than access unit delimiters and parameter sets, which senders repeat and leave out at will. */
export function codedNalUnits(stream: Buffer, codec: "h264" | "h265"): Buffer[] {
  return nalUnits(stream).filter((unit) => {
    const type = codec === "h264" ? (unit[0] ?? 0) & 0x1f : ((unit[0] ?? 0) >> 1) & 0x3f;
    return codec === "h264" ? type < 7 : type < 32 || type > 35;
  });
}

/** The pictures of an MPEG-4 Part 2 stream: from each VOP start code to the next start code (ISO/IEC 14496-2, 6.2). */
export function mpeg4Pictures(stream: Buffer): Buffer[] {
  const pictures: Buffer[] = [];
  const startCode = Buffer.from([0, 0, 1]);
  for (let at = stream.indexOf(startCode); at >= 0; ) {
    const next = stream.indexOf(startCode, at + 3);
    if (stream[at + 3] === 0xb6) pictures.push(stream.subarray(at, next < 0 ? stream.length : next));
    at = next;
  }
  return pictures;
}

/** What RFC 2435 carries of each JPEG in a row: quantisation tables, size, and scan data. */
export function jpegContents(stream: Buffer): Buffer[] {
  const pictures: Buffer[] = [];
  for (let at = 0; at >= 0 && at + 2 < stream.length; ) {
    const { content, end } = jpegContent(stream, at);
    pictures.push(content);
    at = stream.indexOf(Buffer.from([0xff, 0xd8]), end);
  }
  return pictures;
}

const SOF0 = 0xc0;
const DQT = 0xdb;
const SOS = 0xda;

function jpegContent(stream: Buffer, start: number): { content: Buffer; end: number } {
  const tables = new Map<number, Buffer>();
  let frame: Buffer = Buffer.alloc(0);
  let at = start + 2;
  for (;;) {
    const marker = stream[at + 1];
    const length = stream.readUInt16BE(at + 2);
    const body = stream.subarray(at + 4, at + 2 + length);
    if (marker === DQT)
      for (let table = 0; table < body.length; table += 65)
        tables.set((body[table] ?? 0) & 15, body.subarray(table + 1, table + 65));
    if (marker === SOF0) frame = body;
    at += 2 + length;
    if (marker === SOS) break;
  }
  let end = stream.indexOf(Buffer.from([0xff, 0xd9]), at);
  if (end < 0) end = stream.length;
  // Which table a component names may differ; what stands in it may not.
  const used = [frame[8] ?? 0, frame[11] ?? 0, frame[14] ?? 0].map(
    (index) => tables.get(index) ?? Buffer.alloc(0),
  );
  return { content: Buffer.concat([...used, frame.subarray(1, 5), stream.subarray(at, end)]), end };
}

/** The raw access units of an ADTS stream (ISO/IEC 13818-7, 6.2). */
export function adtsUnits(stream: Buffer): Buffer[] {
  const units: Buffer[] = [];
  for (let at = 0; at + 7 <= stream.length; ) {
    const length =
      ((stream.readUInt8(at + 3) & 3) << 11) |
      (stream.readUInt8(at + 4) << 3) |
      (stream.readUInt8(at + 5) >> 5);
    units.push(stream.subarray(at + 7, at + length));
    at += length;
  }
  return units;
}

/**
 * Whether `received` is a run of `sent` repeated without end, byte for byte; answers the index and the lengths
 * where it is not, undefined when it is.
 */
export function differenceFromLoop(received: readonly Buffer[], sent: readonly Buffer[]): string | undefined {
  const [first] = received;
  if (first === undefined || sent.length === 0) return "nothing received or nothing sent";
  let best = "the first unit received was never sent";
  for (const [start, unit] of sent.entries()) {
    if (!unit.equals(first)) continue;
    const wrong = received.findIndex(
      (bytes, index) => !bytes.equals(sent[(start + index) % sent.length] ?? Buffer.alloc(0)),
    );
    if (wrong < 0) return undefined;
    best = `unit ${wrong} after unit ${start} of the clip: ${received[wrong]?.length} bytes received`;
  }
  return best;
}
