import { type Clock, errorText, type Guid, type Log, US_PER_SECOND } from "../base/index.js";
import {
  boxMembers,
  EVENT_TYPES,
  type EventInput,
  type EventLog,
  EXTERNAL_INITIATOR_NAME,
  percentText,
} from "../event/index.js";
import type { MotionStates } from "../recording/index.js";
import { type Analyser, type Camera, cameraOptions } from "../site/index.js";
import type { CameraPicture, CameraPictures } from "./camera-pictures.js";
import { type Finding, type FindingKind, isRecord, readJson, readLabel } from "./finding.js";
import { PictureBudget } from "./picture-budget.js";
import { withMargin } from "./picture-region.js";

/** How long a finding counts as motion, where the analyser starts recordings. */
export const FOUND_MOTION_MS = 15_000;
/** Findings of one picture that become events. */
export const FINDINGS_MAX = 16;
/** Longest side of an event's picture, and what is left around the thing. */
export const EVENT_PICTURE_SIDE_MAX = 200;
const PICTURE_MARGIN = 0.2;
/** A larger picture of an event is left out: it would push older events out of the log. */
const EVENT_PICTURE_BYTES_MAX = 24 * 1024;
/** An event has the time of its picture, unless the camera's clock is off. */
const OFF_US_MAX = 10 * US_PER_SECOND;
const EXTERNAL_MODULE = 8;

export const TYPE_OF_KIND: Readonly<Record<FindingKind, Guid>> = {
  plate: EVENT_TYPES.plateRecognized.id,
  face: EVENT_TYPES.faceRecognized.id,
  person: EVENT_TYPES.personDetected.id,
  vehicle: EVENT_TYPES.vehicleDetected.id,
  object: EVENT_TYPES.objectDetected.id,
};

export interface FindingEventsOptions {
  readonly events: Pick<EventLog, "raise">;
  readonly motion: Pick<MotionStates, "report">;
  readonly pictures: Pick<CameraPictures, "cut">;
  /** Bytes of pictures that the event log gets in a day; beyond them events come without. */
  readonly pictureBytesPerDay: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Whether a finding is one that the analyser and the camera want. */
export function isWanted({ kind, label, confidence }: Finding, analyser: Analyser, camera: Camera): boolean {
  const { faceDetectorEnabled, interactiveSearchEnabled, interactiveSearchJson } =
    cameraOptions(camera).analyze;
  if (confidence * 100 < analyser.minConfidence) return false;
  if (kind === "plate") return true;
  if (kind === "face") return faceDetectorEnabled;
  if (!interactiveSearchEnabled) return kind !== "object";
  const { labels, minConfidence } = searchSettings(interactiveSearchJson);
  return confidence * 100 >= minConfidence && (labels === undefined || labels.has(label));
}

/** `Labels` and `MinConfidence` of the camera's InteractiveSearchSettings, which may hold anything. */
function searchSettings(json: string | null): {
  readonly labels: ReadonlySet<string> | undefined;
  readonly minConfidence: number;
} {
  const value = json === null ? undefined : readJson(json);
  if (!isRecord(value)) return { labels: undefined, minConfidence: 0 };
  const { Labels, MinConfidence } = value;
  return {
    labels: Array.isArray(Labels) ? new Set(Labels.flatMap((label) => readLabel(label) ?? [])) : undefined,
    minConfidence: typeof MinConfidence === "number" ? MinConfidence : 0,
  };
}

/** Makes events of findings, with a picture of each, and motion where the analyser starts recordings. */
export class FindingEvents {
  readonly #options: FindingEventsOptions;
  readonly #budget: PictureBudget;

  constructor(options: FindingEventsOptions) {
    this.#options = options;
    this.#budget = new PictureBudget(options.clock, options.pictureBytesPerDay);
  }

  /** Reports what was found in the camera's picture; `motion` ends by itself. */
  reportMotion(analyser: Analyser, { id: channelId }: Camera): void {
    if (!analyser.startsRecording) return;
    const { motion, clock } = this.#options;
    const timeUs = clock.nowUs();
    motion.report({ channelId, source: "analysis", active: true, timeUs, zone: "" }, FOUND_MOTION_MS);
  }

  /** Raises an event for each finding. Resolves with their number; never rejects. */
  async report(
    findings: readonly Finding[],
    {
      analyser,
      camera,
      picture,
    }: {
      readonly analyser: Analyser;
      readonly camera: Camera;
      /** Undefined: there is none. */
      readonly picture: CameraPicture | undefined;
    },
  ): Promise<number> {
    const some = findings.slice(0, FINDINGS_MAX);
    for (const finding of some) {
      const image = picture === undefined ? undefined : await this.#imageOf(finding, picture);
      const timeUs = this.#timeOf(picture?.shownUs);
      this.#options.events.raise({ ...eventOf(finding, { analyser, camera, image }), timeUs });
    }
    return some.length;
  }

  #timeOf(shownUs: number | undefined): number {
    const nowUs = this.#options.clock.nowUs();
    return shownUs !== undefined && Math.abs(shownUs - nowUs) <= OFF_US_MAX ? shownUs : nowUs;
  }

  async #imageOf({ box }: Finding, { jpeg }: CameraPicture): Promise<string | undefined> {
    if (!this.#budget.hasRoom) return undefined;
    try {
      const part =
        box === undefined ? { left: 0, top: 0, width: 1, height: 1 } : withMargin(box, PICTURE_MARGIN);
      const cut = await this.#options.pictures.cut(jpeg, part, EVENT_PICTURE_SIDE_MAX);
      if (cut.jpeg.byteLength > EVENT_PICTURE_BYTES_MAX) return undefined;
      const text = Buffer.from(cut.jpeg).toString("base64");
      this.#budget.take(text.length);
      return text;
    } catch (error) {
      // The event counts; its picture only illustrates it.
      this.#options.log.debug(
        { error: errorText(error) },
        "an event of an analyser comes without its picture",
      );
      return undefined;
    }
  }
}

function eventOf(
  finding: Finding,
  {
    analyser,
    camera,
    image,
  }: {
    readonly analyser: Analyser;
    readonly camera: Camera;
    readonly image: string | undefined;
  },
): EventInput {
  const percent = percentText(finding.confidence);
  return {
    typeId: TYPE_OF_KIND[finding.kind],
    channelId: camera.id,
    channelName: camera.name,
    comment: `${nameOf(finding)}, ${percent.replace(",", ".")} % (${analyser.name})`,
    initiator: { type: EXTERNAL_MODULE, id: analyser.id, name: EXTERNAL_INITIATOR_NAME },
    fields: {
      ...membersOf(finding, percent),
      ...boxMembers(finding.box),
      Label: finding.label,
      Confidence: percent,
      ...(image === undefined ? {} : { ImageBytes: image }),
    },
  };
}

function nameOf({ kind, label, number, person }: Finding): string {
  if (kind === "face") return person ?? "unknown face";
  return number ?? label;
}

/** The members that the reference has for a type. */
function membersOf({ kind, label, number = "", person }: Finding, percent: string): Record<string, string> {
  if (kind === "plate") return { plateText: number, Numberplate: number, Reliability: percent };
  if (kind === "vehicle") return { VehicleClass: label };
  if (kind !== "face") return {};
  if (person === undefined) return { IsIdentified: "False" };
  return { IsIdentified: "True", lastName: person, Similarity: percent };
}
