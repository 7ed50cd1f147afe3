import { readFileSync } from "node:fs";
import * as v from "valibot";
import { type Guid, parseGuid, STREAM_TYPES } from "../../base/index.js";
import type { DeviceModel } from "./device-model.js";

/** The built-in catalogue; installers extend it with a file of the same format (docs/ref/models.md). */
const CATALOGUE = new URL("../../../src/camera/device/models.json", import.meta.url);

/** Bounds of a catalogue file. */
export const CATALOGUE_BYTES_MAX = 1024 * 1024;
const MANUFACTURERS_MAX = 500;
const MODELS_MAX = 500;
const NAME_LENGTH_MAX = 100;
const PATH_LENGTH_MAX = 500;
const NOTES_LENGTH_MAX = 1000;
const PATTERNS_MAX = 50;
const PROBLEMS_NAMED_MAX = 5;
const PORT_MAX = 65_535;

const nameText = v.pipe(
  v.string(),
  v.nonEmpty(),
  v.maxLength(NAME_LENGTH_MAX),
  v.regex(/^[^\p{Cc}\p{Cs}]*$/u),
);
const path = v.pipe(
  v.string(),
  v.maxLength(PATH_LENGTH_MAX),
  v.regex(/^\/[\x21-\x7e]*$/, "must start with / and hold no blanks"),
  v.check(
    (text) => !/\{(?!(channel|channel0|channel2|codec)\})/.test(text),
    "knows {channel}, {channel0}, {channel2} and {codec}",
  ),
);
const format = v.picklist(["MJPEG", "MPEG4_Part2", "H264", "Hevc"]);
const formats = v.array(format);
const port = v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(PORT_MAX)));
const patterns = v.pipe(v.array(nameText), v.maxLength(PATTERNS_MAX));

const modelSchema = v.strictObject({
  id: v.pipe(
    v.string(),
    v.check((text) => parseGuid(text) === text, "must be a GUID in lower case"),
  ),
  name: nameText,
  /** Model names as ONVIF devices report them, `*` for anything; "*" alone matches all other models of the manufacturer. */
  matches: patterns,
  connect: v.picklist(["url", "onvif", "path"]),
  altStream: v.boolean(),
  multiChannel: v.boolean(),
  ptz: v.boolean(),
  soundReceiving: v.boolean(),
  ioProcessing: v.boolean(),
  mainFormats: formats,
  altFormats: formats,
  ports: v.strictObject({ http: port, https: port, onvif: port, rtsp: port, rtsps: port }),
  paths: v.exactOptional(v.strictObject(v.entriesFromList(STREAM_TYPES, v.exactOptional(path)))),
  codecWords: v.exactOptional(
    v.strictObject(
      v.entriesFromList(
        ["MJPEG", "MPEG4_Part2", "H264", "Hevc"],
        v.exactOptional(v.pipe(v.string(), v.regex(/^\w+$/))),
      ),
    ),
  ),
  snapshotPath: v.exactOptional(path),
  notes: v.exactOptional(v.pipe(v.string(), v.maxLength(NOTES_LENGTH_MAX))),
});

const fileSchema = v.strictObject({
  format: v.literal(1),
  manufacturers: v.pipe(
    v.array(
      v.strictObject({
        name: nameText,
        /** Manufacturer names as its devices report them; case does not matter. */
        aliases: patterns,
        models: v.pipe(v.array(modelSchema), v.maxLength(MODELS_MAX)),
      }),
    ),
    v.maxLength(MANUFACTURERS_MAX),
  ),
});

type CatalogueFile = v.InferOutput<typeof fileSchema>;
type ModelEntry = CatalogueFile["manufacturers"][number]["models"][number];

/** The fault of a catalogue file. */
export interface ModelWarning {
  readonly problem: string;
}

/** The models there are, and how a device is matched to one. */
export class ModelCatalogue {
  /** By manufacturer, then as in the file. */
  readonly models: readonly DeviceModel[];
  readonly byId: ReadonlyMap<Guid, DeviceModel>;
  readonly #files: readonly CatalogueFile[];

  /** Later files take precedence over earlier ones. */
  constructor(files: readonly CatalogueFile[]) {
    this.#files = files;
    const byId = new Map<Guid, DeviceModel>();
    for (const file of files) {
      for (const { name, models } of file.manufacturers) {
        for (const entry of models) byId.set(entry.id, deviceModelOf(name, entry));
      }
    }
    this.byId = byId;
    this.models = [...byId.values()].sort((one, other) => compareNames(one.manufacturer, other.manufacturer));
  }

