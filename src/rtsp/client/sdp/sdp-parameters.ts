import type { MediaDescription, SessionDescription } from "sdp-transform";
import { encodingOf, encodingSignedBy } from "./sdp-encodings.js";

/** Most parameters of one fmtp that are kept. */
const FMTP_PARAMETERS_MAX = 64;
/** Most fmtp lines of a description that are read. */
const FMTP_LINES_MAX = 128;

export type Parameters = ReadonlyMap<string, string>;

interface Line {
  readonly payloadType: number;
  /** Or the session, if it is before the first media. */
  readonly media: Partial<MediaDescription>;
  readonly parameters: Parameters;
  /** The encoding that its parameters are of, if they say. */
  readonly signed: string | undefined;
}

/**
 * The fmtp lines of a session description (RFC 4566, 6). Some cameras put them under another payload type, or into another
 * media's section: what a line's parameters are of counts more than where it is.
 */
export class FormatParameters {
  readonly #lines: readonly Line[];

  constructor(session: SessionDescription) {
    const lines: Line[] = [];
    // Those before the first media are parsed like the others, though no type says so.
    const places = [session as Partial<MediaDescription>, ...session.media];
    for (const media of places)
      for (const { payload, config } of media.fmtp ?? []) {
        if (lines.length === FMTP_LINES_MAX) break;
        const parameters = parametersOf(typeof config === "string" ? config : "");
        lines.push({ payloadType: payload, media, parameters, signed: encodingSignedBy(parameters) });
      }
    this.#lines = lines;
  }

  /** Those of a payload type of `media` whose encoding is `name`. */
  of(media: MediaDescription, payloadType: number, name: string): Parameters {
    const fits = ({ signed }: Line): boolean =>
      signed !== undefined && encodingOf(signed)?.codec === encodingOf(name)?.codec;
    const own = this.#lines.filter((line) => line.media === media && line.payloadType === payloadType);
    const elsewhere = this.#lines.filter((line) => fits(line) && !isAtHome(line));
    const found = [
      own.filter(fits),
      elsewhere.filter((line) => line.payloadType === payloadType),
      elsewhere.filter((line) => line.media === media),
      elsewhere,
    ].find((lines) => lines.length > 0);
    const neutral = own.filter(({ signed }) => signed === undefined);
    return merged([...neutral, ...(found ?? [])]);
  }

  /** The encoding that the parameters of a payload type without a name are of; undefined if they do not say. */
  encodingOf(media: MediaDescription, payloadType: number): string | undefined {
    const own = this.#lines.filter((line) => line.media === media && line.signed !== undefined);
    return (own.find((line) => line.payloadType === payloadType) ?? own[0])?.signed;
  }
}

/** It is of the payload type that it names. */
function isAtHome({ media, payloadType, signed }: Line): boolean {
  const name = media.rtp?.find((entry) => entry.payload === payloadType)?.codec;
  return name !== undefined && encodingOf(String(name))?.codec === encodingOf(signed)?.codec;
}

function merged(lines: readonly Line[]): Parameters {
  const all = new Map<string, string>();
  for (const { parameters } of lines)
    for (const [name, value] of parameters) if (all.size < FMTP_PARAMETERS_MAX) all.set(name, value);
  return all;
}

/** Names in small letters. Separated by semicolons; by blanks where a camera forgot those. */
function parametersOf(config: string): Parameters {
  const parameters = new Map<string, string>();
  for (const part of config.split(/;|\s+(?=[a-z][\w-]*=[^=,;\s])/i)) {
    const equals = part.indexOf("=");
    const name = (equals < 0 ? part : part.slice(0, equals)).trim().toLowerCase();
    if (name === "" || parameters.size >= FMTP_PARAMETERS_MAX) continue;
    const value = equals < 0 ? "" : part.slice(equals + 1).trim();
    parameters.set(name, value.replace(/^"(.*)"$/, "$1"));
  }
  return parameters;
}
