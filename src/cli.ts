import { EXIT, endProcess, NvrdError, readRelease } from "./base/index.js";
import { type CommandLine, parseCommandLine, runSubcommand, USAGE, UsageError } from "./command/index.js";
import { isJournal } from "./host/systemd/index.js";

export { endProcess };

const ALIVE_INTERVAL_MS = 3_600_000;
const STANDARD_ERROR = 2;
/** Prefix that gives a line on standard error the priority "error" in the journal (sd-daemon(3)). */
const JOURNAL_ERROR_MARK = "<3>";

/** Runs the command in `args` (without the program's name). Resolves with the exit status; never rejects. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  // The clock's timers do not keep the process alive. Without this one, a process that only waits, for example during a stop,
  // would exit.
  const alive = setInterval(() => undefined, ALIVE_INTERVAL_MS);
  try {
    return await dispatch(parseCommandLine(args));
  } catch (error) {
    return complain(error);
  } finally {
    clearInterval(alive);
  }
}

async function dispatch(line: CommandLine): Promise<number> {
  switch (line.command) {
    case "help":
      process.stdout.write(USAGE);
      return EXIT.done;
    case "version":
      process.stdout.write(`${versionLine()}\n`);
      return EXIT.done;
    case "run":
    case "demo":
      // Loaded on demand: `--help` and commands through the socket do not need it, and its native modules take time to load.
      return await (await import("./main.js")).runService(line);
    default:
      return await runSubcommand(line);
  }
}

/** `nvrd 1.0.0 (commit abc12345 of 2026-11-28)`. */
function versionLine(): string {
  const { version, commit, date } = readRelease();
  const of = commit === "" ? "" : ` (commit ${commit.slice(0, 8)} of ${date.slice(0, 10)})`;
  return `nvrd ${version}${of}`;
}

/** Prints on standard error what went wrong and what to do; returns the exit status. */
function complain(error: unknown): number {
  if (error instanceof UsageError) {
    say(`nvrd: ${error.message}\n      nvrd --help shows the commands and flags\n`);
    return EXIT.usage;
  }
  if (!(error instanceof NvrdError)) {
    // Unexpected, so the stack is more useful than a short message.
    say(`nvrd: ${error instanceof Error ? error.stack : String(error)}\n`);
    return EXIT.failed;
  }
  const message = error.message.replaceAll("\n", "\n      ");
  // Messages of NOT_AVAILABLE contain the remedy; the hint "try again later" would add nothing.
  const hint = error.code === "NOT_AVAILABLE" ? "" : `      ${error.hint}\n`;
  say(`nvrd: ${message}\n${hint}`);
  if (error.code === "SETTINGS_INVALID") return EXIT.usage;
  return error.code === "ARCHIVE_LOCKED" ? EXIT.locked : EXIT.failed;
}

/** In the journal each line is a separate entry, so each gets the prefix. */
function say(text: string): void {
  const isRead = isJournal(STANDARD_ERROR, process.env.JOURNAL_STREAM);
  process.stderr.write(isRead ? text.replaceAll(/^(?=.)/gm, JOURNAL_ERROR_MARK) : text);
}
