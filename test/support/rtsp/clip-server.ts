import { type Clock, createLog, newGuid, SystemClock } from "../../../src/base/index.js";
import { ClipPlayer, type Lane } from "../../../src/demo/index.js";
import { LiveStream } from "../../../src/live/index.js";
import { LiveMount, RtspServer, type RtspServerOptions } from "../../../src/rtsp/server/index.js";

export interface ClipServer {
  readonly url: string;
  readonly port: number;
  readonly server: RtspServer;
  readonly stream: LiveStream;
  stop(): Promise<void>;
}

/** An RTSP server on loopback with one mount, `/clip`, that plays `lanes` in a loop. */
export async function startClipServer(
  lanes: readonly Lane[],
  options: Partial<RtspServerOptions> & { readonly clock?: Clock } = {},
): Promise<ClipServer> {
  const clock = options.clock ?? new SystemClock();
  const stream = new LiveStream({ channelId: newGuid(), streamType: "Main" });
  const formats = lanes.map((lane) => lane.format);
  const mount = new LiveMount({ title: "Clip", stream, fromGop: false, formats });
  const player = new ClipPlayer({ stream, lanes, clock });
  const server = new RtspServer({
    listen: "127.0.0.1",
    port: 0,
    mounts: new Map([["/clip", mount]]),
    log: createLog({ level: "silent" }),
    ...options,
    clock,
  });
  const { port } = await server.start();
  player.start();
  return {
    url: `rtsp://127.0.0.1:${port}/clip`,
    port,
    server,
    stream,
    stop: async () => {
      player.stop();
      await server.stop();
    },
  };
}
