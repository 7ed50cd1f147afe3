import { addressOf } from "../state/address.js";
import { recorderNow } from "../state/recorder-time.js";
import { RequestError, request } from "../state/request.js";

/** Pictures asked for at once: a browser opens six connections to one host, and the rest of the page needs some. */
const UNDER_WAY_MAX = 2;
/** Pictures kept: some screens' worth. */
const KEPT_MAX = 120;
/** A picture of another moment is no picture of the event. */
const TIME_OFF_MS_MAX = 10_000;
/** What happened so lately may still be on its way to the archive. */
const LATELY_MS = 60_000;

export interface Moment {
  readonly channelId: string;
  readonly timeMs: number;
  /** Of the picture, in pixels of the screen. */
  readonly width: number;
}

interface Waiting {
  readonly key: string;
  readonly moment: Moment;
  readonly signal: AbortSignal;
  readonly resolve: (url: string | undefined) => void;
}

/** Recorded pictures of moments: few at a time, those asked for last first, and kept for a while. */
export class EventPictures {
  /** By channel, time and width; an empty text: there is none. */
  readonly #kept = new Map<string, string>();
  #waiting: Waiting[] = [];
  #underWay = 0;

  /** The address of the picture; undefined where nothing is recorded of the moment, or `signal` is aborted. */
  load(moment: Moment, signal: AbortSignal): Promise<string | undefined> {
    const key = `${moment.channelId} ${moment.timeMs} ${moment.width}`;
    const known = this.#kept.get(key);
    if (known !== undefined) {
      this.#keep(key, known);
      return Promise.resolve(known === "" ? undefined : known);
    }
    return new Promise((resolve) => {
      this.#waiting.push({ key, moment, signal, resolve });
      this.#next();
    });
  }

  /** The picture if it is here already. */
  known({ channelId, timeMs, width }: Moment): string | undefined {
    const url = this.#kept.get(`${channelId} ${timeMs} ${width}`);
    return url === "" ? undefined : url;
  }

  clear(): void {
    for (const url of this.#kept.values()) release(url);
    this.#kept.clear();
  }

  #next(): void {
    while (this.#underWay < UNDER_WAY_MAX) {
      const waiting = this.#waiting.pop();
      if (waiting === undefined) return;
      if (waiting.signal.aborted) {
        waiting.resolve(undefined);
        continue;
      }
      this.#underWay += 1;
      void this.#fetch(waiting)
        .then(waiting.resolve)
        .finally(() => {
          this.#underWay -= 1;
          this.#next();
        });
    }
  }

  async #fetch({ key, moment, signal }: Waiting): Promise<string | undefined> {
    try {
      const picture = await pictureOf(moment, signal);
      if (picture !== undefined) {
        const url = URL.createObjectURL(picture);
        this.#keep(key, url);
        return url;
      }
    } catch (error) {
      // A picture is an addition: the list says what happened without it. Where it cannot be had just now, it is asked for again.
      if (!signal.aborted && !isLasting(error)) return undefined;
    }
    if (!signal.aborted && recorderNow() - moment.timeMs > LATELY_MS) this.#keep(key, "");
    return undefined;
  }

  #keep(key: string, url: string): void {
    this.#kept.delete(key);
    this.#kept.set(key, url);
    for (const [oldest, kept] of this.#kept) {
      if (this.#kept.size <= KEPT_MAX) return;
      this.#kept.delete(oldest);
      release(kept);
    }
  }
}

/** Nothing is recorded, or this user may not see it: asking again soon gives the same answer. */
function isLasting(error: unknown): boolean {
  return error instanceof RequestError && (error.status === 404 || error.status === 403);
}

function release(url: string): void {
  if (url !== "") URL.revokeObjectURL(url);
}

/** The recorded picture; undefined where the nearest one is of another moment. */
async function pictureOf(
  { channelId, timeMs, width }: Moment,
  signal: AbortSignal,
): Promise<Blob | undefined> {
  const starttime = new Date(timeMs).toISOString().slice(0, 23).replace("T", " ");
  const asked = { channelid: channelId, mode: "archive", starttime, resolutionx: width } as const;
  const response = await request(addressOf("/site", { ...asked, optional: true }), { signal });
  const shownMs = headerTime(response.headers.get("Timestamp"));
  const picture = await response.blob();
  return Math.abs(shownMs - timeMs) <= TIME_OFF_MS_MAX ? picture : undefined;
}

/** `dd.MM.yyyy HH:mm:ss.fff`, UTC, as Unix milliseconds. */
function headerTime(text: string | null): number {
  const match = /^(\d\d)\.(\d\d)\.(\d{4}) (.{8,12})$/.exec(text ?? "");
  return match === null ? Number.NaN : Date.parse(`${match[3]}-${match[2]}-${match[1]}T${match[4]}Z`);
}
