import { execFile } from "node:child_process";
import { builtScript, errorText } from "../../base/index.js";

/** What a child process found when it loaded the codec. */
export interface CodecVersion {
  /** Why the codec cannot be used; undefined if it can. */
  readonly missing?: string;
  readonly libavVersion?: string;
}

/** A small box that does everything at once after power-on may need many seconds to start a child. */
const ANSWER_MS_MAX = 20_000;
const ANSWER_BYTES_MAX = 4096;

/** Asks a child process which libav* this machine has. Never rejects. */
export function askCodecVersion(
  script = builtScript(import.meta.url, "codec-version-child"),
): Promise<CodecVersion> {
  const options = {
    env: { PATH: process.env.PATH ?? "" },
    timeout: ANSWER_MS_MAX,
    maxBuffer: ANSWER_BYTES_MAX,
    killSignal: "SIGKILL",
  } as const;
  return new Promise((resolve) => {
    execFile(process.execPath, [script], options, (error, text) => {
      resolve(error === null ? readAnswer(text) : { missing: `it cannot be asked: ${errorText(error)}` });
    });
  });
}

/** The child is this build's own script. */
function readAnswer(text: string): CodecVersion {
  try {
    return JSON.parse(text) as CodecVersion;
  } catch (error) {
    return { missing: `its answer cannot be read: ${errorText(error)}` };
  }
}
