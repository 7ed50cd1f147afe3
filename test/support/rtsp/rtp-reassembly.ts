/**
 * The smallest depacketizers that tell whether packets carry what was put in: no loss, no hostile input, written from
 * the RFCs and apart from the service's own.
 */

export interface RtpView {
  readonly marker: boolean;
  readonly payloadType: number;
  readonly sequence: number;
  readonly timestamp: number;
  readonly ssrc: number;
  readonly payload: Buffer;
}

/** An RTP packet without CSRCs, extension and padding (RFC 3550, 5.1). */
export function readRtp(packet: Buffer): RtpView {
  if (packet[0] !== 0x80) throw new Error(`unexpected first byte ${packet[0]}`);
  const second = packet[1] ?? 0;
  return {
    marker: (second & 0x80) !== 0,
    payloadType: second & 0x7f,
    sequence: packet.readUInt16BE(2),
    timestamp: packet.readUInt32BE(4),
    ssrc: packet.readUInt32BE(8),
    payload: packet.subarray(12),
  };
}

/** NAL units out of RFC 6184 payloads. */
export function reassembleH264(payloads: readonly Buffer[]): Buffer[] {
  return reassembleNals(payloads, {
    typeOf: (payload) => (payload[0] ?? 0) & 0x1f,
    aggregation: 24,
    fragmentation: 28,
    headerBytes: 1,
    fragmentedHeader: (payload) => Buffer.from([((payload[0] ?? 0) & 0xe0) | ((payload[1] ?? 0) & 0x1f)]),
  });
}

/** NAL units out of RFC 7798 payloads without DONL. */
export function reassembleH265(payloads: readonly Buffer[]): Buffer[] {
  return reassembleNals(payloads, {
    typeOf: (payload) => ((payload[0] ?? 0) >> 1) & 0x3f,
    aggregation: 48,
    fragmentation: 49,
    headerBytes: 2,
    fragmentedHeader: (payload) =>
      Buffer.from([((payload[0] ?? 0) & 0x81) | (((payload[2] ?? 0) & 0x3f) << 1), payload[1] ?? 0]),
  });
}

interface NalPayload {
  readonly typeOf: (payload: Buffer) => number;
  readonly aggregation: number;
  readonly fragmentation: number;
  readonly headerBytes: number;
  readonly fragmentedHeader: (payload: Buffer) => Buffer;
}

function reassembleNals(payloads: readonly Buffer[], rules: NalPayload): Buffer[] {
  const nals: Buffer[] = [];
  let parts: Buffer[] = [];
  for (const payload of payloads) {
    const type = rules.typeOf(payload);
    if (type === rules.aggregation) {
      for (let at = rules.headerBytes; at < payload.length; ) {
        const end = at + 2 + payload.readUInt16BE(at);
        nals.push(payload.subarray(at + 2, end));
        at = end;
      }
    } else if (type === rules.fragmentation) {
      const flags = payload[rules.headerBytes] ?? 0;
      if ((flags & 0x80) !== 0) parts = [rules.fragmentedHeader(payload)];
      parts.push(payload.subarray(rules.headerBytes + 1));
      if ((flags & 0x40) !== 0) nals.push(Buffer.concat(parts));
    } else nals.push(payload);
  }
  return nals;
}

/** Annex B with four-byte start codes. */
export function annexB(nals: readonly Uint8Array[]): Buffer {
  return Buffer.concat(nals.flatMap((nal) => [Buffer.from([0, 0, 0, 1]), nal]));
}
