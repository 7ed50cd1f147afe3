import { connect } from "node:net";
import { attentiveUs, type Clock, setTimeLimit } from "../base/index.js";
import type { Camera } from "../site/index.js";

/** Cameras that are asked at once, and how long each has to answer. */
const CAMERAS_ASKED = 4;
const ANSWER_MS_MAX = 700;
const PORTS: Readonly<Record<string, number>> = { "rtsp:": 554, "rtsps:": 322, "http:": 80, "https:": 443 };

/** Where a camera answers. */
export interface CameraPlace {
  readonly host: string;
  readonly port: number;
}

/** Whether something answers at a place, if only to say that the port is closed. Never rejects. */
export type AskPlace = (place: CameraPlace, clock: Clock) => Promise<boolean>;

/** Signs of others on the network: who hears none cannot distinguish a silent recorder from a cable that is out. */
export class Signs {
  readonly #ask: AskPlace;
  readonly #clock: Clock;
  #isAsking = false;
  #next = 0;
  #signUs: number | undefined;

  constructor(clock: Clock, ask: AskPlace = askPlace) {
    this.#clock = clock;
    this.#ask = ask;
  }

  /** When somebody gave one last, in `attentiveUs`; undefined: nobody did. */
  get signUs(): number | undefined {
    return this.#signUs;
  }

  /** Asks some of the cameras, in turn. Answers come later. */
  want(cameras: readonly Camera[]): void {
    if (this.#isAsking || cameras.length === 0) return;
    this.#isAsking = true;
    const places = Array.from({ length: Math.min(CAMERAS_ASKED, cameras.length) }, (_, index) =>
      placeOf(cameras[(this.#next + index) % cameras.length]?.connection.hostname ?? ""),
    );
    this.#next = (this.#next + places.length) % cameras.length;
    const asked = places.map(async (place) => {
      if (place !== undefined && (await this.#ask(place, this.#clock)))
        this.#signUs = attentiveUs(this.#clock);
    });
    void Promise.all(asked).finally(() => {
      this.#isAsking = false;
    });
  }
}

/** Where a configured address leads; undefined: that is not known. */
export function placeOf(hostname: string): CameraPlace | undefined {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(hostname) ? hostname : `http://${hostname}`;
  // The parser of URLs knows the ports of the web alone.
  const plain = text.replace(/^[^:]+/, "http");
  if (!URL.canParse(plain)) return undefined;
  const { hostname: host, port } = new URL(plain);
  const scheme = `${/^[^:]+/.exec(text)?.[0]?.toLowerCase() ?? ""}:`;
  if (host === "") return undefined;
  return { host: host.replace(/^\[(.*)\]$/, "$1"), port: port === "" ? (PORTS[scheme] ?? 80) : Number(port) };
}

async function askPlace({ host, port }: CameraPlace, clock: Clock): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (isThere: boolean): void => {
      limit.clear();
      socket.destroy();
      resolve(isThere);
    };
    const limit = setTimeLimit(clock, () => end(false), ANSWER_MS_MAX);
    socket.once("connect", () => end(true));
    socket.once("error", ({ code }: NodeJS.ErrnoException) => end(code === "ECONNREFUSED"));
  });
}
