import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import * as v from "valibot";
import {
  type Clock,
  errorText,
  type Guid,
  type Interval,
  NvrdError,
  overlaps,
  Pace,
  setTimeLimit,
} from "../base/index.js";
import {
  CameraFailure,
  type CardContents,
  type CardPlayback,
  type CardPlayRequest,
  type Cards,
  fillsFromCard,
} from "../camera/index.js";
import { connectPartner, type Partners } from "../fleet/index.js";
import type { Frame, SlabPool } from "../live/index.js";
import { archiveStreamType, type Camera, cameraOptions, type SiteStore } from "../site/index.js";
import { FrameReceiver } from "./frame-messages.js";
import { FRAMES_PATH, RECORDINGS_PATH, STRETCHES_MAX } from "./recordings-giver.js";

const ANSWER_BYTES_MAX = 256 * 1024;
const ANSWER_MS_MAX = 10_000;
/** How long the reserve may send nothing. */
const STALL_MS = 10_000;
/** The answer of one that is to be asked again. */
const LATER = 503;

const time = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const recordingsAnswer = v.object({
  NowUs: time,
  Stretches: v.pipe(v.array(v.object({ FromUs: time, ToUs: time })), v.maxLength(STRETCHES_MAX)),
});

export interface ReserveCardsOptions {
  readonly site: Pick<SiteStore, "current">;
  readonly partners: Pick<Partners, "ask" | "place" | "state">;
  /** What cameras keep themselves: where the reserve has nothing, they are asked. */
  readonly cards: Cards;
  readonly pool: SlabPool;
  readonly clock: Clock;
}

/** What reserves recorded in the owner's place, as what cameras keep on cards: gaps are filled from both. */
export class ReserveCards implements Cards {
  readonly #options: ReserveCardsOptions;

  constructor(options: ReserveCardsOptions) {
    this.#options = options;
  }

  isSupported(camera: Camera): boolean | undefined {
    return this.#reserveOf(camera) !== undefined || this.#options.cards.isSupported(camera);
  }

  async contents(channelId: Guid, within: Interval, signal: AbortSignal): Promise<CardContents> {
    const { cards } = this.#options;
    const camera = this.#camera(channelId);
    const hasCard = camera !== undefined && fillsFromCard(camera) && cards.isSupported(camera) === true;
    const reserve = camera === undefined ? undefined : this.#reserveOf(camera);
    if (reserve !== undefined) {
      const kept = await this.#keptBy(reserve, channelId, within);
      if (kept.recordings.length > 0 || !hasCard) return kept;
    }
    return await cards.contents(channelId, within, signal);
  }

  async play(request: CardPlayRequest): Promise<CardPlayback> {
    const { partners, pool, clock, cards } = this.#options;
    const reserveId = RESERVE_TOKEN.exec(request.recording)?.[1];
    if (reserveId === undefined) return await cards.play(request);
    const camera = this.#camera(request.channelId);
    const place = partners.place(reserveId);
    if (place === undefined || camera === undefined)
      throw new NvrdError("NOT_AVAILABLE", "the reserve is no partner any more", { hint: "" });
    const { channelId, fromUs, toUs, offsetUs, bytesPerSecondMax, signal } = request;
    const { session } = await connectPartner(place, clock).catch(isAway);
    const [from, to] = [fromUs + offsetUs, toUs + offsetUs].map((us) => Math.max(0, Math.round(us)));
    const path = `${FRAMES_PATH}?channel=${channelId}&stream=${archiveStreamType(camera)}&from=${from}&to=${to}`;
    const stream = session.request({ ":path": path }, { endStream: true });
    return await ReservePlayback.open({ session, stream, pool, bytesPerSecondMax, signal, clock });
  }

