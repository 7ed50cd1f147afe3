import { type Guid, US_PER_MS } from "../base/index.js";

/**
 * When a reserve records for an owner, and when it stops. Nobody is elected: an owner names its reserve, and both may record at once.
 * All times are `attentiveUs` of the reserve, in which a pause of its own process does not count.
 */

/** The beats of an owner come so often: silence begins when one is missing. */
const BEAT_US = 500 * US_PER_MS;
/** After so much silence cameras are connected to, so that the key frame is there when recording begins. */
export const ARM_US = 1_500 * US_PER_MS;
/** And after so much they are recorded. */
export const TAKE_US = 3_000 * US_PER_MS;
/** An owner that was not heard since the reserve started may be starting too, after the same power cut. */
export const FIRST_US = 60_000 * US_PER_MS;
/** Between two signs of others the reserve counts as connected for so long. */
export const SIGN_US = 1_500 * US_PER_MS;
/** The owner has to record so long before the reserve stops. */
export const BACK_US = 10_000 * US_PER_MS;

/** What a reserve knows at one moment. */
export interface TakeoverLook {
  readonly nowUs: number;
  /** When the owner was heard last; undefined: not since the start. */
  readonly heardUs: number | undefined;
  /** When somebody else on the network gave a sign: another partner, a camera; undefined: nobody did. */
  readonly signUs: number | undefined;
  /** Of which cameras the owner says that it records them, and for how long already. */
  readonly recordedUs: ReadonlyMap<Guid, number>;
  /** The cameras that the reserve has of the owner. */
  readonly cameras: readonly Guid[];
}

/** Since when the reserve hears anybody without a break; undefined: it hears nobody. */
interface Connected {
  readonly connectedUs: number | undefined;
  readonly signUs: number | undefined;
}

/**
 * `watching`: the owner is there, or nothing is known; `armed`: it is silent, its cameras are connected to; `recording`: they are recorded,
 * all but those that the owner records again (`given`).
 */
export type Takeover = Connected &
  (
    | { readonly kind: "watching"; readonly startedUs: number }
    | { readonly kind: "armed"; readonly startedUs: number }
    | {
        readonly kind: "recording";
        readonly startedUs: number;
        readonly sinceUs: number;
        readonly given: ReadonlySet<Guid>;
      }
  );

/** At the start of the reserve. */
export function firstTakeover(nowUs: number): Takeover {
  return { kind: "watching", startedUs: nowUs, connectedUs: undefined, signUs: undefined };
}

/** The next state. Looks come several times a second. */
export function nextTakeover(state: Takeover, look: TakeoverLook): Takeover {
  const connected = connectedAt(state, look);
  const { startedUs } = state;
  const silence = silenceOf(state, look, connected);
  if (state.kind === "recording") {
    if (silence === "long") return { ...state, ...connected, given: new Set() };
    const given = new Set([...state.given, ...backAt(look)]);
    const isOver = silence === "none" && look.cameras.every((id) => given.has(id));
    return isOver ? { kind: "watching", startedUs, ...connected } : { ...state, ...connected, given };
  }
  if (silence === "none" || look.cameras.length === 0) return { kind: "watching", startedUs, ...connected };
  if (silence === "short") return { kind: "armed", startedUs, ...connected };
  return { kind: "recording", startedUs, sinceUs: look.nowUs, given: new Set(), ...connected };
}

/** Which cameras are connected to, and which of them are recorded. */
export function takenCameras(
  state: Takeover,
  cameras: readonly Guid[],
): ReadonlyMap<Guid, "armed" | "recording"> {
  if (state.kind === "watching") return new Map();
  const { kind } = state;
  const taken = kind === "recording" ? cameras.filter((id) => !state.given.has(id)) : cameras;
  return new Map(taken.map((id) => [id, kind]));
}

/** Whether a sign of others is wanted: the owner has missed a beat. */
export function wantsSign({ nowUs, heardUs }: Pick<TakeoverLook, "nowUs" | "heardUs">): boolean {
  return heardUs === undefined || nowUs - heardUs > BEAT_US;
}

function connectedAt(state: Connected, { nowUs, heardUs, signUs }: TakeoverLook): Connected {
  const newest = Math.max(heardUs ?? Number.NEGATIVE_INFINITY, signUs ?? Number.NEGATIVE_INFINITY);
  if (newest === Number.NEGATIVE_INFINITY || nowUs - newest > SIGN_US)
    return { connectedUs: undefined, signUs: state.signUs };
  const isBroken =
    state.connectedUs === undefined || state.signUs === undefined || newest - state.signUs > SIGN_US;
  return { connectedUs: isBroken ? newest : state.connectedUs, signUs: newest };
}

function silenceOf(
  { startedUs }: Takeover,
  { nowUs, heardUs }: TakeoverLook,
  { connectedUs, signUs }: Connected,
): "none" | "short" | "long" {
  // Who hears nobody is alone, and not the owner's judge.
  if (connectedUs === undefined || signUs === undefined) return "none";
  const alone = signUs - connectedUs;
  if (heardUs === undefined) return nowUs - startedUs >= FIRST_US && alone >= TAKE_US ? "long" : "none";
  const silentUs = Math.min(nowUs - heardUs - BEAT_US, alone);
  if (silentUs >= TAKE_US) return "long";
  return silentUs >= ARM_US ? "short" : "none";
}

function backAt({ recordedUs, cameras }: TakeoverLook): readonly Guid[] {
  return cameras.filter((id) => (recordedUs.get(id) ?? 0) >= BACK_US);
}
