import type { PlaySpeed, Tile } from "../../../contract/answer/index.js";
import { liveSocket } from "../../player/live-socket.js";
import type { GapMessage, Playback, PlaybackMessage, Refusal } from "../../player/watch.js";
import { PlayedCamera } from "./played-camera.js";

interface DeckOrder {
  /** 0 or 1. */
  readonly number: number;
  readonly cameras: readonly { readonly channel: string; readonly tile: Tile }[];
  /** Channel whose sound is heard. */
  readonly heard: string | undefined;
  readonly from: number;
  readonly speed: PlaySpeed;
  readonly paused: boolean;
}

/** Hears of both decks. */
export interface DeckListener {
  onPlayback(deck: Deck, message: PlaybackMessage): void;
  onRefused(deck: Deck, refusal: Refusal): void;
  onGap(deck: Deck, channel: string, gap: GapMessage): void;
  /** The moment that it is at, Unix milliseconds. */
  position(deck: Deck): number | undefined;
}

/** One of two playbacks of the same cameras: one is played, the other one stands at the moment under the pointer. */
export class Deck {
  readonly number: number;
  readonly cameras: readonly PlayedCamera[];
  readonly playback: Playback;
  /** As the service has it. */
  speed: PlaySpeed;

  constructor({ number, cameras, heard, from, speed, paused }: DeckOrder, listener: DeckListener) {
    this.number = number;
    this.speed = speed;
    this.cameras = cameras.map(
      ({ channel, tile }) =>
        new PlayedCamera({ channel, tile, onGap: (gap) => listener.onGap(this, channel, gap) }),
    );
    const watches = this.cameras.map((camera) => ({
      order: { channel: camera.channel, tile: camera.tile, sound: heard === camera.channel },
      listener: camera,
    }));
    this.playback = liveSocket.play(
      { watches, deck: number, from, speed, paused },
      {
        onPlayback: (message) => {
          this.speed = message.speed;
          listener.onPlayback(this, message);
        },
        onRefused: (refusal) => listener.onRefused(this, refusal),
        position: () => listener.position(this),
      },
    );
    for (const [index, watch] of this.playback.watches.entries()) {
      const camera = this.cameras[index];
      if (camera !== undefined) camera.watch = watch;
    }
    for (const camera of this.cameras) camera.video.muted = heard !== camera.channel;
  }

  /** Its pictures are to be as large as those of another deck. */
  resizeAs({ cameras }: Deck): void {
    for (const [index, camera] of this.cameras.entries()) {
      const { tile = camera.tile } = cameras[index] ?? {};
      if (tile.width !== camera.tile.width || tile.height !== camera.tile.height) camera.resize(tile);
    }
  }

  /** It is played no more; what it shows stays. */
  rest(): void {
    this.playback.pause();
    for (const { video } of this.cameras) video.pause();
  }

  close(): void {
    this.playback.close();
    for (const camera of this.cameras) camera.close();
  }
}
