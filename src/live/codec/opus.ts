/** Opus always counts and decodes at this rate (RFC 7587, 4.1). */
export const OPUS_RATE = 48_000;
/** Longest packet: 48 frames of 1275 bytes (RFC 6716, 3.2). */
export const OPUS_PACKET_BYTES_MAX = 61_440;
/** Longest packet in time: 120 ms. */
const PACKET_SAMPLES_MAX = 5760;

/** The identification header (RFC 7845, 5.1) of a stream without samples to skip. `channels`: 1 or 2. */
export function opusHeader(channels: number): Buffer {
  const header = Buffer.alloc(19);
  header.write("OpusHead", 0, "latin1");
  header[8] = 1;
  header[9] = channels;
  header.writeUInt32LE(OPUS_RATE, 12);
  return header;
}

/** Samples of a packet at OPUS_RATE, by its first two bytes (RFC 6716, 3.1 and 3.2); 0 if it is malformed. */
export function opusPacketSamples(packet: Uint8Array): number {
  const [first, second = 0] = packet;
  if (first === undefined) return 0;
  const code = first & 3;
  const frames = code === 0 ? 1 : code === 3 ? second & 0x3f : 2;
  const samples = frames * frameSamples(first >> 3);
  return samples <= PACKET_SAMPLES_MAX ? samples : 0;
}

/** Samples of a frame by its configuration number: SILK 10 to 60 ms, hybrid 10 and 20 ms, CELT 2.5 to 20 ms. */
function frameSamples(configuration: number): number {
  if (configuration >= 16) return 120 << (configuration & 3);
  if (configuration >= 12) return 480 << (configuration & 1);
  return [480, 960, 1920, 2880][configuration & 3] ?? 0;
}
