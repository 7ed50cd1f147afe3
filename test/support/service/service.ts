import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { Agent, type IncomingMessage, request } from "node:http";
import { PATIENCE_MS } from "../base/patience.js";
import { REPOSITORY_ROOT } from "../base/repository.js";
import { type VideoPart, videoParts } from "../http/multipart-reader.js";
import { BackgroundProcess, type Exit, freePorts } from "./background-process.js";

import { PROGRAM, PROGRAM_NODE, PROGRAM_PATH } from "./program.js";

export const ROOT_PASSWORD = "Test-password-1";
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

export interface ServiceOptions {
  /** Kept by the caller: a service started again on it goes on with its recordings. */
  readonly dataDir: string;
  readonly command?: "run" | "demo";
  /** Settings for the configuration file, by their names there. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: a port that is free now. A service that comes back on the same port keeps its clients' addresses. */
  readonly httpPort?: number;
  /** Default: 127.0.0.1. */
  readonly listen?: string;
  /** Where it is asked: of a host of its own; default: 127.0.0.1. */
  readonly address?: string;
  /** Default: 0, off. */
  readonly httpsPort?: number;
  /** Default: 0, off. */
  readonly rtspPort?: number;
  readonly startTimeoutMs?: number;
  /** The control group that it runs in; default: the test's own. */
  readonly group?: {
    command(command: string, args: readonly string[]): readonly [string, readonly string[]];
  };
  /** Default: the program that is tested. */
  readonly program?: string;
}

/** A camera to add, with the model "RTSP/RTP device". */
export interface CameraToAdd {
  readonly name: string;
  readonly url: string;
  readonly alternativeUrl?: string;
  readonly format?: "H264" | "Hevc" | "MJPEG" | "MPEG4_Part2";
  readonly sound?: boolean;
  readonly login?: string;
  readonly password?: string;
  readonly archivingDisabled?: boolean;
  /** It is spoken to, so loud; default: not. */
  readonly soundVolume?: number;
  /** Motion is looked for in its pictures, as in those of any new camera; default: not, so that nothing but the test decodes. */
  readonly isWatched?: boolean;
}

/** One fragment of `/archivefragments`, Unix microseconds. */
export interface Fragment {
  readonly id: string;
  readonly fromUs: number;
  readonly toUs: number;
}

/** An answer read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  readonly body?: unknown;
  /** Default: root with its password. Null: no credentials. */
  readonly credentials?: { readonly login: string; readonly password: string } | null;
  readonly timeoutMs?: number;
}

/** An open `/video` answer. */
export interface VideoAnswer {
  readonly parts: AsyncGenerator<VideoPart>;
  readonly response: IncomingMessage;
  close(): void;
}

/** The whole service as a user runs it: `bin/nvrd` in a process of its own, spoken to over HTTP. */
export class Service {
  readonly dataDir: string;
  readonly httpPort: number;
  readonly address: string;
  readonly process: BackgroundProcess;
  readonly #agent = new Agent({ keepAlive: false });

  private constructor(
    process: BackgroundProcess,
    at: { readonly dataDir: string; readonly httpPort: number; readonly address?: string | undefined },
  ) {
    this.process = process;
    this.dataDir = at.dataDir;
    this.httpPort = at.httpPort;
    this.address = at.address ?? "127.0.0.1";
  }

  /** Starts it without waiting for its API. */
  static async launch(options: ServiceOptions): Promise<Service> {
    const httpPort = options.httpPort ?? (await freePorts(1))[0];
    if (httpPort === undefined) throw new Error("no free port");
    const { dataDir, listen = "127.0.0.1" } = options;
    const flags = ["--data", dataDir, "--listen", listen, "--http-port", `${httpPort}`];
    if (options.settings !== undefined) {
      const file = `${options.dataDir}-settings.json`;
      writeFileSync(file, JSON.stringify(options.settings));
      flags.push("--config", file);
    }
    const args = [
      options.command ?? "run",
      ...flags,
      "--https-port",
      `${options.httpsPort ?? 0}`,
      "--rtsp-port",
      `${options.rtspPort ?? 0}`,
    ];
    // Tests compare times with the machine's clock, which no time server may keep here.
    const common = { PATH: PROGRAM_PATH, NVRD_ROOT_PASSWORD: ROOT_PASSWORD, NVRD_CLOCK_TRUST: "always" };
    const env = { ...common, ...options.env };
    const program = options.program ?? PROGRAM;
    const command = options.group?.command(program, args) ?? ([program, args] as const);
    const process_ = new BackgroundProcess(...command, { cwd: REPOSITORY_ROOT, env });
    return new Service(process_, { dataDir, httpPort, address: options.address });
  }

