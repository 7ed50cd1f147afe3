import { type DestinationStream, type Logger, pino } from "pino";
import { redactText } from "../value/redact-url.js";

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
    const shown = redactText(line);
    copy?.(shown);
    return shown;
  };
  const settings = {
    level: options.level,
    base: null,
    hooks: { streamWrite },
    redact: { paths: SECRET_MEMBERS.flatMap((name) => [name, `*.${name}`]), censor: "[secret]" },
  };
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
}
