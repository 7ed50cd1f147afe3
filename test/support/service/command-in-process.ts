import { vi } from "vitest";
import { runCommandLine } from "../../../src/cli.js";

/** What a command left: its exit status, its standard output and its standard error. */
export interface CommandEnd {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * `nvrd …` in the test's own process: a start of the program costs more than most commands do. What a command is to a
 * shell, its process and status, is tested with `checkOffline` and the like. One at a time.
 */
export async function commandInProcess(args: readonly string[]): Promise<CommandEnd> {
  const texts = { stdout: "", stderr: "" };
  const keep = (stream: "stdout" | "stderr") =>
    vi.spyOn(process[stream], "write").mockImplementation((chunk) => {
      texts[stream] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
      return true;
    });
  const kept = [keep("stdout"), keep("stderr")];
  try {
    const status = await runCommandLine(args);
    return { status, ...texts };
  } finally {
    for (const stream of kept) stream.mockRestore();
  }
}
