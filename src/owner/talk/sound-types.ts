import { NvrdError } from "../../base/index.js";
import { shown } from "../../http/index.js";

/** The laws of G.711, by the types that name them (RFC 2046, 4.3; RFC 4856). */
const LAWS: ReadonlyMap<string, "mu" | "a"> = new Map([
  ["audio/basic", "mu"],
  ["audio/pcmu", "mu"],
  ["audio/pcma", "a"],
]);
const FILES: ReadonlySet<string> = new Set(["audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave"]);
/** A stream of ADTS frames, which is no file: it may come as it is spoken. */
const AAC = "audio/aac";

/** The usual names. */
export const SOUND_TYPES = ["audio/basic", "audio/PCMU", "audio/PCMA", "audio/wav", "audio/aac"];

/** The law of what is sent; of a file, of what it is decoded to. Throws NvrdError BAD_REQUEST for types that are not known. */
export function contentLaw(type: string | undefined): "mu" | "a" {
  const [name = "", ...parameters] = (type ?? "").toLowerCase().split(";");
  const law = LAWS.get(name.trim());
  if (FILES.has(name.trim())) return "mu";
  const isPlain = parameters.every((one) => /^\s*(rate=8000|channels=1)?\s*$/.test(one));
  if (law !== undefined && isPlain) return law;
  throw new NvrdError("BAD_REQUEST", `the sound's type is not known: ${shown(type ?? "none")}`, {
    hint: `name one in Content-Type: ${SOUND_TYPES.join(", ")}, of 8000 Hz, mono`,
  });
}

export function isSoundFile(type: string | undefined): boolean {
  return FILES.has(nameOf(type));
}

export function isAac(type: string | undefined): boolean {
  return nameOf(type) === AAC;
}

function nameOf(type: string | undefined): string {
  return (type ?? "").toLowerCase().split(";")[0]?.trim() ?? "";
}