  #camera(channelId: Guid): Camera | undefined {
    return this.#options.site.current.cameras.find(({ id }) => id === channelId);
  }

  /** The partner that stands in for a camera; undefined: none. */
  #reserveOf(camera: Camera): Guid | undefined {
    const { reservedServerId } = cameraOptions(camera).servers;
    if (reservedServerId === null || camera.ownerServerId !== this.#options.site.current.server.id)
      return undefined;
    return this.#options.partners.state(reservedServerId) === undefined ? undefined : reservedServerId;
  }

  async #keptBy(reserveId: Guid, channelId: Guid, within: Interval): Promise<CardContents> {
    const { partners, clock } = this.#options;
    const [from, to] = [within.fromUs, within.toUs].map((us) => Math.max(0, Math.round(us)));
    const path = `${RECORDINGS_PATH}?channel=${channelId}&from=${from}&to=${to}`;
    const askedUs = clock.nowUs();
    const question = { method: "GET", path, bytesMax: ANSWER_BYTES_MAX, withinMs: ANSWER_MS_MAX };
    const answer = await partners.ask(reserveId, question).catch(isAway);
    if (answer.status === LATER) throw away("it does not know yet what it recorded");
    const read = v.safeParse(
      recordingsAnswer,
      answer.status === 200 ? JSON.parse(answer.body.toString("utf8")) : undefined,
    );
    if (!read.success)
      throw new NvrdError("NOT_AVAILABLE", "the reserve does not say what it has", {
        hint: "bring both recorders to the same version",
      });
    const { NowUs, Stretches } = read.output;
    const offsetUs = Math.round(NowUs - (askedUs + clock.nowUs()) / 2);
    const recordings = Stretches.map(({ FromUs, ToUs }) => ({
      fromUs: FromUs - offsetUs,
      toUs: ToUs - offsetUs,
    }))
      .filter((stretch) => overlaps(stretch, within))
      .map((stretch) => ({
        ...{ ...stretch, token: `reserve ${reserveId}`, sections: [stretch] },
        ...{ source: [], hasVideo: true, hasSound: true },
      }));
    return { offsetUs, isExact: true, recordings };
  }
}

/** How a recording of a reserve is named beside those of cards. */
const RESERVE_TOKEN = /^reserve ([0-9a-f-]{36})$/;

interface PlaybackOptions {
  readonly session: ClientHttp2Session;
  readonly stream: ClientHttp2Stream;
  readonly pool: SlabPool;
  readonly bytesPerSecondMax: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** A stretch that a reserve sends, as fast as it is taken. */
class ReservePlayback implements CardPlayback {
  readonly #options: PlaybackOptions;
  readonly #receiver: FrameReceiver;
  readonly #pace: Pace;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #onAbort = (): void => this.close();
  #receivedBytes = 0;
  #isClosed = false;

  private constructor(options: PlaybackOptions) {
    this.#options = options;
    const { stream, pool, clock, bytesPerSecondMax, signal } = options;
    this.#receiver = new FrameReceiver(pool);
    this.#pace = new Pace(clock);
    if (Number.isFinite(bytesPerSecondMax)) this.#pace.limit(bytesPerSecondMax);
    this.#chunks = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** Rejects with NvrdError NOT_AVAILABLE where the reserve does not send it. */
  static async open(options: PlaybackOptions): Promise<ReservePlayback> {
    const { stream, session, clock } = options;
    const limit = setTimeLimit(clock, () => session.destroy(), STALL_MS);
    const status = await new Promise<number>((resolve) => {
      stream.once("response", ({ ":status": status = 0 }) => resolve(status));
      stream.on("error", () => resolve(0));
      stream.once("close", () => resolve(0));
    });
    limit.clear();
    if (status === 200) return new ReservePlayback(options);
    session.destroy();
    throw away(`it does not send what it recorded (status ${status})`);
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  async next(): Promise<readonly Frame[]> {
    const { session, clock } = this.#options;
    while (!this.#isClosed) {
      const limit = setTimeLimit(
        clock,
        () => session.destroy(new Error("the reserve sends nothing")),
        STALL_MS,
      );
      const { value, done } = await this.#chunks
        .next()
        .catch(isAway)
        .finally(() => limit.clear());
      if (done === true) {
        if (!this.#receiver.isWhole && !this.#isClosed) throw away("the connection has ended in the middle");
        return [];
      }
      this.#receivedBytes += value.length;
      const frames = this.#receiver.take(value);
      await this.#pace.wait(value.length);
      if (frames.length > 0) return frames;
    }
    return [];
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    this.#options.session.destroy();
    this.#receiver.close();
  }
}

/** It is asked again for as long as its recordings may be there: a reserve that is switched off has lost none. */
function away(reason: string, cause?: unknown): CameraFailure {
  const message = `the reserve gives nothing now: ${reason}`;
  return new CameraFailure("unreachable", message, cause === undefined ? {} : { cause });
}

function isAway(error: unknown): never {
  throw away(errorText(error), error);
}
