import * as v from "valibot";
import {
  type Clock,
  errorText,
  type Guid,
  type Log,
  MS_PER_SECOND,
  NvrdError,
  Semaphore,
} from "../../../base/index.js";
import type { TemplateResult } from "../../../contract/answer/index.js";
import type { TemplatePart } from "../../../contract/index.js";
import { GUID_PATTERN } from "../../../contract/reading/index.js";
import { type Hub, type WholeAnswer, wholeAnswer } from "../../../fleet/index.js";
import type { hubUserOf } from "../hub-user.js";
import type { Applied, TemplateKeeping } from "./template-keeping.js";
import {
  type CameraSettings,
  changedCameras,
  changesBack,
  changesBy,
  partOf,
  type SettingChange,
  type TemplateSetting,
} from "./template-settings.js";

const CHANNELS = "/configure/channels";
/** A recorder's cameras, each with all of its settings. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
const ANSWER_MS_MAX = 20 * MS_PER_SECOND;
/** Recorders that are asked at once. */
const AT_ONCE = 16;
/** Cameras that a recorder takes in one change. */
const CAMERAS_MAX = 256;

const cameraSchema = v.looseObject({
  Id: v.pipe(v.string(), v.regex(new RegExp(GUID_PATTERN))),
  Name: v.pipe(v.string(), v.maxLength(512)),
  ConnectionSettings: v.looseObject({ ModelId: v.string() }),
});
const camerasSchema = v.custom<readonly CameraSettings[]>((value) => v.is(v.array(cameraSchema), value));
const refusalSchema = v.object({ ErrorMessage: v.string() });

type BoxResult = TemplateResult["Recorders"][number];

export interface TemplateBoxesOptions {
  readonly boxes: Pick<Hub, "open" | "box">;
  /** In whose name recorders are asked and changed. */
  readonly user: ReturnType<typeof hubUserOf>;
  readonly keeping: TemplateKeeping;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a recorder has. */
interface BoxCameras {
  readonly revision: string;
  readonly cameras: readonly CameraSettings[];
}

/** Reads and changes the settings of cameras at recorders, in the name of a user: each decides by itself whether that user may. */
export class TemplateBoxes {
  readonly #options: TemplateBoxesOptions;

  constructor(options: TemplateBoxesOptions) {
    this.#options = options;
  }

