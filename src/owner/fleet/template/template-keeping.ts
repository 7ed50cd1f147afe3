import * as v from "valibot";
import { type Guid, NvrdError, Semaphore } from "../../../base/index.js";
import { GUID_PATTERN } from "../../../contract/reading/index.js";
import type { Documents } from "../../../fleet/index.js";
import { type Json, partOf, type SettingChange } from "./template-settings.js";

const TEMPLATES = "hub/templates/";
const APPLIED = "hub/applied/";
/** Templates of a hub. */
const TEMPLATES_MAX = 100;
const READS_AT_ONCE = 16;
const DOCUMENT_LENGTH_MAX = 60_000;

const text = (lengthMax: number) => v.pipe(v.string(), v.maxLength(lengthMax));
const guid = v.pipe(v.string(), v.regex(new RegExp(GUID_PATTERN)));
const setting = v.pipe(
  text(128),
  v.check((name) => partOf(name) !== undefined),
);
const json = v.custom<Json>((value) => value !== undefined);

const templateSchema = v.object({
  id: guid,
  name: text(128),
  source: text(256),
  madeUs: v.number(),
  madeBy: text(256),
  settings: v.pipe(v.array(v.object({ setting, value: json })), v.maxLength(64)),
});
export type Template = Readonly<v.InferOutput<typeof templateSchema>>;

const appliedSchema = v.object({
  template: text(128),
  timeUs: v.number(),
  by: text(256),
  /** Cameras whose setting was the same and is the same now stand together. */
  changes: v.array(v.object({ setting, before: json, after: json, cameras: v.array(guid) })),
});

/** What was applied at a recorder last. */
export interface Applied {
  readonly template: string;
  readonly timeUs: number;
  readonly by: string;
  readonly changes: readonly SettingChange[];
}

/** Templates, and for each recorder what the last one has changed there: documents of the hub, or of all that are one. */
export class TemplateKeeping {
  readonly #documents: Documents;

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  /** By name. Rejects with NvrdError NOT_AVAILABLE. */
  async all(): Promise<readonly Template[]> {
    const names = (await this.#documents.names(TEMPLATES)).slice(0, TEMPLATES_MAX);
    const turns = new Semaphore({ atOnce: READS_AT_ONCE, waitingMax: TEMPLATES_MAX });
    const read = await Promise.all(names.map((name) => turns.run(() => this.#read(name, templateSchema))));
    return read
      .flatMap((template) => template ?? [])
      .toSorted((a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id));
  }

  /** Rejects with NvrdError NOT_FOUND, or NOT_AVAILABLE. */
  async template(id: Guid): Promise<Template> {
    const found = v.is(guid, id) ? await this.#read(`${TEMPLATES}${id}.json`, templateSchema) : undefined;
    if (found === undefined) throw new NvrdError("NOT_FOUND", "this hub has no such template");
    return found;
  }

  /** Rejects with NvrdError CONFLICT where there are too many, or NOT_AVAILABLE. */
  async add(template: Template): Promise<void> {
    if ((await this.#documents.names(TEMPLATES)).length >= TEMPLATES_MAX)
      throw new NvrdError("CONFLICT", `a hub has at most ${TEMPLATES_MAX} templates`, { hint: "delete one" });
    await this.#documents.write(`${TEMPLATES}${template.id}.json`, written(template));
  }

  async remove(id: Guid): Promise<void> {
    await this.template(id);
    await this.#documents.remove(`${TEMPLATES}${id}.json`);
  }

  /** Ids of recorders at which something can be undone. */
  async appliedAt(): Promise<readonly Guid[]> {
    const names = await this.#documents.names(APPLIED);
    return names.flatMap((name) => /^hub\/applied\/(.+)\.json$/.exec(name)?.[1] ?? []);
  }

  /** Undefined: nothing can be undone there. */
  async applied(boxId: Guid): Promise<Applied | undefined> {
    const found = await this.#read(`${APPLIED}${boxId}.json`, appliedSchema);
    if (found === undefined) return undefined;
    const changes = found.changes.flatMap(({ cameras, ...change }) =>
      cameras.map((camera) => ({ camera, ...change })),
    );
    return { ...found, changes };
  }

  /** Replaces what was kept of a former application. Rejects with NvrdError NOT_AVAILABLE. */
  async keepApplied(boxId: Guid, { changes, ...applied }: Applied): Promise<void> {
    const alike = new Map<string, { change: Omit<SettingChange, "camera">; cameras: Guid[] }>();
    for (const { camera, ...change } of changes) {
      const key = JSON.stringify([change.setting, change.before, change.after]);
      const found = alike.get(key) ?? { change, cameras: [] };
      found.cameras.push(camera);
      alike.set(key, found);
    }
    const grouped = [...alike.values()].map(({ change, cameras }) => ({ ...change, cameras }));
    await this.#documents.write(`${APPLIED}${boxId}.json`, written({ ...applied, changes: grouped }));
  }

  async forgetApplied(boxId: Guid): Promise<void> {
    await this.#documents.remove(`${APPLIED}${boxId}.json`);
  }

  /** What is damaged is none. */
  async #read<Schema extends v.GenericSchema>(
    name: string,
    schema: Schema,
  ): Promise<v.InferOutput<Schema> | undefined> {
    const read = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), await this.#documents.read(name));
    return read.success ? read.output : undefined;
  }
}

function written(value: object): string {
  const said = JSON.stringify(value);
  if (said.length <= DOCUMENT_LENGTH_MAX) return said;
  throw new NvrdError("BAD_REQUEST", "it changes too many settings at once: it could not be undone", {
    hint: "make a template of fewer parts",
  });
}
