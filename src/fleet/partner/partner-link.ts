import type { ClientHttp2Session } from "node:http2";
import * as v from "valibot";
import { attentiveUs, type Clock, type ClockTimer, errorText, US_PER_MS } from "../../base/index.js";
import {
  askOver,
  connectPartner,
  type PartnerPlace,
  PlaceError,
  type PlaceProblem,
} from "./partner-connection.js";
import { BEAT_PATH, type Beat, beat, LEAVE_PATH, MESSAGE_BYTES_MAX } from "./partner-messages.js";

/** A beat is sent so often. */
export const BEAT_MS = 500;
/** A connection whose beats are not answered for so long is opened anew. */
const ANSWER_MS_MAX = 2000;
/** After a failure the next try comes so soon: a partner on the LAN is to be heard at once when it is there again. */
const REDIAL_MS = 1000;
const LEAVE_MS_MAX = 3000;

/** Why this box does not reach the other. `refused`: it does not know this box any more; `silent`: it answers no more. */
export type PartnerProblem = PlaceProblem | "refused" | "silent";

export interface PartnerLinkOptions {
  readonly place: () => PartnerPlace;
  readonly said: () => Beat;
  /** The other answered a beat. */
  readonly onBeat: (beat: Beat) => void;
  /** It was reached at this address. */
  readonly onReached: (host: string) => void;
  readonly clock: Clock;
}

/** This box's connection to a partner: a beat every half a second, and a new connection whenever it ends. */
export class PartnerLink {
  readonly #options: PartnerLinkOptions;
  #session: ClientHttp2Session | undefined;
  #timer: ClockTimer | undefined;
  #problem: PartnerProblem | undefined;
  #detail = "";
  #isAnswered = false;
  #isAsking = false;
  #isStopped = false;

  constructor(options: PartnerLinkOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#run();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.clear();
    this.#session?.destroy();
  }

  /** Undefined: it answers, or was not tried yet. */
  get problem(): PartnerProblem | undefined {
    return this.#problem;
  }

  /** The error in words of the system; empty: none. */
  get detail(): string {
    return this.#detail;
  }

  /** The session that is open; undefined: none. */
  get session(): ClientHttp2Session | undefined {
    return this.#session?.destroyed === false ? this.#session : undefined;
  }

  /** Notifies the other that this box leaves. Rejects where it does not hear it. */
  async leave(): Promise<void> {
    const { clock, place } = this.#options;
    const session = this.session ?? (await connectPartner(place(), clock)).session;
    try {
      await askOver(
        session,
        { method: "POST", path: LEAVE_PATH, bytesMax: MESSAGE_BYTES_MAX, withinMs: LEAVE_MS_MAX },
        clock,
      );
    } finally {
      session.destroy();
    }
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const { clock, place, onReached } = this.#options;
    try {
      const { session, host } = await connectPartner(place(), clock);
      if (this.#isStopped) {
        session.destroy();
        return;
      }
      onReached(host);
      this.#beat(session);
    } catch (error) {
      this.#problem = error instanceof PlaceError ? error.problem : "unreachable";
      this.#detail = errorText(error);
      this.#again();
    }
  }

  #again(): void {
    if (!this.#isStopped) this.#timer = this.#options.clock.setTimeout(() => void this.#run(), REDIAL_MS);
  }

  #beat(session: ClientHttp2Session): void {
    const { clock } = this.#options;
    this.#session = session;
    this.#isAnswered = false;
    let answeredUs = attentiveUs(clock);
    let isSilent = false;
    const ask = async (): Promise<void> => {
      if (this.#isAsking) return;
      this.#isAsking = true;
      try {
        if (await this.#ask(session)) answeredUs = attentiveUs(clock);
      } finally {
        this.#isAsking = false;
      }
      if (attentiveUs(clock) - answeredUs <= ANSWER_MS_MAX * US_PER_MS) return;
      isSilent = true;
      session.destroy();
    };
    const beats = clock.setInterval(() => void ask(), BEAT_MS);
    session.once("close", () => {
      beats.clear();
      this.#session = undefined;
      if (this.#isStopped) return;
      this.#problem = this.#isAnswered || isSilent ? "silent" : "refused";
      this.#again();
    });
    void ask();
  }

  /** Whether there was an answer that can be read. Never rejects. */
  async #ask(session: ClientHttp2Session): Promise<boolean> {
    const { clock, said, onBeat } = this.#options;
    try {
      const body = Buffer.from(JSON.stringify(said()));
      const question = {
        method: "POST",
        path: BEAT_PATH,
        body,
        bytesMax: MESSAGE_BYTES_MAX,
        withinMs: ANSWER_MS_MAX,
      };
      const answer = await askOver(session, question, clock);
      const read = v.safeParse(beat, JSON.parse(answer.body.toString("utf8")));
      if (answer.status !== 200 || !read.success)
        throw new TypeError(`status ${answer.status}, and nothing that can be read`);
      this.#isAnswered = true;
      this.#problem = undefined;
      this.#detail = "";
      onBeat(read.output);
      return true;
    } catch (error) {
      this.#detail = errorText(error);
      return false;
    }
  }
}
