import { signal } from "@preact/signals";
import type { StripHeader } from "../../../contract/answer/index.js";
import { addressOf } from "../../state/address.js";
import { recorderNow } from "../../state/recorder-time.js";
import { RequestError, request } from "../../state/request.js";
import type { Span } from "./span.js";
import { STRIP_PICTURES } from "./strip.js";

/** Pixels of a picture: twice what is shown, for fine screens. */
const WIDTH = 400;
/** Strips that are held; each has some hundred kilobytes. */
const HELD_MAX = 40;
/** A pointer that only passes asks for nothing. */
const CALM_MS = 60;
/** What is young may become more. */
const YOUNG_MS = 60_000;

export interface Strip {
  readonly address: string;
  readonly header: StripHeader;
}

/** By channel and time; null: there is none, or it could not be had. */
const held = new Map<string, Strip | null>();
/** Counts what came, so that what is shown follows. */
const version = signal(0);
let wanted: { readonly key: string; readonly abort: AbortController } | undefined;

/** The strip where it is there, else it is asked for; one at a time, the last that was wanted. */
export function stripOf(channel: string, span: Span): Strip | undefined {
  version.value;
  return held.get(keyOf(channel, span)) ?? undefined;
}

/** Asks for a strip when the pointer rests. */
export function wantStrip(channel: string, span: Span): void {
  const key = keyOf(channel, span);
  if (held.has(key) || wanted?.key === key) return;
  wanted?.abort.abort();
  const abort = new AbortController();
  wanted = { key, abort };
  setTimeout(() => {
    if (!abort.signal.aborted) void read(key, channel, span, abort);
  }, CALM_MS);
}

async function read(key: string, channel: string, span: Span, abort: AbortController): Promise<void> {
  try {
    hold(key, await fetchStrip(channel, span, abort.signal), span);
  } catch (error) {
    if (abort.signal.aborted) return;
    // Pictures over the timeline are an extra: without them it says all that it has to.
    if (!(error instanceof RequestError)) throw error;
    if (error.status === 404 || error.status === 403) hold(key, null, span);
  } finally {
    if (wanted?.abort === abort) wanted = undefined;
  }
}

async function fetchStrip(channel: string, { from, to }: Span, abort: AbortSignal): Promise<Strip | null> {
  const asked = { channel, from, to, count: STRIP_PICTURES, width: WIDTH, optional: true };
  const response = await request(addressOf("/api/strip", asked), { signal: abort });
  const header = response.headers.get("Strip");
  if (header === null) return null;
  const address = URL.createObjectURL(await response.blob());
  return { address, header: JSON.parse(header) as StripHeader };
}

function hold(key: string, strip: Strip | null, { to }: Span): void {
  held.set(key, strip);
  version.value += 1;
  if (to > recorderNow() - YOUNG_MS) setTimeout(() => forget(key), YOUNG_MS / 6);
  const [oldest] = held.keys();
  if (held.size > HELD_MAX && oldest !== undefined) forget(oldest);
}

function forget(key: string): void {
  const strip = held.get(key);
  held.delete(key);
  if (strip !== undefined && strip !== null) URL.revokeObjectURL(strip.address);
}

function keyOf(channel: string, { from, to }: Span): string {
  return `${channel} ${from} ${to}`;
}
