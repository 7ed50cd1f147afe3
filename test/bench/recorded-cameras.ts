import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { CAMERA_CLIP, PacedSource } from "../support/service/paced-source.js";
import { Service } from "../support/service/service.js";
import type { Figure } from "./figure.js";

const RECORDED_MS_MAX = 120_000;

/** A service with cameras of the usual clip. */
export interface RecordedCameras {
  readonly service: Service;
  readonly source: PacedSource;
  /** The channels' ids. */
  readonly ids: string[];
}

/** The figures of a service that has recorded so much of each of its cameras; all is gone after them. */
export async function* withRecordedCameras(
  {
    name,
    cameras,
    recordedUs,
  }: { readonly name: string; readonly cameras: number; readonly recordedUs: number },
  measure: (recorded: RecordedCameras) => AsyncIterable<Figure>,
): AsyncGenerator<Figure> {
  const directory = new TemporaryDirectory(`bench-${name}`);
  const source = await PacedSource.start(cameras, CAMERA_CLIP);
  const service = await Service.start({ dataDir: directory.join("data") });
  try {
    const added = Array.from({ length: cameras }, (_, at) => ({ name: `Camera ${at}`, url: source.url(at) }));
    const ids = await service.addCameras(added);
    await service.recorded(ids, recordedUs, RECORDED_MS_MAX);
    yield* measure({ service, source, ids });
  } finally {
    await service.stop();
    await source.stop();
    directory.remove();
  }
}
