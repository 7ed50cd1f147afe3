import { templateWords } from "../../words/template.js";

/** In words; the path where there are none. */
export function settingName(path: string): string {
  return templateWords().settings[path.split(".").at(-1) ?? ""] ?? path;
}

/** A value that is JSON. */
export function shownValue(json: string): string {
  const words = templateWords();
  if (json === "true") return words.yes;
  if (json === "false") return words.no;
  if (json === "null") return words.usual;
  return json.replace(/^"(.*)"$/s, "$1");
}
