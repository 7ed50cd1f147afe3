import type { ArchiveAccess, ArchivedFrame } from "../../archive/index.js";
import { US_PER_SECOND } from "../../base/index.js";
import { type AudioFormat, isAudioCodec, type VideoFormat } from "../../live/index.js";
import { RECORDED_SOUND, RECORDED_VIDEO } from "../media/media-parts.js";
import type { UserCall } from "../soap/operation.js";
import { invalidArgument, SoapFault, textElement } from "../soap/soap-message.js";
import { TRACKS, timeText, trackInformation } from "./recording-parts.js";
import type { DeviceRecording, Recordings } from "./recordings.js";
import { momentOf } from "./search-scope.js";

/** Recordings of one question: each is a look at the disk. */
const RECORDINGS_MAX = 16;
/** Questions that are answered at once. */
const QUESTIONS_MAX = 4;
/** Frames that show how many there are a second, and whether there is sound. */
const FRAMES_MAX = 100;

/** What the tracks of recordings are like at a moment (ONVIF Recording Search Service Specification, 5.4). */
export class MediaAttributes {
  readonly #archive: Pick<ArchiveAccess, "read" | "hasArchiveAt">;
  readonly #recordings: Recordings;
  #asked = 0;

  constructor(archive: Pick<ArchiveAccess, "read" | "hasArchiveAt">, recordings: Recordings) {
    this.#archive = archive;
    this.#recordings = recordings;
  }

  /** Recordings that have nothing at that moment are left out. Rejects with SoapFault, and with NvrdError as reading does. */
  async answer({ user, content, signal }: UserCall): Promise<string> {
    const tokens = content.children("RecordingTokens").map((each) => each.text());
    const timeUs = momentOf(content.text("Time"));
    if (timeUs === undefined) throw invalidArgument("InvalidTime", "Time is missing");
    const wanted =
      tokens.length === 0
        ? this.#recordings.all(user)
        : tokens.map((token) => this.#recordings.one(user, token));
    const there = wanted.filter(({ key }) => this.#archive.hasArchiveAt(key, timeUs));
    if (there.length > RECORDINGS_MAX)
      throw invalidArgument("TooManyTokens", `ask for at most ${RECORDINGS_MAX} recordings at once`);
    if (this.#asked >= QUESTIONS_MAX)
      throw new SoapFault("Receiver", ["Action", "ResourceProblem"], "too many questions at once: ask again");
    this.#asked += 1;
    try {
      const parts: string[] = [];
      for (const recording of there) {
        if (signal.aborted) break;
        parts.push(attributes(recording, await this.#frames(recording, timeUs), timeUs, user.mayHear));
      }
      return parts.join("");
    } finally {
      this.#asked -= 1;
    }
  }

  async #frames({ key }: DeviceRecording, fromUs: number): Promise<readonly ArchivedFrame[]> {
    const reader = this.#archive.read(key, { fromUs, endsAtEdge: true });
    const frames: ArchivedFrame[] = [];
    try {
      while (frames.length < FRAMES_MAX) {
        const more = await reader.next();
        if (more.length === 0) break;
        // What comes behind a gap is answered by another question.
        const end = more.findIndex((frame, at) => frame.startsFragment && frames.length + at > 0);
        frames.push(...(end === -1 ? more : more.slice(0, end)));
        if (end !== -1) break;
      }
    } finally {
      reader.close();
    }
    return frames;
  }
}

function attributes(
  recording: DeviceRecording,
  frames: readonly ArchivedFrame[],
  timeUs: number,
  mayHear: boolean,
): string {
  const time = timeText(timeUs);
  const pictures = frames.filter(({ codec }) => !isAudioCodec(codec));
  const sound = mayHear ? frames.find(({ codec }) => isAudioCodec(codec)) : undefined;
  const picture = pictures.find(({ format }) => format !== undefined) ?? pictures[0];
  const tracks = [
    ...(picture === undefined
      ? []
      : [track(recording, TRACKS.video, videoAttributes(picture, framerate(pictures)))]),
    ...(sound === undefined ? [] : [track(recording, TRACKS.audio, audioAttributes(sound))]),
  ];
  return (
    `<tse:MediaAttributes>${textElement("tt:RecordingToken", recording.camera.id)}${tracks.join("")}` +
    `${textElement("tt:From", time)}${textElement("tt:Until", time)}</tse:MediaAttributes>`
  );
}

function track(recording: DeviceRecording, token: string, content: string): string {
  return `<tt:TrackAttributes>${trackInformation("tt:TrackInformation", recording, token)}${content}</tt:TrackAttributes>`;
}

function videoAttributes({ codec, format }: ArchivedFrame, perSecond: number): string {
  const { width, height } = (format ?? { width: 0, height: 0 }) as Pick<VideoFormat, "width" | "height">;
  return (
    `<tt:VideoAttributes>${textElement("tt:Width", width)}${textElement("tt:Height", height)}` +
    `${textElement("tt:Encoding", RECORDED_VIDEO.get(codec) ?? "")}${textElement("tt:Framerate", perSecond)}</tt:VideoAttributes>`
  );
}

function audioAttributes({ codec, format }: ArchivedFrame): string {
  const { sampleRate } = (format ?? { sampleRate: 0 }) as Pick<AudioFormat, "sampleRate">;
  return (
    `<tt:AudioAttributes>${textElement("tt:Encoding", RECORDED_SOUND.get(codec) ?? "")}` +
    `${textElement("tt:Samplerate", Math.round(sampleRate / 1000))}</tt:AudioAttributes>`
  );
}

/** Of the pictures that were read; 0 where it is but one. */
function framerate(pictures: readonly ArchivedFrame[]): number {
  const [first, last] = [pictures[0], pictures.at(-1)];
  if (first === undefined || last === undefined || last.decodeTimeUs <= first.decodeTimeUs) return 0;
  const perSecond = ((pictures.length - 1) * US_PER_SECOND) / (last.decodeTimeUs - first.decodeTimeUs);
  return Math.round(perSecond * 100) / 100;
}
