import type { ServerHttp2Stream } from "node:http2";
import type { ClockTimer } from "../../base/index.js";
import { DECKS, LIVE_CODECS, type LiveCodec } from "../../contract/answer/index.js";
import { OPCODES, type PeerLive, serverFrame, WebSocketFrames } from "../../fleet/index.js";
import { ClientFeed, type ClientFeedOptions, FeedTurns, SocketPace } from "../../player/index.js";
import { LIVE_PROTOCOL, readClientMessage, WATCHES_MAX } from "../live/index.js";
import type { FleetNeeds } from "./fleet-control.js";
import { sharedLive } from "./shared-live.js";
import { type SharedClient, SharedWatches } from "./shared-watches.js";

/** Another hub that has so much waiting is disconnected: it takes nothing. */
const WAITING_BYTES_MAX = 24 * 1024 * 1024;
const LOOK_AFTER_MS = 1000;

/** What serving another hub works with. */
export type ViewerNeeds = Pick<FleetNeeds, "boxes" | "liveFeeds" | "liveSockets" | "clock" | "version">;

/** Serves the viewers of another hub what this one has of a recorder, over a stream that is not answered yet. */
export function servePeer(needs: ViewerNeeds, live: PeerLive): void {
  const viewer = new PeerViewer(needs, live);
  live.stream.once("close", () => viewer.close());
  live.stream.respond({ ":status": 200, "sec-websocket-protocol": LIVE_PROTOCOL });
}

/** Another hub as one client of what is shared here: all its viewers have the same stream of a camera. */
class PeerViewer implements SharedClient {
  readonly #needs: ViewerNeeds;
  readonly #live: PeerLive;
  readonly #stream: ServerHttp2Stream;
  readonly #pace: SocketPace;
  readonly #turns: FeedTurns;
  readonly #watches: SharedWatches;
  readonly #timer: ClockTimer;
  #sentBytes = 0;
  codecs: readonly LiveCodec[] = [];

  constructor(needs: ViewerNeeds, live: PeerLive) {
    this.#needs = needs;
    this.#live = live;
    this.#stream = live.stream;
    const { clock, liveSockets } = needs;
    this.#pace = new SocketPace(this, liveSockets.waiting, clock);
    this.#turns = new FeedTurns(this.#pace, clock);
    this.#watches = new SharedWatches(sharedLive(needs), this);
    this.#timer = clock.setInterval(() => this.#lookAfter(), LOOK_AFTER_MS);
    const frames = new WebSocketFrames(
      {
        onMessage: (payload, isBinary) => this.#take(isBinary ? undefined : payload.toString("utf8")),
        onPing: (payload) => this.#write(OPCODES.pong, payload),
        onPong: (payload) => {
          this.#pace.answered(payload.toString("latin1"));
          this.#turns.pump();
        },
        onClose: () => this.close(),
      },
      { from: "client" },
    );
    live.stream.on("data", (chunk: Buffer) => {
      try {
        frames.push(chunk);
      } catch {
        // The other hub opens it anew.
        this.close();
      }
    });
    live.stream.on("drain", () => {
      this.#pace.drained();
      this.#turns.pump();
    });
  }

  get waitingBytes(): number {
    return this.#stream.destroyed ? 0 : this.#stream.writableLength;
  }

  get sentBytes(): number {
    return this.#sentBytes;
  }

  send(message: object | string | Uint8Array): void {
    if (message instanceof Uint8Array) this.#write(OPCODES.binary, message);
    else
      this.#write(OPCODES.text, Buffer.from(typeof message === "string" ? message : JSON.stringify(message)));
  }

  ping(text: string): void {
    this.#write(OPCODES.ping, Buffer.from(text, "latin1"));
  }

  clientFeed(options: Pick<ClientFeedOptions, "sit" | "onEmpty">): ClientFeed {
    const { clock, liveSockets } = this.#needs;
    return new ClientFeed({
      ...{ connection: this, pace: this.#pace, turns: this.#turns, clock },
      onDropped: (count) => liveSockets.countLeftOut(count),
      ...options,
    });
  }

  /** The other hub finds another way. */
  onLost(): void {
    this.close();
  }

  close(): void {
    this.#timer.clear();
    this.#watches.close();
    this.#pace.close();
    this.#stream.close();
  }

  #lookAfter(): void {
    if (this.#pace.isStalled) this.close();
    else this.#turns.lookAfter();
  }

  #take(text: string | undefined): void {
    const message = readClientMessage(text);
    if (message.type === "hello") {
      this.codecs = LIVE_CODECS.filter((codec) => message.codecs.includes(codec));
      const limits = { watches: WATCHES_MAX, playbackChannels: 0, decks: DECKS };
      const { version, clock } = this.#needs;
      this.send({ type: "welcome", version, time: clock.nowUs() / 1000, limits });
    } else if (
      message.type === "watch" &&
      !this.#watches.has(message.id) &&
      this.#watches.size < WATCHES_MAX
    ) {
      const { boxId, user } = this.#live;
      this.#watches.watch(message, { boxId, user, isOfPeer: true });
    } else if (message.type === "change") this.#watches.change(message.id, message);
    else if (message.type === "leave") this.#watches.leave(message.id);
    else throw new RangeError("another hub asks for what hubs do not share");
  }

  #write(opcode: number, payload: Uint8Array): void {
    const stream = this.#stream;
    if (stream.destroyed || stream.writableEnded) return;
    this.#sentBytes += payload.length;
    if (stream.writableLength > WAITING_BYTES_MAX) this.close();
    else stream.write(serverFrame(opcode, payload));
  }
}
