import { createHash } from "node:crypto";
import { Agent, type AgentOptions } from "node:https";
import { connect, type TLSSocket } from "node:tls";
import { MS_PER_SECOND } from "../../base/index.js";
import { errorOfConnection, S3Error } from "./s3-error.js";
import type { RecorderPlace } from "./s3-target.js";

/** From the first packet to the end of the handshake, at one address. */
const CONNECT_MS_MAX = 3 * MS_PER_SECOND;

/**
 * Connections to another recorder, at whichever of its addresses it answers, by TLS 1.3. Who it is follows from the hash of its
 * certificate alone: neither names, nor times, nor authorities count. Nothing is sent before.
 */
export function recorderAgent(place: RecorderPlace, options: AgentOptions): Agent {
  const agent = new Agent(options);
  /** It answered there last. */
  let known: string | undefined;
  agent.createConnection = (_options, done): undefined => {
    reach(place, known).then(
      ({ socket, host }) => {
        known = host;
        done?.(null, socket);
      },
      (error: unknown) => (done as ((error: unknown) => void) | undefined)?.(error),
    );
    return undefined;
  };
  return agent;
}

async function reach(
  place: RecorderPlace,
  first: string | undefined,
): Promise<{ readonly socket: TLSSocket; readonly host: string }> {
  const { hosts, port, problem } = place;
  if (port === 0) throw new S3Error("unreachable", problem);
  let failure = new S3Error("unreachable", "the other recorder has no address");
  for (const host of [...hosts].sort((a, b) => Number(b === first) - Number(a === first))) {
    try {
      return { socket: await reachAt(host, place), host };
    } catch (error) {
      if (!(error instanceof S3Error)) throw error;
      // That another machine has its address says more than that nothing answers at the next one.
      if (failure.fault !== "not-trusted") failure = error;
    }
  }
  throw failure;
}

async function reachAt(host: string, { port, certificate, own }: RecorderPlace): Promise<TLSSocket> {
  const name = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const socket = connect({
    ...{ host, port, key: own.key, cert: own.certificate, rejectUnauthorized: false },
    ...{ minVersion: "TLSv1.3", ALPNProtocols: ["http/1.1"] },
  });
  socket.setTimeout(CONNECT_MS_MAX, () =>
    socket.destroy(new S3Error("unreachable", `${name} does not answer`)),
  );
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("secureConnect", resolve);
      socket.once("error", reject);
      socket.once("close", () => reject(new Error("the connection has ended")));
    });
  } catch (error) {
    socket.destroy();
    throw errorOfConnection(name, error);
  }
  // From here on the watch of each request looks for silence.
  socket.setTimeout(0);
  const { raw } = socket.getPeerCertificate();
  const hash = raw === undefined ? "" : createHash("sha256").update(raw).digest("base64url");
  if (hash === certificate) return socket;
  socket.destroy();
  throw new S3Error(
    "not-trusted",
    `what answers at ${name} is another machine than the recorder that is meant`,
  );
}
