import { createReadStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { userInfo } from "node:os";
import { EXIT, errorText, NvrdError } from "../base/index.js";
import {
  type ConfigRequest,
  type ConfigResult,
  readConfigResult,
  runConfigRequest,
} from "../service/control/index.js";
import { loadSettings } from "../settings/index.js";
import { LmdbSiteStore } from "../site/index.js";
import type { CommandLine } from "./command-line.js";
import { withOfflineStore } from "./offline-store.js";
import { throughServiceOrOffline } from "./service-or-offline.js";

export type ConfigLine = Extract<CommandLine, { command: "config" }>;

const DOCUMENT_MODE = 0o640;
const SECRETS_MODE = 0o600;
/** An indented configuration is never larger. */
const FILE_BYTES_MAX = 16 * 1024 * 1024;
const USER_NAME_LENGTH_MAX = 64;
const UTF_16_MARKS = new Map([
  ["fffe", "utf-16le"],
  ["feff", "utf-16be"],
]);

/** `nvrd config …`: exports, imports, reverts the configuration, and prints its history. Resolves with the exit status. */
export async function configCommand(line: ConfigLine): Promise<number> {
  const { dataDir } = loadSettings({ flags: line.flags, environment: process.env });
  const request = await requestOf(line);
  // An import may create the configuration; the other actions require one.
  if (request.action !== "import" && !LmdbSiteStore.exists(dataDir)) {
    throw new NvrdError("SETTINGS_INVALID", `dataDir: there is no configuration in ${dataDir}`);
  }
  const result = await throughServiceOrOffline<ConfigResult>({
    dataDir,
    command: "config",
    arguments: request,
    offline: () => withOfflineStore(dataDir, (store) => runConfigRequest(store, request)),
    readResult: readConfigResult,
  });
  await show(line, result);
  return EXIT.done;
}

async function requestOf(line: ConfigLine): Promise<ConfigRequest> {
  const person = userInfo().username.slice(0, USER_NAME_LENGTH_MAX);
  switch (line.action) {
    case "export":
    case "history":
      return { action: line.action };
    case "revert":
      return { action: "revert", person, revision: line.revision };
    case "import": {
      const document = await readJson(line.file);
      const secrets = line.secretsFile === undefined ? {} : { secrets: await readJson(line.secretsFile) };
      return { action: "import", person, document, ...secrets };
    }
  }
}

async function readJson(file: string): Promise<unknown> {
  let text: string;
  try {
    text = textOf(await readBytes(file));
  } catch (error) {
    if (error instanceof NvrdError) throw error;
    throw fileError(`${file} cannot be read: ${errorText(error)}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message would quote the text, which may be a password.
    throw fileError(`${file} is not JSON`);
  }
}

/** A pipe or a device does not say how much it has. */
async function readBytes(file: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > FILE_BYTES_MAX)
      throw new NvrdError("BAD_REQUEST", `${file} is longer than ${FILE_BYTES_MAX} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** As its byte order mark says (Unicode 15, section 23.8): editors and shells of Windows write one. Without one it is UTF-8. */
function textOf(bytes: Buffer): string {
  const encoding = UTF_16_MARKS.get(bytes.toString("hex", 0, 2)) ?? "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

async function show(line: ConfigLine, result: ConfigResult): Promise<void> {
  if (result.kind === "export") return await writeExport(line, result);
  if (line.json) {
    const { kind, ...rest } = result;
    process.stdout.write(`${JSON.stringify(kind === "history" && "lines" in rest ? rest.lines : rest)}\n`);
  } else if (result.kind === "change") {
    const what = result.changed ? `revision ${result.revision}: ${result.summary}` : "nothing changed";
    process.stdout.write([what, ...result.notes].map((text) => `${text}\n`).join(""));
  } else {
    for (const { revision, time, by, summary } of result.lines)
      process.stdout.write(`${revision}  ${time ?? "unknown"}  ${by ?? "nvrd"}: ${summary}\n`);
  }
}

async function writeExport(
  line: ConfigLine,
  result: Extract<ConfigResult, { kind: "export" }>,
): Promise<void> {
  if (line.action !== "export") return;
  await writeJson(line.file, result.document, DOCUMENT_MODE);
  if (line.secretsFile !== undefined) await writeJson(line.secretsFile, result.secrets, SECRETS_MODE);
  const { file, secretsFile = null } = line;
  const text = secretsFile === null ? "without passwords" : `passwords to ${secretsFile}`;
  process.stdout.write(
    line.json ? `${JSON.stringify({ file, secretsFile })}\n` : `exported to ${file}, ${text}\n`,
  );
}

/**
 * Writes a temporary file first, so that the old file stays until the new one is complete, and the mode is right from the
 * start.
 */
async function writeJson(file: string, data: unknown, mode: number): Promise<void> {
  const unfinished = `${file}.${process.pid}.unfinished`;
  try {
    const handle = await open(unfinished, "wx", mode);
    try {
      await handle.writeFile(`${JSON.stringify(data, undefined, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw fileError(`${file} cannot be written: ${errorText(error)}`);
  }
}

function fileError(message: string): NvrdError {
  return new NvrdError("BAD_REQUEST", message, { hint: "name another file, or correct this one" });
}
