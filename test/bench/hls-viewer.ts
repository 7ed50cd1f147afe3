import { Agent, get } from "node:http";
import { readPlaylist } from "../support/hls/hls-playlist.js";
import { pacedClockOf } from "../support/service/paced-source.js";
import { pause } from "../support/service/service.js";

/** What viewers have taken. */
export interface Taken {
  bytes: number;
  requests: number;
  /** Age of a part's first picture when the whole part was there, of the live stream. */
  readonly agesMs: number[];
}

/** A part that is to be shown next: its segment's number and its own within that. */
interface Place {
  readonly sequence: number;
  readonly part: number;
}

/** One file, as it is. Rejects when it is not answered with 200. */
export function fetchFile(url: string, agent: Agent): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode === 200) resolve(Buffer.concat(chunks));
        else reject(new Error(`${new URL(url).pathname.split("/").at(-1)}: status ${response.statusCode}`));
      });
    }).on("error", reject);
  });
}

/** A player of LL-HLS without a decoder: reloads that wait for the next part, then that part, over one connection. */
export class HlsViewer {
  readonly #playlist: string;
  readonly #taken: Taken;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #stopped = false;

  /** `playlist`: URL of the media playlist. */
  constructor(playlist: string, taken: Taken) {
    this.#playlist = playlist;
    this.#taken = taken;
  }

  /** Plays from the live edge on, until `stop`. Rejects when an answer is not what it should be. */
  async play(): Promise<void> {
    let next: Place | undefined;
    while (!this.#stopped) {
      const query: string = next === undefined ? "" : `?_HLS_msn=${next.sequence}&_HLS_part=${next.part}`;
      const { segments } = readPlaylist((await this.#fetch(`${this.#playlist}${query}`)).toString());
      const all = segments.flatMap(({ sequence, parts }) =>
        parts.map(({ uri }, part) => ({ uri, sequence, part })),
      );
      const from = next;
      const isNew = ({ sequence, part }: Place): boolean =>
        from !== undefined && (sequence > from.sequence || (sequence === from.sequence && part >= from.part));
      for (const { uri } of all.filter(isNew)) {
        const bytes = await this.#fetch(new URL(uri, this.#playlist).href);
        const clock = pacedClockOf(bytes);
        if (clock !== undefined)
          this.#taken.agesMs.push(performance.timeOrigin + performance.now() - clock.sentUs / 1000);
      }
      const last = all.at(-1);
      const growing = segments.at(-1);
      if (last === undefined || growing === undefined) throw new Error("no parts are listed");
      next =
        growing.uri === undefined
          ? { sequence: last.sequence, part: last.part + 1 }
          : { sequence: growing.sequence + 1, part: 0 };
    }
  }

  /** The same requests of files that lie there: each `periodMs` the playlist and the next of `parts`. */
  async playFiles(parts: readonly string[], periodMs: number): Promise<void> {
    await pause(Math.random() * periodMs);
    const sinceMs = performance.now();
    for (let turn = 0; !this.#stopped; turn++) {
      await this.#fetch(this.#playlist);
      await this.#fetch(new URL(parts[turn % parts.length] ?? "", this.#playlist).href);
      await pause(Math.max(0, sinceMs + (turn + 1) * periodMs - performance.now()));
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Ends its connection. */
  close(): void {
    this.#agent.destroy();
  }

  async #fetch(url: string): Promise<Buffer> {
    const bytes = await fetchFile(url, this.#agent);
    this.#taken.bytes += bytes.length;
    this.#taken.requests += 1;
    return bytes;
  }
}
