import { mkdir } from "node:fs/promises";
import path from "node:path";
import { appendPlain, errorText } from "../../base/index.js";
import type { Append } from "./send-messages.js";

/** Adds texts to files, which need not be there, one after the other. Answers for each why it was not written; undefined: it was. */
export async function appendAll(appends: readonly Append[]): Promise<readonly (string | undefined)[]> {
  const problems: (string | undefined)[] = [];
  for (const { file, text } of appends) {
    try {
      await append(file, text);
      problems.push(undefined);
    } catch (error) {
      problems.push(errorText(error));
    }
  }
  return problems;
}

async function append(file: string, text: string): Promise<void> {
  try {
    await appendPlain(file, text);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    await mkdir(path.dirname(file), { recursive: true });
    await appendPlain(file, text);
  }
}