  /** Starts it and waits until its API answers. */
  static async start(options: ServiceOptions): Promise<Service> {
    const service = await Service.launch(options);
    try {
      await service.ready(options.startTimeoutMs);
    } catch (error) {
      await service.kill();
      throw error;
    }
    return service;
  }

  /** A service that runs in a machine of its own, reached through a port of this one; its log is the machine's console. */
  static inMachine(machine: BackgroundProcess, httpPort: number): Service {
    return new Service(machine, { dataDir: "", httpPort });
  }

  get log(): string {
    return this.process.output;
  }

  /** Resolves when `/command?type=gettime` answers; a machine's port may take a request long before anybody is there. */
  async ready(
    timeoutMs = PATIENCE_MS,
    answerTimeoutMs = timeoutMs,
    credentials?: RequestOptions["credentials"],
  ): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const status = await this.get("/command?type=gettime&responsetype=json", {
        timeoutMs: answerTimeoutMs,
        ...(credentials === undefined ? {} : { credentials }),
      }).then(
        (answer) => answer.status,
        (error: Error) => error.message,
      );
      if (status === 200) return;
      if (this.process.exit !== undefined || performance.now() > deadline) {
        throw this.process.failure(`the service is not there (${status})`);
      }
      await pause(50);
    }
  }

  /** Sends a request and resolves with the answer's head; the body is the caller's. */
  open(path: string, options: RequestOptions = {}): Promise<IncomingMessage> {
    const credentials =
      options.credentials === undefined ? { login: "root", password: ROOT_PASSWORD } : options.credentials;
    const headers: Record<string, string> = {};
    if (credentials !== null) {
      const text = `${credentials.login}:${md5(credentials.password)}`;
      headers.authorization = `Basic ${Buffer.from(text).toString("base64")}`;
    }
    // The zone of a link-local address means something here alone.
    const [bare = "", zone] = this.address.split("%");
    if (zone !== undefined) headers.host = `[${bare}]:${this.httpPort}`;
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
    if (body !== undefined) {
      headers["content-type"] = "application/json";
      headers["content-length"] = `${Buffer.byteLength(body)}`;
    }
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: this.address,
          port: this.httpPort,
          path,
          method: options.method ?? "GET",
          headers,
          agent: this.#agent,
        },
        resolve,
      );
      sent.setTimeout(options.timeoutMs ?? PATIENCE_MS, () =>
        sent.destroy(new Error(`no answer to ${path}`)),
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }

  /** As `open`; where the service has died meanwhile, the error says how. */
  async #answered(path: string, options: RequestOptions): Promise<IncomingMessage> {
    try {
      return await this.open(path, options);
    } catch (error) {
      if (this.process.exit === undefined) throw error;
      throw new Error(this.process.failure(`no answer to ${path}`).message, { cause: error });
    }
  }

  async get(path: string, options: RequestOptions = {}): Promise<Answer> {
    const response = await this.#answered(path, options);
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > ANSWER_BYTES_MAX) throw new Error(`${path}: more than ${ANSWER_BYTES_MAX} bytes`);
    }
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
  }

  async json<T>(path: string, options: RequestOptions = {}): Promise<T> {
    return jsonOf<T>(path, await this.get(path, options));
  }

  /** Adds cameras through the API; answers their ids in order. */
  async addCameras(cameras: readonly CameraToAdd[]): Promise<string[]> {
    const site = await this.json<{ SenderId: string }>("/configex?responsetype=json");
    const modelId = await this.#rtspModelId();
    const body = cameras.map((camera) => cameraObject(camera, site.SenderId, modelId));
    const created = await this.json<{ CreatedObjectsIds: string[] }>("/configure/channels", {
      method: "POST",
      body,
    });
    return created.CreatedObjectsIds;
  }

  async #rtspModelId(): Promise<string> {
    interface Manufacturer {
      Name: string;
      DeviceModels: { Id: string; Name: string }[];
    }
    const list = await this.json<Manufacturer[]>("/configure/devicemanufacturers");
    const models = list.flatMap((entry) => entry.DeviceModels);
    const model = models.find((entry) => entry.Name === "RTSP/RTP device");
    if (model === undefined) throw new Error("no model RTSP/RTP device in /configure/devicemanufacturers");
    return model.Id;
  }

  /** All fragments of a channel between two moments (default: all there are). */
  async fragments(channelId: string, fromUs = 0, toUs = Date.UTC(2100, 0, 1) * 1000): Promise<Fragment[]> {
    const range = `fromtime=${apiTime(fromUs)}&totime=${apiTime(toUs)}`;
    const path = `/archivefragments?channelid=${channelId}&${range}&responsetype=json`;
    const deadline = performance.now() + PATIENCE_MS;
    // 503: nothing is known of earlier recordings until the index is open, or read in again.
    let answer = await this.get(path);
    while (answer.status === 503 && performance.now() < deadline) {
      await pause(50);
      answer = await this.get(path);
    }
    const { Fragments } = jsonOf<{ Fragments: { Id: string; FromTime: string; ToTime: string }[] }>(
      path,
      answer,
    );
    return Fragments.map(({ Id, FromTime, ToTime }) => ({
      id: Id,
      fromUs: isoToUs(FromTime),
      toUs: isoToUs(ToTime),
    }));
  }

  /** Opens `/video`; rejects when it is refused. */
  async video(query: string): Promise<VideoAnswer> {
    const response = await this.open(`/video?${query}`);
    if (response.statusCode !== 200) throw new Error(`/video?${query}: status ${response.statusCode}`);
    response.socket.setTimeout(0);
    return { parts: videoParts(response), response, close: () => response.destroy() };
  }

  /** Resolves once each channel has a fragment of at least `minimumUs` that began at `sinceUs` or later. */
  async recorded(
    channelIds: readonly string[],
    minimumUs: number,
    timeoutMs = PATIENCE_MS,
    sinceUs = 0,
  ): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    for (const id of channelIds) {
      for (;;) {
        const fragments = await this.fragments(id);
        if (fragments.some(({ fromUs, toUs }) => fromUs >= sinceUs && toUs - fromUs >= minimumUs)) break;
        if (performance.now() > deadline) {
          throw this.process.failure(`${id}: ${minimumUs} µs not recorded in ${timeoutMs} ms`);
        }
        await pause(200);
      }
    }
  }

  /** Ends it as systemd does. */
  stop(): Promise<Exit> {
    return this.process.stop("SIGTERM");
  }

  /** Ends it as a power switch does. */
  kill(): Promise<Exit> {
    return this.process.stop("SIGKILL");
  }
}

