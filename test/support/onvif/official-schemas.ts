import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { REPOSITORY_ROOT } from "../base/repository.js";
import { runPlayer } from "../rtsp/rtsp-players.js";

/** A Python with onvif-zeep-async, which Home Assistant uses, and lxml. */
export const ONVIF_PYTHON = process.env.NVRD_TEST_ONVIF_PYTHON;
/** Further folders with the official WSDL files, separated by colons: those of onvif-zeep-async have no Media2. */
const FOLDERS = (process.env.NVRD_TEST_ONVIF_WSDL ?? "").split(":").filter((folder) => folder !== "");

/** Reading the schemas takes half a minute of one processor. */
export const READING_MS_MAX = 4 * 60_000;

/** Why tests with it cannot run here; undefined where they can. */
export const noOnvifPython =
  ONVIF_PYTHON === undefined ? "NVRD_TEST_ONVIF_PYTHON, a Python with onvif-zeep-async" : undefined;

/** Which services the schemas are there for. */
export const hasMedia2Schemas = FOLDERS.length > 0;

/** A program of this folder, with text on its standard input. */
export function supportProgram(name: string): string {
  return join(REPOSITORY_ROOT, "test", "support", "onvif", name);
}

/** What is wrong with each of the envelopes, by the official schemas; an empty list for those that are right. */
export async function schemaFaults(envelopes: readonly string[]): Promise<readonly (readonly string[])[]> {
  const find = "import onvif, os; print(os.path.join(os.path.dirname(onvif.__file__), 'wsdl'))";
  const own = (await runPlayer(ONVIF_PYTHON ?? "", ["-c", find])).output.toString().trim();
  const folder = mkdtempSync(join(tmpdir(), "onvif-answers-"));
  const file = join(folder, "answers.json");
  writeFileSync(file, JSON.stringify(envelopes));
  try {
    const args = [supportProgram("validate_answers.py"), file, own, ...FOLDERS];
    const { output, errors, status } = await runPlayer(ONVIF_PYTHON ?? "", args, {
      timeoutMs: READING_MS_MAX,
    });
    if (status !== 0) throw new Error(errors);
    return JSON.parse(output.toString()) as string[][];
  } finally {
    rmSync(folder, { recursive: true });
  }
}
