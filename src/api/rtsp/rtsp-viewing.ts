import type { Credentials, Principal } from "../../access/index.js";
import { NvrdError } from "../../base/index.js";
import { Codec, type MediaFormat } from "../../live/index.js";
import type { MountSink } from "../../rtsp/server/index.js";
import type { Camera } from "../../site/index.js";
import { refusedViewing, requireVideoRights, type VideoRequest, viewingOf } from "../route/index.js";
import type { RtspNeeds } from "./needs.js";

/** Who watches what over RTSP: asked before each PLAY, and again as `/video` is while it plays. */
export class RtspViewing {
  readonly camera: Camera;
  readonly video: VideoRequest;
  readonly #needs: RtspNeeds;
  readonly #credentials: Credentials;

  constructor(
    needs: RtspNeeds,
    request: { readonly camera: Camera; readonly video: VideoRequest; readonly credentials: Credentials },
  ) {
    this.#needs = needs;
    this.camera = request.camera;
    this.video = request.video;
    this.#credentials = request.credentials;
  }

  /** Rejects with NvrdError when it may not, or no more, be watched. */
  async admit(): Promise<void> {
    const { access, openStreams } = this.#needs;
    const principal = access.recall(this.#credentials) ?? (await access.verify(this.#credentials));
    requireVideoRights(principal, this.camera, this.video);
    openStreams.requireRoom();
  }

  /** Registers a viewer under way; answers what takes it out. `holds`: whether its source is what it was. */
  enter(sink: MountSink, format: MediaFormat | undefined, holds: () => boolean): () => void {
    return this.#needs.openStreams.add({
      credentials: this.#credentials,
      viewer: { over: "rtsp", source: this.video.playback === undefined ? "live" : "recorded" },
      mayContinue: (principal) => this.#mayContinue(principal) && this.#serves(format) && holds(),
      end: () => sink.onEnd("it may no longer be watched"),
    });
  }

  /** Throws NvrdError FORBIDDEN for MJPEG where that is switched off. */
  requireServed(format: MediaFormat | undefined): void {
    if (this.#serves(format)) return;
    throw new NvrdError("FORBIDDEN", "MJPEG is switched off for RTSP (RtspServerInfo.IsMjpegEnabled)", {
      hint: "take it from GET /video, or have it switched on by PUT /configure/rtsp",
    });
  }

  #mayContinue(principal: Principal): boolean {
    return principal.maySee(this.camera.id) && refusedViewing(principal, viewingOf(this.video)) === undefined;
  }

  #serves(format: MediaFormat | undefined): boolean {
    return format?.codec !== Codec.MJPEG || this.#needs.site.current.rtsp.isMjpegEnabled;
  }
}
