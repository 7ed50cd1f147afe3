import type { Credentials, Principal } from "../../access/index.js";
import { type ArchiveKey, whenKnown } from "../../archive/index.js";
import { NvrdError } from "../../base/index.js";
import { type Query, RequestContent } from "../../http/index.js";
import { isStillThere, RtspLive, RtspRecording, receivableKey, requireIndex } from "../../player/index.js";
import {
  noLiveStream,
  readCredentials,
  readVideoRequest,
  receivable,
  requireRoute,
  requireVideoRights,
  selectChannel,
  type VideoRequest,
} from "../../route/index.js";
import type { MountRequest, MountSource } from "../../rtsp/server/index.js";
import type { Camera } from "../../site/index.js";
import { type RtspNeeds, RtspViewing } from "./rtsp-viewing.js";

/** The only path of the RTSP server, normalized. */
const RTSP_PATH = "/rtsp";
/** Parameters that answers must not repeat. */
const SECRET_PARAMETER = /^(?:login|password|usertype)=/i;

/** Where a camera is found that is none of this server's own: at a hub, those of its recorders. Undefined: the request names none. */
export type MountsBeyond = (request: {
  readonly content: RequestContent;
  readonly principal: Principal;
}) => Promise<(Pick<RtspNeeds, "site" | "streams"> & { readonly query: Query }) | undefined>;

/**
 * Resolves RTSP URLs with the parameters, credentials and rights of GET /video. A client that sent its credentials in the URL
 * gets URLs without them, and is then recognized by its connection.
 */
export class RtspMounts {
  readonly #needs: RtspNeeds;
  readonly #beyond: MountsBeyond;
  readonly #known = new WeakMap<object, Credentials>();

  constructor(needs: RtspNeeds, beyond: MountsBeyond) {
    this.#needs = needs;
    this.#beyond = beyond;
  }

  /** Rejects with NvrdError if refused. */
  async resolve(resource: string, request: MountRequest): Promise<MountSource> {
    const content = contentOf(resource, request);
    if (content.path !== RTSP_PATH) {
      throw new NvrdError("NOT_FOUND", "there is no such stream", {
        hint: "use /rtsp?channelid=GUID, with a channel of GET /configex",
      });
    }
    const credentials = this.#credentials(content, request.connection);
    const { access } = this.#needs;
    const principal = access.recall(credentials) ?? (await access.verify(credentials));
    this.#known.set(request.connection, credentials);
    requireRoute({ login: "user" }, principal, this.#needs.productType);
    const { query = content.query, ...place } = (await this.#beyond({ content, principal })) ?? {};
    const needs = { ...this.#needs, ...place };
    const camera = selectChannel(query, needs, principal);
    const startOf = (of: ArchiveKey): number => {
      requireIndex(this.#needs.archive);
      return this.#needs.archive.nearestFrameUs(receivableKey(of, principal), 0) ?? 0;
    };
    const asked = await whenKnown(() => readVideoRequest(query, camera, { startOf }), this.#needs.clock, {
      gone: () => request.gone,
    });
    const video = receivable(asked, principal);
    const byClock = query.getFilled("starttime") === undefined;
    return mountOf(needs, { camera, video, credentials, principal, byClock, gone: request.gone });
  }

  #credentials(content: RequestContent, connection: object): Credentials {
    const isSent =
      content.query.getFilled("login") !== undefined || content.header("authorization") !== undefined;
    const known = isSent ? undefined : this.#known.get(connection);
    return known ?? readCredentials(content);
  }
}

function mountOf(
  needs: RtspNeeds,
  asked: {
    readonly camera: Camera;
    readonly video: VideoRequest;
    readonly credentials: Credentials;
    readonly principal: Principal;
    /** For a recording: the URL has no start. */
    readonly byClock: boolean;
    readonly gone: AbortSignal;
  },
): MountSource {
  const { camera, video, principal } = asked;
  requireVideoRights(principal, camera, video);
  const { streams, archive, clock, log } = needs;
  const viewing = new RtspViewing(needs, asked);
  const { key, playback } = video;
  if (playback !== undefined) {
    const exists = () => isStillThere(needs, key.channelId);
    const { of, startUs, speed: scale } = playback;
    const { byClock, gone } = asked;
    return new RtspRecording({
      ...{ viewing, of, archive, startUs, scale, byClock, exists, gone, clock, log },
    });
  }
  const current = () => streams.stream(key.channelId, key.streamType);
  const stream = current();
  if (stream === undefined) throw noLiveStream(streams, key.streamType);
  return new RtspLive({ stream, viewing, isCurrent: () => current() === stream, clock });
}

/** A request's URI, or the part after its host, without the credentials in its query. */
export function withoutSecrets(uri: string): string {
  const start = uri.indexOf("?");
  if (start === -1) return uri;
  const parameters = uri.slice(start + 1).split("&");
  const kept = parameters.filter((parameter) => !SECRET_PARAMETER.test(parameter));
  return kept.length === 0 ? uri.slice(0, start) : `${uri.slice(0, start)}?${kept.join("&")}`;
}

/** Throws NvrdError BAD_REQUEST if path or query are malformed. */
function contentOf(resource: string, { authorization, address }: MountRequest): RequestContent {
  const [url = "", ...rest] = resource.split("?");
  const query = rest.join("?");
  const headers = authorization === undefined ? [] : [["authorization", authorization] as const];
  return new RequestContent({ method: "describe", url, query, headers, address, body: new Uint8Array(0) });
}
