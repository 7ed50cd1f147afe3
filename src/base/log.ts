import { type DestinationStream, type Logger, pino } from "pino";

export type Log = Logger;

/** Member names whose values never reach a log line, at the top and one level down. */
const SECRET_MEMBERS = [
  "password",
  "Password",
  "authorization",
  "Authorization",
  "secret",
  "token",
  "cookie",
];

export interface LogOptions {
  readonly level: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
  /** Where the lines are written; default: standard output. */
  readonly destination?: DestinationStream;
  /** Also gets each line as it is written, line break included. Must not throw. */
  readonly copy?: (line: string) => void;
}

/** The service's log: one JSON object a line, secrets redacted by rule. */
export function createLog(options: LogOptions): Log {
  const { copy } = options;
  const streamWrite = (line: string): string => {
    copy?.(line);
    return line;
  };
  const settings = {
    level: options.level,
    base: null,
    ...(copy === undefined ? {} : { hooks: { streamWrite } }),
    redact: { paths: SECRET_MEMBERS.flatMap((name) => [name, `*.${name}`]), censor: "[secret]" },
  };
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
}

/** A URL as it may be shown: user, password and the query's credentials left out. Text that is no URL is cut at its `@`. */
export function redactUrl(url: string): string {
  const withoutUser = url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, "$1");
  return withoutUser.replace(
    /([?&;](?:login|user|usr|username|password|passwd|pwd|pass|token|auth)=)[^&;#]*/gi,
    "$1***",
  );
}
