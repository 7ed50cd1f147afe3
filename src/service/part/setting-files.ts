import { errorText, NvrdError, readPlainSync } from "../../base/index.js";

const FILE_LENGTH_MAX = 64 * 1024;

/** The first line of a file that a setting names, such as a secret. Throws NvrdError SETTINGS_INVALID where there is none. */
export function lineOf(setting: string, file: string | undefined): string {
  const line = textOf(setting, file).split("\n", 1)[0]?.trim() ?? "";
  if (line === "") throw invalidSetting(setting, `${file ?? ""} is empty`);
  return line;
}

/** A file that a setting names; empty where none is. Throws NvrdError SETTINGS_INVALID where it cannot be read. */
export function textOf(setting: string, file: string | undefined): string {
  if (file === undefined) return "";
  try {
    return readPlainSync(file, FILE_LENGTH_MAX).toString("utf8");
  } catch (error) {
    throw invalidSetting(setting, `${file}: ${errorText(error)}`);
  }
}

export function invalidSetting(setting: string, reason: string): NvrdError {
  return new NvrdError("SETTINGS_INVALID", `${setting}: ${reason}`);
}
