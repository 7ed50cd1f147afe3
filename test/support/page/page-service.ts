import { TemporaryDirectory } from "../base/temporary-directory.js";
import { type Clip, PacedSource, SMALL_CLIP } from "../service/paced-source.js";
import { Service, type ServiceOptions } from "../service/service.js";

export interface PageServiceOptions {
  /** Names of the cameras, each with a picture of its own; default: none. */
  readonly cameras?: readonly string[];
  /** What they send; default: 320x240, H.264, 25 pictures a second. */
  readonly clip?: Clip;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: ServiceOptions["env"];
  /** Waits until so much of each camera is recorded; default: none. */
  readonly recordedUs?: number;
}

/** The whole service with its page and cameras, for one test file. */
export class PageService {
  readonly service: Service;
  /** The cameras' ids, in the order of their names. */
  readonly ids: readonly string[];
  readonly source: PacedSource | undefined;
  readonly #directory: TemporaryDirectory;

  private constructor(parts: {
    service: Service;
    ids: readonly string[];
    source: PacedSource | undefined;
    directory: TemporaryDirectory;
  }) {
    this.service = parts.service;
    this.ids = parts.ids;
    this.source = parts.source;
    this.#directory = parts.directory;
  }

  static async start(options: PageServiceOptions = {}): Promise<PageService> {
    const { cameras = [], clip = SMALL_CLIP, settings, env, recordedUs } = options;
    const directory = new TemporaryDirectory("page");
    const source = cameras.length === 0 ? undefined : await PacedSource.start(cameras.length, clip);
    const service = await Service.start({
      dataDir: directory.join("data"),
      ...(settings === undefined ? {} : { settings }),
      ...(env === undefined ? {} : { env }),
    });
    const ids =
      source === undefined
        ? []
        : await service.addCameras(cameras.map((name, index) => ({ name, url: source.url(index) })));
    if (recordedUs !== undefined) await service.recorded(ids, recordedUs);
    return new PageService({ service, ids, source, directory });
  }

  /** The page's address. */
  get origin(): string {
    return `http://127.0.0.1:${this.service.httpPort}`;
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.source?.stop();
    this.#directory.remove();
  }
}