  /** Rejects with NvrdError NOT_FOUND, FORBIDDEN or NOT_AVAILABLE. */
  async cameras(boxId: Guid): Promise<readonly CameraSettings[]> {
    return (await this.#read(boxId)).cameras;
  }

  /** What the settings would change at each. */
  preview(ids: readonly Guid[], settings: readonly TemplateSetting[]): Promise<readonly BoxResult[]> {
    return this.#each(ids, async (id) => {
      const { revision, cameras } = await this.#read(id);
      const changes = changesBy(cameras, settings);
      return this.#result(id, changes.length === 0 ? "Same" : "Ready", {
        ...{ revision, cameras, changes },
      });
    });
  }

  /** Changes each, where its configuration is still of the revision. What it was is kept before. */
  apply(
    targets: readonly { readonly Id: Guid; readonly Revision: string }[],
    { name, settings }: { readonly name: string; readonly settings: readonly TemplateSetting[] },
  ): Promise<readonly BoxResult[]> {
    const { keeping, clock, user } = this.#options;
    const revisions = new Map(targets.map(({ Id, Revision }) => [Id, Revision]));
    return this.#each([...revisions.keys()], async (id) => {
      const known = await this.#read(id);
      const changes = changesBy(known.cameras, settings);
      if (changes.length === 0) return this.#result(id, "Same", { ...known, changes });
      if (known.revision !== revisions.get(id))
        throw new NvrdError(
          "CONFLICT",
          "its configuration has changed since: look at what would change again",
        );
      const before = await keeping.applied(id);
      await keeping.keepApplied(id, { template: name, timeUs: clock.nowUs(), by: user.Name, changes });
      try {
        return await this.#change(id, known, changes);
      } catch (error) {
        // It has refused, and is as it was.
        if (isRefusal(error)) await this.#restore(id, before);
        throw error;
      }
    });
  }

  /** Takes back what was applied last, as far as nobody has changed the same since. */
  undo(ids: readonly Guid[]): Promise<readonly BoxResult[]> {
    const { keeping } = this.#options;
    return this.#each(ids, async (id) => {
      const applied = await keeping.applied(id);
      if (applied === undefined) throw new NvrdError("NOT_FOUND", "no template can be undone there");
      const known = await this.#read(id);
      const { changes, left } = changesBack(known.cameras, applied.changes);
      const result =
        changes.length === 0
          ? this.#result(id, "Same", { ...known, changes })
          : await this.#change(id, known, changes);
      await keeping.forgetApplied(id);
      if (left === 0) return result;
      return {
        ...result,
        Problem: `${left} settings stay as they are: they were changed since, or had no value before`,
      };
    });
  }

  async #restore(id: Guid, before: Applied | undefined): Promise<void> {
    const { keeping } = this.#options;
    if (before === undefined) await keeping.forgetApplied(id);
    else await keeping.keepApplied(id, before);
  }

  async #change(id: Guid, known: BoxCameras, changes: readonly SettingChange[]): Promise<BoxResult> {
    const bodies = changedCameras(known.cameras, changes);
    if (bodies.length > CAMERAS_MAX)
      throw new NvrdError(
        "BAD_REQUEST",
        `a recorder takes changes of at most ${CAMERAS_MAX} cameras at once`,
      );
    const headers = { "if-match": known.revision };
    await this.#ask(id, { method: "PUT", headers, body: Buffer.from(JSON.stringify(bodies)) });
    const { log, user } = this.#options;
    log.info(
      { user: user.Name, box: id, changes: changes.length },
      "settings of a recorder's cameras were changed",
    );
    return this.#result(id, "Done", { ...known, changes });
  }

  async #read(id: Guid): Promise<BoxCameras> {
    const { headers, body } = await this.#ask(id, { method: "GET", headers: {} });
    const revision = headers.find(([name]) => name.toLowerCase() === "etag")?.[1];
    const read = v.safeParse(v.pipe(v.string(), v.parseJson(), camerasSchema), body.toString("utf8"));
    if (read.success && revision !== undefined && revision.length <= 64)
      return { revision, cameras: read.output };
    throw new NvrdError("NOT_AVAILABLE", "it says nothing of its cameras that can be read");
  }

  /** Rejects with BoxRefusal where the recorder refuses. */
  async #ask(
    id: Guid,
    { method, headers, body }: { method: "GET" | "PUT"; headers: Record<string, string>; body?: Buffer },
  ): Promise<WholeAnswer> {
    const { boxes, user, clock } = this.#options;
    const stream = await boxes.open(id, {
      ...{ user, role: "commands", hasBody: body !== undefined },
      headers: { ":method": method, ":path": CHANNELS, "content-type": "application/json", ...headers },
    });
    stream.on("error", () => stream.destroy());
    if (body !== undefined) stream.end(body);
    const answer = await wholeAnswer(stream, { bytesMax: ANSWER_BYTES_MAX, ms: ANSWER_MS_MAX, clock });
    if (answer.status === 200) return answer;
    throw refusalOf(answer);
  }

  #each(ids: readonly Guid[], work: (id: Guid) => Promise<BoxResult>): Promise<readonly BoxResult[]> {
    const turns = new Semaphore({ atOnce: AT_ONCE, waitingMax: Number.POSITIVE_INFINITY });
    const one = async (id: Guid): Promise<BoxResult> => {
      try {
        return await work(id);
      } catch (error) {
        return { ...this.#result(id, "Failed"), Problem: errorText(error) };
      }
    };
    return Promise.all([...new Set(ids)].map((id) => turns.run(() => one(id))));
  }

  #result(
    id: Guid,
    State: BoxResult["State"],
    known?: BoxCameras & { readonly changes: readonly SettingChange[] },
  ): BoxResult {
    const names = new Map(known?.cameras.map(({ Id, Name }) => [Id, Name]));
    return {
      ...{ Id: id, Name: this.#options.boxes.box(id)?.name ?? id, State, Problem: null },
      Revision: known?.revision ?? null,
      Changes: (known?.changes ?? []).map(({ camera, setting, before, after }) => ({
        ...{ Camera: camera, CameraName: names.get(camera) ?? camera },
        ...{ Part: partOf(setting) ?? ("Recording" satisfies TemplatePart), Setting: setting },
        ...{ Before: JSON.stringify(before), After: JSON.stringify(after) },
      })),
    };
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof NvrdError && ["FORBIDDEN", "CONFLICT", "BAD_REQUEST"].includes(error.code);
}

/** In the words of the recorder; what it does not let the hub's users change, in those of the hub. */
function refusalOf({ status, body }: WholeAnswer): NvrdError {
  const said = v.safeParse(v.pipe(v.string(), v.parseJson(), refusalSchema), body.toString("utf8"));
  const text = said.success ? said.output.ErrorMessage : `it answers with status ${status}`;
  if (status === 403)
    return new NvrdError("FORBIDDEN", "its owner does not let this hub change its settings", { hint: "" });
  if (status === 409)
    return new NvrdError("CONFLICT", "its configuration has changed since: look at what would change again");
  return new NvrdError(status >= 500 ? "NOT_AVAILABLE" : "BAD_REQUEST", text.slice(0, 500));
}
