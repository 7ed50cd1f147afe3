import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { PATIENCE_MS } from "../base/patience.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { type Clip, PacedSource, SMALL_CLIP } from "../service/paced-source.js";
import { pause, ROOT_PASSWORD, Service, type ServiceOptions } from "../service/service.js";

/**
 * What its cameras send: recorder and browser take half of the processor time that they take for 25 pictures a second. Each
 * byte counts, too: the browser reports what comes over its sockets to the test.
 */
const PAGE_CLIP: Clip = { ...SMALL_CLIP, fps: 5, gopFrames: 5, kilobitsPerSecond: 100 };

export interface PageServiceOptions {
  /** Names of the cameras, each with a picture of its own; default: none. */
  readonly cameras?: readonly string[];
  /** What they send; default: 320x240, H.264, 5 pictures a second. */
  readonly clip?: Clip;
  /** Motion is looked for in their pictures, and they always move; default: it is, as with any new camera. */
  readonly isWatched?: boolean;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly env?: ServiceOptions["env"];
  /** The address that it listens on; default: 127.0.0.1. */
  readonly listen?: string;
  /** Root keeps the password that the recorder makes at its first start; `password` is it. */
  readonly generatedPassword?: boolean;
  /** Records onto so many directories of their own in place of the one in the data directory. */
  readonly blankVolumes?: number;
  /** Waits until so much of each camera is recorded; default: none. */
  readonly recordedUs?: number;
}

/** The whole service with its page and cameras, for one test file. */
export class PageService {
  /** The cameras' ids, in the order of their names. */
  readonly ids: readonly string[];
  readonly source: PacedSource | undefined;
  /** Root's. */
  readonly password: string;
  readonly #directory: TemporaryDirectory;
  readonly #options: ServiceOptions;
  #service: Service;

  private constructor(parts: {
    service: Service;
    ids: readonly string[];
    source: PacedSource | undefined;
    password: string;
    directory: TemporaryDirectory;
    options: ServiceOptions;
  }) {
    this.#service = parts.service;
    this.#options = parts.options;
    this.ids = parts.ids;
    this.source = parts.source;
    this.password = parts.password;
    this.#directory = parts.directory;
  }

  static async start(options: PageServiceOptions = {}): Promise<PageService> {
    const {
      cameras = [],
      clip = PAGE_CLIP,
      isWatched = true,
      recordedUs,
      generatedPassword = false,
    } = options;
    const env = generatedPassword ? { ...options.env, NVRD_ROOT_PASSWORD: undefined } : options.env;
    const directory = new TemporaryDirectory("page");
    const volumes = Array.from({ length: options.blankVolumes ?? 0 }, (_, index) => ({
      path: directory.join(`disk${index + 1}`),
      reserveBytes: 1_000_000,
    }));
    for (const { path } of volumes) mkdirSync(path);
    const settings = volumes.length === 0 ? options.settings : { ...options.settings, volumes };
    const source = cameras.length === 0 ? undefined : await PacedSource.start(cameras.length, clip);
    const launched: ServiceOptions = {
      dataDir: directory.join("data"),
      ...(settings === undefined ? {} : { settings }),
      ...(env === undefined ? {} : { env }),
      ...(options.listen === undefined ? {} : { listen: options.listen }),
    };
    const service = await Service.launch(launched);
    const password = generatedPassword
      ? await generatedPasswordIn(directory.join("data", "root-password"))
      : ROOT_PASSWORD;
    await service.ready(undefined, undefined, { login: "root", password });
    const ids =
      source === undefined
        ? []
        : await service.addCameras(
            cameras.map((name, index) => ({ name, url: source.url(index), isWatched })),
          );
    if (recordedUs !== undefined) await service.recorded(ids, recordedUs);
    return new PageService({ service, ids, source, password, directory, options: launched });
  }

  /** The one that runs now, or ran last. */
  get service(): Service {
    return this.#service;
  }

  /** Ends the service, in order or as a crash does; the cameras go on. */
  async down(how: "stop" | "kill" = "stop"): Promise<void> {
    await this.#service[how]();
  }

  /** Starts it again, where it was. */
  async up(): Promise<void> {
    this.#service = await Service.start({ ...this.#options, httpPort: this.#service.httpPort });
  }

  /** The page's address. */
  get origin(): string {
    return `http://127.0.0.1:${this.service.httpPort}`;
  }

  /** Adds events as a program that analyses pictures does; their times are at most some seconds off, as there. */
  async addEvents(events: readonly object[]): Promise<void> {
    await this.service.json("/api/events", { method: "POST", body: events });
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.source?.stop();
    this.#directory.remove();
  }
}

async function generatedPasswordIn(file: string): Promise<string> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!existsSync(file) && performance.now() < deadline) await pause(50);
  return readFileSync(file, "utf8").trim();
}
