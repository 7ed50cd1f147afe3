import type { ArchivedFrame } from "../../../src/archive/index.js";
import { type Clock, createLog } from "../../../src/base/index.js";
import { withoutSecrets } from "../../../src/compat/rtsp/rtsp-mounts.js";
import { RtspServer } from "../../../src/rtsp/server/index.js";
import { EMPTY_MD5, GATE_ID, ROOT_MD5 } from "../api/api-fakes.js";
import { archivedFrames } from "../api/api-frames.js";
import type { ApiHarness } from "../api/api-harness.js";
import { handSlice } from "./hand-source.js";
import { RawRtspClient } from "./raw-rtsp-client.js";

/** The RTSP outlet of an API on a port of loopback, with raw clients. */
export class OutletHarness {
  readonly server: RtspServer;
  port = 0;
  readonly #clients: RawRtspClient[] = [];

  constructor(api: ApiHarness, clock: Clock) {
    this.server = new RtspServer({
      listen: "127.0.0.1",
      port: 0,
      mounts: (resource, request) => api.server.rtspMounts.resolve(resource, request),
      udp: true,
      publicUri: withoutSecrets,
      clock,
      log: createLog({ level: "silent" }),
    });
  }

  async start(): Promise<void> {
    this.port = (await this.server.start()).port;
  }

  async stop(): Promise<void> {
    for (const client of this.#clients.splice(0)) client.close();
    await this.server.stop();
  }

  async connect(): Promise<RawRtspClient> {
    const client = await RawRtspClient.connect(this.port);
    this.#clients.push(client);
    return client;
  }

  get clients(): readonly RawRtspClient[] {
    return this.#clients;
  }

  /** The gate's URL, as root. */
  url(query = "", login = `&login=root&password=${ROOT_MD5}`): string {
    return `rtsp://127.0.0.1:${this.port}/rtsp?channelid=${GATE_ID}${query}${login}`;
  }

  /** Sets up one track over TCP and plays. Answers the PLAY. */
  async play(
    client: RawRtspClient,
    url: string,
    options: { readonly setup?: Record<string, string>; readonly play?: Record<string, string> } = {},
  ) {
    const transport = { Transport: "RTP/AVP/TCP;unicast;interleaved=0-1", ...options.setup };
    const setup = await client.request("SETUP", `${url}/trackID=0`, transport);
    if (setup.status !== 200) throw new Error(`SETUP: ${setup.status} ${setup.body}`);
    const session = setup.headers.get("session")?.split(";", 1)[0] ?? "";
    const play = await client.request("PLAY", url, { Session: session, ...options.play });
    return { session, play };
  }
}

/** The user of the sample site without a password. */
export const GUARD_QUERY = `&login=guard&password=${EMPTY_MD5}`;

/** As `archivedFrames`, of H.264 slices: the bytes after a slice's header are the frame's number, counted from 1. */
export function recordedSlices(...args: Parameters<typeof archivedFrames>): ArchivedFrame[] {
  return archivedFrames(...args).map((frame, index) => ({
    ...frame,
    bytes: handSlice(frame.key, (index + 1) & 0xff),
  }));
}
