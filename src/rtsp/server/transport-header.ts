/** One transport that a client offers in SETUP (RFC 2326, 12.39). */
export interface OfferedTransport {
  readonly lower: "TCP" | "UDP";
  /** Channels for RTP and RTCP, 0 to 255, if the client names them. */
  readonly interleaved: readonly [number, number] | undefined;
  /** The client's UDP ports for RTP and RTCP, 1 to 65535, if it names them. */
  readonly clientPorts?: readonly [number, number];
}

const OFFERS_MAX = 8;
const CHANNEL_MAX = 255;
const PORT_MAX = 65_535;

/** The unicast RTP/AVP offers of a Transport header in the client's order; unknown offers are left out. */
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
  const interleaved = findPair(parameters, { name: "interleaved", least: 0, most: CHANNEL_MAX });
  const clientPorts = findPair(parameters, { name: "client_port", least: 1, most: PORT_MAX });
  return { lower, interleaved, ...(clientPorts === undefined ? {} : { clientPorts }) };
}

interface PairRule {
  readonly name: string;
  readonly least: number;
  readonly most: number;
}

/** Two different numbers; if there is only one, the second is one higher. */
function findPair(parameters: readonly string[], rule: PairRule): readonly [number, number] | undefined {
  for (const parameter of parameters) {
    const [name = "", value = ""] = parameter.split("=", 2).map((part) => part.trim());
    const match = /^(\d{1,5})(?:\s*-\s*(\d{1,5}))?$/.exec(value);
    if (name.toLowerCase() !== rule.name || match === null) continue;
    const first = Number(match[1]);
    const second = match[2] === undefined ? first + 1 : Number(match[2]);
    const fit = [first, second].every((number) => number >= rule.least && number <= rule.most);
    if (fit && first !== second) return [first, second];
  }
  return undefined;
}
