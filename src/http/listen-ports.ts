import { networkInterfaces } from "node:os";
import { type Log, NvrdError } from "../base/index.js";

/** A port to listen on; 0: off; "any": chosen by the kernel. */
export type PortSetting = number | "any";

/** Number of ports tried after the wanted one, before the kernel chooses. */
const FALLBACK_PORTS_TRIED = 20;
const FIRST_UNPRIVILEGED_PORT = 1024;

interface Listener {
  listen(host: string, port: number): number;
}

/**
 * Listens on the wanted port; with `fallback`, on another one if it is in use or privileged, which is logged. Throws NvrdError
 * NOT_AVAILABLE if no port is available.
 */
export function listenOn(
  server: Listener,
  wanted: { readonly host: string; readonly port: PortSetting; readonly fallback: boolean },
  log: Log,
): number {
  if (wanted.port === "any") return server.listen(wanted.host, 0);
  const ports = portsToTry({ port: wanted.port, fallback: wanted.fallback });
  let refusal: NvrdError | undefined;
  for (const port of ports) {
    try {
      const taken = server.listen(wanted.host, port);
      if (taken !== wanted.port)
        log.warn(
          { wanted: wanted.port, port: taken, reason: refusal?.message },
          "the port is not available: another one is used",
        );
      return taken;
    } catch (error) {
      if (!(error instanceof NvrdError) || error.code !== "NOT_AVAILABLE") throw error;
      refusal ??= error;
    }
  }
  throw refusal ?? new NvrdError("NOT_AVAILABLE", `cannot listen on ${wanted.host}`);
}

/** The ports to try, in order; 0: chosen by the kernel. */
export function portsToTry({
  port,
  fallback,
}: {
  readonly port: number;
  readonly fallback: boolean;
}): number[] {
  return fallback ? [port, ...fallbackPorts(port), 0] : [port];
}

function fallbackPorts(port: number): number[] {
  const first = Math.max(port + 1, FIRST_UNPRIVILEGED_PORT);
  return Array.from({ length: FALLBACK_PORTS_TRIED }, (_, index) => first + index).filter((p) => p <= 65_535);
}

/** The address at which clients on the LAN reach a server that listens on `listen`. */
export function reachableAddress(listen: string): string {
  if (listen !== "0.0.0.0" && listen !== "::") return listen;
  const addresses = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []);
  const outside = addresses.filter((entry) => !entry.internal && !entry.address.startsWith("fe80:"));
  const found = outside.find((entry) => entry.family === "IPv4") ?? outside[0];
  return found?.address ?? "127.0.0.1";
}