  /** The catalogue extended by another file, which takes precedence. */
  with(file: CatalogueFile): ModelCatalogue {
    return new ModelCatalogue([...this.#files, file]);
  }

  /** The model whose patterns fit best: an exact pattern before "*", a later file before an earlier one. */
  match(manufacturer: string, model: string): DeviceModel | undefined {
    const entries = this.#files
      .toReversed()
      .flatMap((file) => file.manufacturers.filter((maker) => isMaker(maker, manufacturer)))
      .flatMap((maker) => maker.models);
    const found =
      entries.find((entry) => entry.matches.some((pattern) => pattern !== "*" && fits(pattern, model))) ??
      entries.find((entry) => entry.matches.includes("*"));
    return found === undefined ? undefined : this.byId.get(found.id);
  }
}

/** The built-in catalogue. Throws if it is damaged, because then the installation is damaged. */
export function readCatalogue(): ModelCatalogue {
  const file = parseFile(readFileSync(CATALOGUE, "utf8"));
  if ("problem" in file) throw new Error(`the catalogue of camera models is damaged: ${file.problem}`);
  return new ModelCatalogue([file]);
}

/** The catalogue extended by the file `text`, or the fault of that file. Never throws. */
export function readExtension(catalogue: ModelCatalogue, text: string): ModelCatalogue | ModelWarning {
  const file = parseFile(text);
  return "problem" in file ? file : catalogue.with(file);
}

function parseFile(text: string): CatalogueFile | ModelWarning {
  if (text.length > CATALOGUE_BYTES_MAX) return { problem: `larger than ${CATALOGUE_BYTES_MAX} bytes` };
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    return { problem: `not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  const result = v.safeParse(fileSchema, data);
  if (!result.success) {
    const problems = result.issues.slice(0, PROBLEMS_NAMED_MAX);
    return {
      problem: problems.map((issue) => `${v.getDotPath(issue) ?? "file"}: ${issue.message}`).join("; "),
    };
  }
  const missing = result.output.manufacturers
    .flatMap((maker) => maker.models)
    .find((model) => model.connect === "path" && model.paths?.Main === undefined);
  return missing === undefined ? result.output : { problem: `${missing.name}: paths.Main is required` };
}

function deviceModelOf(manufacturer: string, entry: ModelEntry): DeviceModel {
  const ports = entry.ports;
  return {
    id: entry.id,
    manufacturer,
    name: entry.name,
    connection: entry.connect,
    altStreamSupported: entry.altStream,
    multiChannelServerSupported: entry.multiChannel,
    // No model has it by its name: a device that said that it has a card adds it in the answer (configure-devicemanufacturers).
    deviceArchiveSupported: false,
    // Every camera that is reached by RTSP may have a back channel; asking for one may disturb it, so it is asked when somebody speaks.
    soundTransmittingSupported: true,
    ptzSupported: entry.ptz,
    soundReceivingSupported: entry.soundReceiving,
    ioProcessingSupported: entry.ioProcessing,
    mainFormats: entry.mainFormats,
    altFormats: entry.altFormats,
    defaultPorts: [...new Set(Object.values(ports))].sort((one, other) => one - other),
    ports,
    paths: entry.paths ?? {},
    codecWords: entry.codecWords ?? {},
    snapshotPath: entry.snapshotPath,
    notes: entry.notes ?? "",
  };
}

function compareNames(one: string, other: string): number {
  const [lower, otherLower] = [one.toLowerCase(), other.toLowerCase()];
  if (lower !== otherLower) return lower < otherLower ? -1 : 1;
  return 0;
}

/** Manufacturers write their name in many ways; case, punctuation and "Co., Ltd." are ignored. */
function isMaker(
  maker: { readonly name: string; readonly aliases: readonly string[] },
  given: string,
): boolean {
  const wanted = plain(given);
  return wanted !== "" && [maker.name, ...maker.aliases].some((name) => plain(name) === wanted);
}

function plain(name: string): string {
  return name
    .slice(0, NAME_LENGTH_MAX)
    .toLowerCase()
    .replace(/\b(co|ltd|inc|corp|corporation|gmbh|ag|ab|technology|technologies|company|limited)\b/g, " ")
    .replace(/[^\p{L}\p{N}]+/gu, "");
}

/** `*` matches anything. Matched by hand, because a pattern could become a slow regular expression. */
function fits(pattern: string, model: string): boolean {
  const text = model.slice(0, NAME_LENGTH_MAX).toLowerCase();
  const parts = pattern.toLowerCase().split("*");
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
    return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > text.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}
