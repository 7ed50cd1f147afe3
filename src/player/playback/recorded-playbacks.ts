import { type Clock, type Log, NvrdError, US_PER_MS } from "../../base/index.js";
import type { ChangeMessage, LeaveMessage, PlaybackOrder, PlayMessage } from "../../contract/answer/index.js";
import type { Transcoding } from "../../picture/index.js";
import type { SiteStore } from "../../site/index.js";
import type { ChannelPlace } from "../viewing/recorded-channel.js";
import type { RotationOf } from "../viewing/rotation.js";
import { type GapReasonOf, PLAYBACK_CHANNELS_MAX, Playback as Player } from "./playback.js";
import type { PlaybackWatch } from "./playback-channel.js";
import type { PlaybackArchive } from "./playback-reading.js";
import type { Playback, PlaybackClient, Playbacks } from "./playbacks.js";
import { recordedStreams } from "./recorded-streams.js";

export interface RecordedPlaybacksOptions {
  readonly archive: PlaybackArchive & ChannelPlace["archive"];
  readonly transcoding: Pick<Transcoding, "openPlayback">;
  readonly rotationOf: RotationOf;
  readonly site: Pick<SiteStore, "current">;
  /** A number that no other feed has. */
  readonly nextFeed: () => number;
  readonly gapReason: GapReasonOf;
  readonly clock: Clock;
  readonly log: Log;
}

/** Plays the archive's recordings to clients of the live socket. */
export class RecordedPlaybacks implements Playbacks {
  readonly channelsMax = PLAYBACK_CHANNELS_MAX;
  readonly #options: RecordedPlaybacksOptions;

  constructor(options: RecordedPlaybacksOptions) {
    this.#options = options;
  }

  open({ watches, from, speed = 1, paused = false }: PlayMessage, client: PlaybackClient): Playback {
    const { site, ...options } = this.#options;
    const { archive } = options;
    const { codecs } = client;
    const player = new Player(
      {
        ...options,
        codecs,
        streams: (channelId) => recordedStreams({ site, archive }, client.principal, channelId),
        sink: {
          message: (message) => client.send(message),
          media: (bytes) => client.sendMedia(bytes),
          get waitingBytes() {
            return client.waitingBytes;
          },
        },
      },
      watches.map(watchOf),
      { timeUs: microseconds(from), speed, mode: paused ? "picture" : "run" },
    );
    player.start();
    return new ClientPlayback(player);
  }
}

/** A client's messages as orders. */
class ClientPlayback implements Playback {
  readonly #player: Player;

  constructor(player: Player) {
    this.#player = player;
  }

  get ids(): readonly number[] {
    return this.#player.ids;
  }

  order(message: PlaybackOrder): void {
    const player = this.#player;
    if (player.ids.length === 0)
      throw new NvrdError("BAD_REQUEST", "nothing is being played any more", { hint: "send play first" });
    switch (message.type) {
      case "seek":
        player.seek(microseconds(message.to));
        break;
      case "scan":
        player.scan({
          fromUs: microseconds(message.from),
          toUs: microseconds(message.to),
          everyUs: microseconds(message.every),
        });
        break;
      case "speed":
        player.setSpeed(message.speed);
        break;
      case "pause":
        player.pause();
        break;
      case "resume":
        player.resume();
        break;
      case "step":
        player.step(message.by);
        break;
    }
  }

  change(message: ChangeMessage): void {
    this.#player.change(message);
  }

  leave({ id }: LeaveMessage): void {
    this.#player.leave(id);
  }

  onDrain(): void {
    this.#player.drained();
  }

  recheck(): void {
    this.#player.review();
  }

  close(): void {
    this.#player.close();
  }
}

function watchOf(watch: PlayMessage["watches"][number]): PlaybackWatch {
  const { id, channel: channelId, tile, stream = "auto", sound = false } = watch;
  return { id, channelId, tile, stream, sound };
}

function microseconds(ms: number): number {
  return Math.round(ms * US_PER_MS);
}
