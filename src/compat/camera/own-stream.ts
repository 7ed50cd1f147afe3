import { hostname as machineName } from "node:os";
import { STREAM_TYPES } from "../../base/index.js";
import { isOwnAddress, SYSTEM_NETWORK } from "../../camera/index.js";
import type { BodyReader, ServerReach } from "../../route/index.js";
import { parseRtspUrl, STREAM_SCHEME } from "../../rtsp/index.js";
import type { ConnectionSettings } from "../../site/index.js";

const OWN_STREAM = "is the recorder's own RTSP server: give the address of a camera";

interface OwnStreamCheck {
  /** What is already set up stays as it is. */
  readonly before: ConnectionSettings;
  readonly reader: BodyReader;
  readonly reach: Pick<ServerReach, "rtspPort">;
}

/** The recorder is no camera of itself. */
export function refuseOwnStreams(
  { hostname, streams }: ConnectionSettings,
  { before, reader, reach }: OwnStreamCheck,
): void {
  if (hostname !== before.hostname && isOwnStream(hostname, reach)) reader.fault("Hostname", OWN_STREAM);
  for (const type of STREAM_TYPES) {
    const url = streams[type].additionalParams;
    if (url !== before.streams[type].additionalParams && isOwnStream(url, reach))
      reader.fault("StreamSettings", OWN_STREAM);
  }
}

/** Whether the address of a stream is one that the recorder itself serves: it would record its own recordings. */
function isOwnStream(url: string, { rtspPort }: OwnStreamCheck["reach"]): boolean {
  if (rtspPort === 0 || !STREAM_SCHEME.test(url)) return false;
  try {
    const { host, port } = parseRtspUrl(url);
    return port === rtspPort && isThisMachine(host.toLowerCase());
  } catch {
    // It is no address that a camera can be reached at, and is refused for that.
    return false;
  }
}

/** By its addresses, and by the names that it gives itself; no other name is looked up. */
function isThisMachine(host: string): boolean {
  const name = machineName().toLowerCase();
  return ["localhost", name, `${name}.local`].includes(host) || isOwnAddress(host, SYSTEM_NETWORK);
}
