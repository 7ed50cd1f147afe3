import { errorText, readPlain } from "../base/index.js";
import type { BrokerAccess } from "./mqtt-connection.js";

/** Certificates, keys and a password are shorter. */
const FILE_BYTES_MAX = 1024 * 1024;

/** Which broker, and how to log in. */
export interface BrokerSettings {
  /** `mqtt://host[:port]` or `mqtts://host[:port]`. */
  readonly url: string;
  /** As `caFile` names it. */
  readonly ca?: string;
  /** Accepted issuers of the broker's certificate, PEM; those of Node.js when absent. */
  readonly caFile?: string;
  /** The client's certificate and its key, PEM. */
  readonly certificateFile?: string;
  readonly keyFile?: string;
  readonly login?: string;
  readonly password?: string;
  readonly passwordFile?: string;
}

const PORT = 1883;
const TLS_PORT = 8883;

/** Reads the files anew, so that a renewed certificate or password takes effect with the next connection. Rejects with an Error. */
export async function readBrokerAccess(settings: BrokerSettings): Promise<BrokerAccess> {
  const { caFile, certificateFile, keyFile, passwordFile, login } = settings;
  const [caOfFile, certificate, key, passwordLine] = await Promise.all(
    [caFile, certificateFile, keyFile, passwordFile].map(readIfNamed),
  );
  const ca = settings.ca ?? caOfFile;
  const password = settings.password ?? passwordLine?.replace(/\r?\n$/, "");
  const { protocol, hostname, port } = new URL(settings.url);
  const isTls = protocol === "mqtts:";
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
  };
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (isTls ? TLS_PORT : PORT) : Number(port),
    ...(isTls ? { tls } : {}),
    ...(login === undefined ? {} : { login }),
    ...(password === undefined ? {} : { password }),
  };
}

async function readIfNamed(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    return (await readPlain(file, FILE_BYTES_MAX)).toString("utf8");
  } catch (error) {
    throw new Error(`${file} cannot be read: ${errorText(error)}`);
  }
}
