import { vi } from "vitest";
import { runCommandLine } from "../../../src/cli.js";

/** What a command left: its exit status, and its standard output. */
export interface CommandEnd {
  readonly status: number;
  readonly stdout: string;
}

/**
 * `nvrd …` in the test's own process: a start of the program costs more than most commands do. What a command is to a
 * shell, its process and status, is tested with `checkOffline` and the like. One at a time.
 */
export async function commandInProcess(args: readonly string[]): Promise<CommandEnd> {
  let stdout = "";
  const written = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    stdout += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    return true;
  });
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    return { status: await runCommandLine(args), stdout };
  } finally {
    written.mockRestore();
    said.mockRestore();
  }
}
