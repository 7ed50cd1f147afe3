import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { temporaryDirectory } from "../base/temporary-directory.js";

export const PAGE_SCRIPT = `export const text = "${"page ".repeat(200)}";`;
/** With capitals, as the bundler's hashes have. */
export const SCRIPT_PATH = "/page/main-DzcG_j-N.js";
export const PAGE_HTML = `<!doctype html>
<title>nvrd</title>
<script type="module" src="${SCRIPT_PATH}"></script>
${" ".repeat(500)}`;

interface PageFile {
  readonly path: string;
  readonly file: string;
  readonly type: string;
  readonly immutable: boolean;
}

const FILES: readonly (PageFile & { readonly text: string })[] = [
  {
    ...{ path: "/", file: "index.html", type: "text/html; charset=utf-8", immutable: false },
    text: PAGE_HTML,
  },
  {
    ...{
      path: SCRIPT_PATH,
      file: "main-DzcG_j-N.js",
      type: "text/javascript; charset=utf-8",
      immutable: true,
    },
    text: PAGE_SCRIPT,
  },
  {
    ...{ path: "/worker.js", file: "worker.js", type: "text/javascript; charset=utf-8", immutable: false },
    text: "self.addEventListener('push', () => undefined);",
  },
  { ...{ path: "/icon.png", file: "icon.png", type: "image/png", immutable: false }, text: "a picture" },
];

/** A folder as scripts/page.mjs makes it, removed after the test unless it is in `parent`; `list` replaces its list. */
export async function pageFolder(list?: unknown, parent?: string): Promise<string> {
  const folder = path.join(parent ?? (await temporaryDirectory()), "page");
  await mkdir(folder);
  for (const { file, text } of FILES) {
    await writeFile(path.join(folder, file), text);
    await writeFile(path.join(folder, `${file}.gz`), gzipSync(text));
    await writeFile(path.join(folder, `${file}.br`), brotliCompressSync(text));
  }
  const listed = list ?? FILES.map(({ text: _, ...file }) => file);
  await writeFile(path.join(folder, "files.json"), typeof list === "string" ? list : JSON.stringify(listed));
  return folder;
}