function cameraObject(camera: CameraToAdd, ownerServerId: string, modelId: string): object {
  const format = camera.format ?? "H264";
  return {
    Name: camera.name,
    ServerBindingsSettings: { OwnerServerId: ownerServerId },
    ConnectionSettings: {
      ModelId: modelId,
      Hostname: camera.url,
      ...(camera.login === undefined ? {} : { Login: camera.login, Password: camera.password ?? "" }),
      ...(camera.sound === undefined ? {} : { SoundReceivingEnabled: camera.sound }),
      ...(camera.soundVolume === undefined
        ? {}
        : { SoundTransmittingEnabled: true, SoundVolume: camera.soundVolume }),
      StreamSettings: {
        MainStreamSettings: { VideoFormat: format },
        ...(camera.alternativeUrl === undefined
          ? {}
          : {
              AlternativeStreamSettings: {
                VideoStreamEnabled: true,
                VideoFormat: format,
                VideoAdditionalParams: camera.alternativeUrl,
              },
            }),
      },
    },
    ArchiveSettings: { ArchivingDisabled: camera.archivingDisabled ?? false, ArchivingMode: "AlwaysOn" },
    AnalyzeSettings: { MotionDetectorEnabled: camera.isWatched ?? false },
  };
}

/** Throws where the status is another than 200. */
function jsonOf<T>(path: string, { status, body }: Answer): T {
  const text = body.toString("utf8");
  if (status !== 200) throw new Error(`${path}: status ${status}: ${text}`);
  return JSON.parse(text.replace(/^\uFEFF/, "")) as T;
}

/** The result of `nvrd check --json` on data that no service uses. */
export async function checkOffline(
  dataDir: string,
  flags: readonly string[] = [],
): Promise<{ exit: Exit; text: string }> {
  const args = [PROGRAM, "check", "--json", "--data", dataDir, ...flags];
  const child = new BackgroundProcess(PROGRAM_NODE, args, { cwd: REPOSITORY_ROOT });
  const exit = await child.exited;
  return { exit, text: child.stdout };
}

/** `dd.MM.yyyy HH:mm:ss.fff`, UTC, ready for a query. */
export function apiTime(timeUs: number): string {
  const [date = "", time = ""] = new Date(timeUs / 1000).toISOString().split("T");
  return `${date.split("-").reverse().join(".")}%20${time.slice(0, 12)}`;
}

/** Microseconds of an ISO 8601 time with seven fraction digits. */
export function isoToUs(text: string): number {
  const match = /^(.{19})\.(\d{7})Z$/.exec(text);
  if (match === null) throw new Error(`not a time with seven fraction digits: ${text}`);
  return Date.parse(`${match[1]}Z`) * 1000 + Math.floor(Number(match[2]) / 10);
}

export function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}

export function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
