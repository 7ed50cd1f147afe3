import { createServer } from "node:net";
import { errorText, NvrdError } from "../../base/index.js";
import type { Settings } from "../../settings/index.js";

/** The ports the service listens on, with their flags. */
const LISTENED_PORTS = [
  { setting: "httpPort", flag: "--http-port", alternative: 8081 },
  { setting: "httpsPort", flag: "--https-port", alternative: 18_081 },
] as const;

/** System ports (RFC 6335, section 6) need a privilege. */
const PRIVILEGED_PORTS_END = 1024;

/**
 * Tries the ports before the service listens, to report all problems at once with a remedy. Rejects with NvrdError
 * NOT_AVAILABLE that lists every port that cannot be listened on.
 */
export async function checkPorts(settings: Settings): Promise<void> {
  const problems: string[] = [];
  for (const { setting, flag, alternative } of LISTENED_PORTS) {
    const port = settings[setting];
    if (port === 0) continue;
    const code = await tryListening(settings.listen, port);
    if (code !== undefined)
      problems.push(problemText({ code, port, flag, alternative, listen: settings.listen }));
  }
  if (problems.length > 0) throw new NvrdError("NOT_AVAILABLE", problems.join("\n"));
}

/** The system's error code; undefined if the port is free. */
function tryListening(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? errorText(error)));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

interface PortProblem {
  readonly code: string;
  readonly port: number;
  readonly flag: string;
  readonly alternative: number;
  readonly listen: string;
}

function problemText({ code, port, flag, alternative, listen }: PortProblem): string {
  const otherPort = `choose another with ${flag} ${alternative}, or switch it off with ${flag} 0`;
  if (code === "EADDRINUSE") {
    return `port ${port} on ${listen} is in use: stop the program that uses it (ss -ltnp 'sport = :${port}'), ${otherPort}`;
  }
  if (code === "EACCES" && port < PRIVILEGED_PORTS_END) {
    const allow = `sysctl net.ipv4.ip_unprivileged_port_start=${port}`;
    return `port ${port} is privileged: run as root, allow it (${allow}), ${otherPort}`;
  }
  if (code === "EADDRNOTAVAIL")
    return `this machine has no address ${listen}: correct --listen (the command "ip address" lists them)`;
  return `port ${port} on ${listen} cannot be listened on (${code}): ${otherPort}`;
}
