import * as v from "valibot";
import { EMPTY_GUID, formatIsoTime, NvrdError } from "../../base/index.js";
import type { SiteRevisions } from "../../owner/index.js";
import {
  changeWhole,
  exportSite,
  importSite,
  type Site,
  type SiteExport,
  type SiteStore,
  siteSecretsSchema,
} from "../../site/index.js";

/** A request of `nvrd config`, to the running service or offline. */
export type ConfigRequest = v.InferOutput<typeof requestSchema>;

const PERSON_LENGTH_MAX = 64;
const person = v.pipe(v.string(), v.maxLength(PERSON_LENGTH_MAX));

const requestSchema = v.variant("action", [
  v.object({ action: v.literal("export") }),
  v.object({ action: v.literal("history") }),
  v.object({ action: v.literal("import"), person, document: v.unknown(), secrets: v.optional(v.unknown()) }),
  v.object({
    action: v.literal("revert"),
    person,
    revision: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  }),
]);

/** The result of a change, which may have changed nothing. */
export interface ConfigChange {
  readonly revision: number;
  readonly changed: boolean;
  readonly summary: string;
  readonly notes: readonly string[];
}

export interface ConfigHistoryLine {
  readonly revision: number;
  /** ISO 8601, UTC; null if unknown. */
  readonly time: string | null;
  readonly by: string | null;
  readonly summary: string;
}

export type ConfigResult =
  | ({ readonly kind: "export" } & SiteExport)
  | ({ readonly kind: "change" } & ConfigChange)
  | { readonly kind: "history"; readonly lines: readonly ConfigHistoryLine[] };

/** Validates a request received over the control socket. Throws NvrdError BAD_REQUEST. */
export function readConfigRequest(data: unknown): ConfigRequest {
  const result = v.safeParse(requestSchema, data);
  if (result.success) return result.output;
  throw new NvrdError("BAD_REQUEST", "the service does not understand this config command");
}

/** The configuration and its former revisions. */
export type ConfigStore = SiteStore & SiteRevisions;

/** Runs one config command. Rejects with NvrdError: BAD_REQUEST, FORMAT_NEWER, NOT_FOUND, NOT_AVAILABLE. */
export async function runConfigRequest(store: ConfigStore, request: ConfigRequest): Promise<ConfigResult> {
  switch (request.action) {
    case "export":
      return { kind: "export", ...exportSite(store.current) };
    case "history":
      return { kind: "history", lines: await historyLines(store) };
    case "import": {
      let notes: readonly string[] = [];
      const edit = (current: Site): Site => {
        const imported = importSite({ document: request.document, secrets: request.secrets, current });
        notes = imported.notes;
        return imported.site;
      };
      return { ...(await apply(store, edit, request.person, "imported")), notes };
    }
    case "revert": {
      const { revision } = request;
      const wanted = await store.revision(revision);
      const edit = (current: Site): Site => ({
        ...wanted,
        server: { ...wanted.server, id: current.server.id },
      });
      return await apply(store, edit, request.person, `reverted to revision ${revision}`);
    }
  }
}

/** Applies the edit in the name of somebody at the command line. */
async function apply(
  store: ConfigStore,
  edit: (current: Site) => Site,
  userName: string,
  what: string,
): Promise<{ kind: "change" } & ConfigChange> {
  const by = { userId: EMPTY_GUID, name: `command line (${userName})` };
  const { revision, isChanged, summary } = await changeWhole(store, edit, { by, what });
  return { kind: "change", revision, changed: isChanged, summary, notes: [] };
}

async function historyLines(store: ConfigStore): Promise<readonly ConfigHistoryLine[]> {
  return (await store.history()).map(({ revision, appliedAtUs, by, summary }) => ({
    revision,
    time: appliedAtUs === null ? null : formatIsoTime(appliedAtUs),
    by: by?.name ?? null,
    summary,
  }));
}

const text = v.string();
const resultSchema = v.variant("kind", [
  v.object({
    kind: v.literal("export"),
    document: v.record(text, v.unknown()),
    secrets: siteSecretsSchema,
  }),
  v.object({
    kind: v.literal("change"),
    revision: v.number(),
    changed: v.boolean(),
    summary: text,
    notes: v.array(text),
  }),
  v.object({
    kind: v.literal("history"),
    lines: v.array(
      v.object({ revision: v.number(), time: v.nullable(text), by: v.nullable(text), summary: text }),
    ),
  }),
]);

/** Validates a result received over the control socket. Throws NvrdError INTERNAL. */
export function readConfigResult(data: unknown): ConfigResult {
  const result = v.safeParse(resultSchema, data);
  if (result.success) return result.output;
  throw new NvrdError("INTERNAL", "the service's answer is invalid");
}
