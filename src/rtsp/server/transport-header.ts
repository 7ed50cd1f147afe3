/** One way of delivery that a client offers in SETUP (RFC 2326, 12.39). */
export interface OfferedTransport {
  readonly lower: "TCP" | "UDP";
  /** Channels for RTP and RTCP, 0 to 255, when the client names them. */
  readonly interleaved: readonly [number, number] | undefined;
}

const OFFERS_MAX = 8;
const CHANNEL_MAX = 255;

/** The unicast RTP/AVP offers of a Transport header in the client's order; offers we do not know are left out. */
export function parseTransportHeader(header: string): OfferedTransport[] {
  return header
    .split(",", OFFERS_MAX)
    .map(parseOffer)
    .filter((offer) => offer !== undefined);
}

function parseOffer(text: string): OfferedTransport | undefined {
  const [specification = "", ...parameters] = text.split(";").map((part) => part.trim());
  const match = /^RTP\/AVP(?:\/(TCP|UDP))?$/i.exec(specification);
  if (match === null || parameters.some((parameter) => /^multicast$/i.test(parameter))) return undefined;
  const lower = match[1]?.toUpperCase() === "TCP" ? "TCP" : "UDP";
  return { lower, interleaved: parameters.map(parseInterleaved).find((channels) => channels !== undefined) };
}

function parseInterleaved(parameter: string): readonly [number, number] | undefined {
  const match = /^interleaved\s*=\s*(\d{1,3})(?:\s*-\s*(\d{1,3}))?$/i.exec(parameter);
  if (match === null) return undefined;
  const rtp = Number(match[1]);
  const rtcp = match[2] === undefined ? rtp + 1 : Number(match[2]);
  return rtp <= CHANNEL_MAX && rtcp <= CHANNEL_MAX && rtp !== rtcp ? [rtp, rtcp] : undefined;
}
