/** Writes RTP packets and interleaved frames for tests. */
export interface RtpFields {
  readonly payloadType?: number;
  readonly sequence?: number;
  readonly timestamp?: number;
  readonly ssrc?: number;
  readonly marker?: boolean;
  readonly csrc?: number;
  /** Contributing sources that the header counts; `csrc` by default. */
  readonly csrcCount?: number;
  /** Bytes of a header extension, a multiple of 4. */
  readonly extension?: Buffer;
  /** 0xbede by default. */
  readonly extensionProfile?: number;
  /** Bytes of padding, written as RFC 3550 says unless `paddingCount` says otherwise. */
  readonly padding?: number;
  readonly paddingCount?: number;
}

export function rtpPacket(fields: RtpFields, payload: Buffer): Buffer {
  const header = Buffer.alloc(12 + 4 * (fields.csrc ?? 0));
  const padding = Buffer.alloc(fields.padding ?? 0);
  if (padding.length > 0) padding[padding.length - 1] = fields.paddingCount ?? padding.length;
  const counted = fields.csrcCount ?? fields.csrc ?? 0;
  header[0] = 0x80 | counted | (fields.extension ? 0x10 : 0) | (padding.length > 0 ? 0x20 : 0);
  header[1] = (fields.payloadType ?? 96) | (fields.marker ? 0x80 : 0);
  header.writeUInt16BE((fields.sequence ?? 0) & 0xffff, 2);
  header.writeUInt32BE((fields.timestamp ?? 0) >>> 0, 4);
  header.writeUInt32BE((fields.ssrc ?? 0x1234) >>> 0, 8);
  const pieces: Buffer[] = [header];
  if (fields.extension) {
    const head = Buffer.alloc(4);
    head.writeUInt16BE(fields.extensionProfile ?? 0xbede, 0);
    head.writeUInt16BE(fields.extension.length / 4, 2);
    pieces.push(head, fields.extension);
  }
  return Buffer.concat([...pieces, payload, padding]);
}

/** An interleaved packet (RFC 2326, 10.12). */
export function interleaved(channel: number, packet: Buffer): Buffer {
  const head = Buffer.from([0x24, channel, 0, 0]);
  head.writeUInt16BE(packet.length, 2);
  return Buffer.concat([head, packet]);
}

/** FU-A fragments of an H.264 NAL unit (RFC 6184, 5.8). */
export function fuA(nal: Buffer, sizeMax: number): Buffer[] {
  const header = nal[0] ?? 0;
  const fragments: Buffer[] = [];
  for (let at = 1; at < nal.length; at += sizeMax) {
    const end = Math.min(nal.length, at + sizeMax);
    const flags = (at === 1 ? 0x80 : 0) | (end === nal.length ? 0x40 : 0);
    fragments.push(
      Buffer.concat([Buffer.from([(header & 0xe0) | 28, flags | (header & 0x1f)]), nal.subarray(at, end)]),
    );
  }
  return fragments;
}

/** Fragmentation units of an H.265 NAL unit (RFC 7798, 4.4.3), the first with a DONL when `donl`. */
export function h265Fu(nal: Buffer, sizeMax: number, donl = false): Buffer[] {
  const type = ((nal[0] ?? 0) >> 1) & 0x3f;
  const fragments: Buffer[] = [];
  for (let at = 2; at < nal.length; at += sizeMax) {
    const end = Math.min(nal.length, at + sizeMax);
    const flags = (at === 2 ? 0x80 : 0) | (end === nal.length ? 0x40 : 0);
    const head = [
      ((nal[0] ?? 0) & 0x81) | (49 << 1),
      nal[1] ?? 0,
      flags | type,
      ...(donl && at === 2 ? [0, 9] : []),
    ];
    fragments.push(Buffer.concat([Buffer.from(head), nal.subarray(at, end)]));
  }
  return fragments;
}

/** A STAP-A packet (RFC 6184, 5.7.1). */
export function stapA(...nals: Buffer[]): Buffer {
  return Buffer.concat([
    Buffer.from([24]),
    ...nals.flatMap((nal) => [Buffer.from([nal.length >> 8, nal.length & 0xff]), nal]),
  ]);
}

/** NAL units with four-byte start codes. */
export function annexB(...nals: Buffer[]): Buffer {
  return Buffer.concat(nals.flatMap((nal) => [Buffer.from([0, 0, 0, 1]), nal]));
}
