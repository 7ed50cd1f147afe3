import type { Answer } from "../../http/index.js";
import type { ServerReach } from "../../route/index.js";

const POLICY = "Content-Security-Policy";
const OWN_CONNECTIONS = "connect-src 'self'";

/** Where the box may answer during a trial of network settings. */
export function trialOrigins(
  hosts: readonly string[],
  { httpPort, httpsPort }: Pick<ServerReach, "httpPort" | "httpsPort">,
): readonly string[] {
  const schemes = [
    ["http", httpPort],
    ["https", httpsPort],
  ] as const;
  return hosts.flatMap((host) =>
    schemes
      .filter(([, port]) => port > 0)
      .map(([scheme, port]) => `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`),
  );
}

/** The page with the right to ask at these origins too: it looks for the box where the trial has put it. */
export function connecting(answer: Answer, origins: readonly string[]): Answer {
  const wider = `${OWN_CONNECTIONS} ${origins.join(" ")}`;
  return {
    ...answer,
    headers: answer.headers.map(([name, value]) =>
      name === POLICY ? [name, value.replace(OWN_CONNECTIONS, wider)] : [name, value],
    ),
  };
}
