/** Frames of HTTP/2 (RFC 9113) as nobody who means well sends them. */

export const FRAME = {
  ...{ data: 0, headers: 1, priority: 2, reset: 3, settings: 4, push: 5, ping: 6, goaway: 7, window: 8 },
  continuation: 9,
} as const;
export const FLAG = { endStream: 1, ack: 1, endHeaders: 4 } as const;
/** What a client says first (RFC 9113, 3.4). */
export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

export function frame(
  type: number,
  {
    flags = 0,
    stream = 0,
    payload = Buffer.alloc(0),
  }: { flags?: number; stream?: number; payload?: Buffer } = {},
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A header that is not to be remembered, or is (RFC 7541, 6.2). */
export function literal(name: string, value: string, isRemembered = false): Buffer {
  return Buffer.concat([Buffer.of(isRemembered ? 0x40 : 0), text(name), text(value)]);
}

/** The headers of a request for a path. */
export function requestBlock(path: string): Buffer {
  const named = [
    [":method", "GET"],
    [":scheme", "https"],
    [":authority", "box"],
    [":path", path],
  ] as const;
  return Buffer.concat(named.map(([name, value]) => literal(name, value)));
}

/** The newest header that was remembered, so many times. */
export function again(times: number): Buffer {
  return Buffer.alloc(times, 0x80 | 62);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  if (bytes.length < 127) return Buffer.concat([Buffer.of(bytes.length), bytes]);
  const length = [0x7f];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) | 128);
  return Buffer.concat([Buffer.of(...length, rest), bytes]);
}
