import type { Access, Credentials, Principal } from "../../access/index.js";
import type { ArchiveAccess } from "../../archive/index.js";
import { type Clock, type Log, NvrdError } from "../../base/index.js";
import { Codec, type MediaFormat, type StreamDirectory } from "../../live/index.js";
import { type RtspViewer, refusedViewing } from "../../player/index.js";
import { type OpenStreams, requireVideoRights, type VideoRequest, viewingOf } from "../../route/index.js";
import type { MountSink } from "../../rtsp/server/index.js";
import type { Camera, SiteStore } from "../../site/index.js";

/** The needs of the RTSP sources. */
export interface RtspNeeds {
  readonly site: Pick<SiteStore, "current">;
  readonly access: Access;
  readonly archive: ArchiveAccess;
  readonly streams: StreamDirectory;
  readonly openStreams: OpenStreams;
  readonly clock: Clock;
  readonly log: Log;
  /** Type of the licence. */
  readonly productType: string;
}

/** The rights of an RTSP viewer: checked before each PLAY, and rechecked during it, as for `/video`. */
export class RtspViewing implements RtspViewer {
  readonly #camera: Camera;
  readonly #video: VideoRequest;
  readonly #needs: RtspNeeds;
  readonly #credentials: Credentials;

  constructor(
    needs: RtspNeeds,
    request: { readonly camera: Camera; readonly video: VideoRequest; readonly credentials: Credentials },
  ) {
    this.#needs = needs;
    this.#camera = request.camera;
    this.#video = request.video;
    this.#credentials = request.credentials;
  }

  get title(): string {
    return this.#camera.name;
  }

  get wantsSound(): boolean {
    return this.#video.sound;
  }

  /** Rejects with NvrdError if watching is not, or no longer, allowed. */
  async admit(): Promise<void> {
    const { access, openStreams } = this.#needs;
    const principal = access.recall(this.#credentials) ?? (await access.verify(this.#credentials));
    requireVideoRights(principal, this.#camera, this.#video);
    openStreams.requireRoom();
  }

  /** Registers a viewer; returns a function that removes it. `holds`: whether its source is unchanged. */
  enter(sink: MountSink, format: MediaFormat | undefined, holds: () => boolean): () => void {
    return this.#needs.openStreams.add({
      credentials: this.#credentials,
      viewer: { over: "rtsp", source: this.#video.playback === undefined ? "live" : "recorded" },
      mayContinue: (principal) => this.#mayContinue(principal) && this.#serves(format) && holds(),
      end: () => sink.onEnd("no longer allowed"),
    });
  }

  /** Throws NvrdError FORBIDDEN for MJPEG if it is switched off. */
  requireServed(format: MediaFormat | undefined): void {
    if (this.#serves(format)) return;
    throw new NvrdError("FORBIDDEN", "MJPEG is switched off for RTSP (RtspServerInfo.IsMjpegEnabled)", {
      hint: "use GET /video, or let an administrator switch it on with PUT /configure/rtsp",
    });
  }

  #mayContinue(principal: Principal): boolean {
    return (
      principal.maySee(this.#camera.id) && refusedViewing(principal, viewingOf(this.#video)) === undefined
    );
  }

  #serves(format: MediaFormat | undefined): boolean {
    return format?.codec !== Codec.MJPEG || this.#needs.site.current.rtsp.isMjpegEnabled;
  }
}
