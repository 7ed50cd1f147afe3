import type { Guid, SeenKind } from "../../base/index.js";
import {
  EVENT_TYPES,
  type EventLog,
  type EventRecord,
  type EventSubscription,
  memberBox,
  memberNumber,
  memberText,
} from "../../event/index.js";
import type { FindingWriter } from "../../finding/index.js";
import type { SiteStore } from "../../site/index.js";

/** The types of events that analysers raise, and programs by POST /api/events. */
const KINDS: ReadonlyMap<Guid, SeenKind> = new Map<Guid, SeenKind>([
  [EVENT_TYPES.plateRecognized.id, "plate"],
  [EVENT_TYPES.faceRecognized.id, "face"],
  [EVENT_TYPES.personDetected.id, "person"],
  [EVENT_TYPES.vehicleDetected.id, "vehicle"],
  [EVENT_TYPES.objectDetected.id, "other"],
]);
const ANIMALS: ReadonlySet<string> = new Set([
  ...["bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe", "animal"],
  ...["deer", "fox", "rabbit", "squirrel", "raccoon", "goat"],
]);
/** Initiator of events from outside. */
const EXTERNAL_MODULE = 8;
const NAME_FIELDS = ["lastName", "firstName", "patronymic"] as const;

export interface EventFindingsOptions {
  readonly events: Pick<EventLog, "onEvent">;
  readonly findings: FindingWriter;
  readonly site: Pick<SiteStore, "current">;
}

/** Makes findings of the events of analysers and of other programs. */
export class EventFindings {
  readonly #options: EventFindingsOptions;
  #listening: EventSubscription | undefined;

  constructor(options: EventFindingsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#listening = this.#options.events.onEvent((event) => this.#take(event));
  }

  stop(): void {
    this.#listening?.close();
  }

  #take(event: EventRecord): void {
    const { findings, site } = this.#options;
    const kind = KINDS.get(event.typeId);
    if (kind === undefined || event.initiator.type !== EXTERNAL_MODULE) return;
    const { channelId } = event;
    if (!site.current.cameras.some(({ id }) => id === channelId)) return;
    const analyser = site.current.analysers.find(({ id }) => id === event.initiator.id);
    const label = labelOf(event);
    const id = findings.begin({
      channelId,
      kind: kind === "other" && ANIMALS.has(label) ? "animal" : kind,
      label,
      ...(analyser === undefined
        ? { source: "program" as const }
        : { source: "analyser" as const, sourceName: analyser.name }),
      atUs: event.timeUs,
      box: memberBox(event),
      score: scoreOf(event),
      text: textOf(event),
    });
    if (id !== undefined) findings.end(id);
  }
}

function labelOf(event: EventRecord): string {
  return (memberText(event, "Label") ?? memberText(event, "VehicleClass") ?? "").toLowerCase();
}

/** In events it is percent. */
function scoreOf(event: EventRecord): number | undefined {
  const percent = ["Confidence", "Reliability", "Similarity"]
    .map((name) => memberNumber(event, name))
    .find((value) => value !== undefined);
  return percent === undefined ? undefined : Math.max(0, percent / 100);
}

function textOf(event: EventRecord): string {
  const number = memberText(event, "plateText") ?? memberText(event, "Numberplate");
  return number ?? NAME_FIELDS.flatMap((name) => memberText(event, name) ?? []).join(" ");
}
