import { randomBytes, sign, verify, X509Certificate } from "node:crypto";
import * as v from "valibot";
import { attentiveUs, type Clock, type Guid, US_PER_MS, US_PER_SECOND } from "../../base/index.js";
import type { KeyAndCertificate } from "../../http/index.js";
import { certificateHash } from "../join/code.js";
import { BEAT_MS } from "./partner-link.js";
import { type Beat, beat, MESSAGE_BYTES_MAX } from "./partner-messages.js";
import { jsonOf } from "./partner-port.js";

/**
 * Beats by a second way: the hub that both partners belong to. Only a recorder that misses beats in the LAN asks, with a nonce; the
 * partner signs the answer with the key that its partners know, so a hub can neither make a beat nor repeat one: it can only lose it.
 */

/** A way to other boxes of the same hub. What is said may be lost. */
export interface NoteWay {
  say(to: Guid, text: string): void;
  /** Calls `listener` with what others say. */
  listen(listener: (from: Guid, text: string) => void): void;
}

/** A partner that was not heard in the LAN for so long is asked for. */
const MISSED_US = 2 * BEAT_MS * US_PER_MS;
/** One that was not heard in any way for so long is asked for more seldom. */
const LONG_US = 60 * US_PER_SECOND;
const SELDOM_US = 5 * US_PER_SECOND;
/** An answer that comes later says nothing of now. */
const ANSWER_US_MAX = 3 * US_PER_SECOND;
/** Answers to one partner are so far apart at the least. */
const ANSWER_EVERY_US = 200 * US_PER_MS;
const NONCE_BYTES = 16;
const SIGNED_TEXT = "nvrd beat through a hub";

const short = (lengthMax: number) => v.pipe(v.string(), v.minLength(1), v.maxLength(lengthMax));
const note = v.variant("Kind", [
  v.object({ Kind: v.literal("Ask"), Nonce: short(64) }),
  v.object({
    Kind: v.literal("Beat"),
    Nonce: short(64),
    /** As text, because that is signed. */
    Beat: short(MESSAGE_BYTES_MAX),
    /** DER, base64. */
    Certificate: short(4096),
    Signature: short(512),
  }),
]);

export interface PartnerNotesOptions {
  readonly way: NoteWay;
  readonly ownId: () => Guid;
  /** Undefined: not made yet. */
  readonly own: () => KeyAndCertificate | undefined;
  /** The hash of a partner's certificate; undefined: it is none. */
  readonly certificateOf: (id: Guid) => string | undefined;
  readonly said: () => Beat;
  /** A partner was heard; `askedUs`: so long ago at the most, in `attentiveUs`. */
  readonly onBeat: (id: Guid, beat: Beat, askedUs: number) => void;
  readonly clock: Clock;
}

interface Asked {
  readonly nonce: string;
  readonly askedUs: number;
}

/** This box's end of the second way. */
export class PartnerNotes {
  readonly #options: PartnerNotesOptions;
  readonly #asked = new Map<Guid, readonly Asked[]>();
  readonly #answeredUs = new Map<Guid, number>();

  constructor(options: PartnerNotesOptions) {
    this.#options = options;
    options.way.listen((from, text) => this.#take(from, text));
  }

  /** Asks for a partner that is missed. `heardUs`: in the LAN, `relayedUs`: by this way; in `attentiveUs`, undefined: not yet. */
  look(id: Guid, heardUs: number | undefined, relayedUs: number | undefined): void {
    const nowUs = attentiveUs(this.#options.clock);
    if (heardUs !== undefined && nowUs - heardUs <= MISSED_US) {
      this.#asked.delete(id);
      return;
    }
    const before = (this.#asked.get(id) ?? []).filter(({ askedUs }) => nowUs - askedUs < 2 * SELDOM_US);
    const [newest] = before;
    const lastUs = Math.max(heardUs ?? Number.NEGATIVE_INFINITY, relayedUs ?? Number.NEGATIVE_INFINITY);
    if (nowUs - lastUs > LONG_US && newest !== undefined && nowUs - newest.askedUs < SELDOM_US) return;
    const nonce = randomBytes(NONCE_BYTES).toString("base64url");
    this.#asked.set(id, [{ nonce, askedUs: nowUs }, ...before.filter((one) => isInTime(one, nowUs))]);
    this.#options.way.say(id, JSON.stringify({ Kind: "Ask", Nonce: nonce }));
  }

  /** What anybody says who belongs to the same hub. */
  #take(from: Guid, text: string): void {
    const certificate = this.#options.certificateOf(from);
    if (certificate === undefined) return;
    const read = v.safeParse(note, jsonOf(Buffer.from(text)));
    if (!read.success) return;
    if (read.output.Kind === "Ask") this.#answer(from, read.output.Nonce);
    else this.#hear(from, certificate, read.output);
  }

  #answer(to: Guid, nonce: string): void {
    const { own, ownId, said, way, clock } = this.#options;
    const nowUs = attentiveUs(clock);
    const keys = own();
    const lastUs = this.#answeredUs.get(to);
    if (keys === undefined || (lastUs !== undefined && nowUs - lastUs < ANSWER_EVERY_US)) return;
    this.#answeredUs.set(to, nowUs);
    const text = JSON.stringify(said());
    const signature = sign("sha256", signedBytes({ from: ownId(), to, nonce, text }), keys.key);
    const certificate = new X509Certificate(keys.certificate).raw.toString("base64");
    way.say(
      to,
      JSON.stringify({
        ...{ Kind: "Beat", Nonce: nonce, Beat: text, Certificate: certificate },
        Signature: signature.toString("base64"),
      }),
    );
  }

  #hear(
    from: Guid,
    known: string,
    said: {
      readonly Nonce: string;
      readonly Beat: string;
      readonly Certificate: string;
      readonly Signature: string;
    },
  ): void {
    const { ownId, clock, onBeat } = this.#options;
    const nowUs = attentiveUs(clock);
    const asked = this.#asked.get(from)?.find(({ nonce }) => nonce === said.Nonce);
    if (asked === undefined || !isInTime(asked, nowUs)) return;
    const der = Buffer.from(said.Certificate, "base64");
    if (certificateHash(der) !== known) return;
    const bytes = signedBytes({ from, to: ownId(), nonce: said.Nonce, text: said.Beat });
    if (!isSigned(der, bytes, Buffer.from(said.Signature, "base64"))) return;
    const read = v.safeParse(beat, jsonOf(Buffer.from(said.Beat)));
    if (read.success) onBeat(from, read.output, asked.askedUs);
  }
}

function isInTime({ askedUs }: Asked, nowUs: number): boolean {
  return nowUs - askedUs <= ANSWER_US_MAX;
}

function signedBytes(parts: Readonly<Record<"from" | "to" | "nonce" | "text", string>>): Buffer {
  const { from, to, nonce, text } = parts;
  return Buffer.from([SIGNED_TEXT, from, to, nonce, text].join("\n"));
}

function isSigned(certificate: Buffer, bytes: Buffer, signature: Buffer): boolean {
  try {
    return verify("sha256", bytes, new X509Certificate(certificate).publicKey, signature);
  } catch {
    // What has the right hash is a certificate; a signature of another shape is none.
    return false;
  }
}
