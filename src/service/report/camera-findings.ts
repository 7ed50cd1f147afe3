import type { Guid, SeenKind } from "../../base/index.js";
import type { CameraEvent } from "../../camera/index.js";
import type { FindingWriter } from "../../finding/index.js";
import { SEEN_MOMENT_MS } from "../../recording/index.js";

/** What concerns the device, and nothing that is seen or heard before it; motion has its own way. */
const NO_FINDINGS: ReadonlySet<SeenKind> = new Set([
  "motion",
  "relay",
  "temperature",
  "storageFailure",
  "refusedLogin",
]);

/** Makes findings of what cameras report, one for each rule of a camera, from its begin to its end. */
export class CameraFindings {
  readonly #findings: FindingWriter;
  /** Those that last, by kind and name. */
  readonly #channels = new Map<Guid, Map<string, string>>();

  constructor(findings: FindingWriter) {
    this.#findings = findings;
  }

  take({
    channelId,
    kind,
    name,
    active,
    detail,
    timeUs,
    isAgain,
    lastsMs = SEEN_MOMENT_MS,
  }: CameraEvent): void {
    if (NO_FINDINGS.has(kind)) return;
    const lasting = this.#channels.get(channelId) ?? new Map<string, string>();
    this.#channels.set(channelId, lasting);
    const key = `${kind} ${name}`;
    const known = lasting.get(key);
    if (active === false) {
      lasting.delete(key);
      if (known !== undefined) this.#findings.end(known, timeUs);
      return;
    }
    if (known !== undefined) {
      this.#findings.grow(known, { atUs: timeUs });
      return;
    }
    // What is repeated, for those who forget, and was over here: the camera did not see it begin now.
    if (isAgain === true) return;
    const seen = { channelId, kind, source: "camera", sourceName: name, atUs: timeUs } as const;
    const text = kind === "plate" || kind === "face" ? { text: detail } : {};
    const id = this.#findings.begin({ ...seen, ...text, pauseMs: lastsMs });
    if (id === undefined) return;
    if (active === true) lasting.set(key, id);
    else this.#findings.end(id, timeUs);
  }

  /** Nothing more is heard of the channel. */
  forget(channelId: Guid): void {
    for (const id of this.#channels.get(channelId)?.values() ?? []) this.#findings.end(id);
    this.#channels.delete(channelId);
  }
}
