import { afterAll, afterEach, beforeAll } from "vitest";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import type { PictureCamera } from "../camera/picture-camera.js";
import { Service } from "./service.js";

/** A service that all tests of a file share, and the cameras of each test. */
export class ServiceOfTests {
  readonly cameras: PictureCamera[] = [];
  readonly #env: Readonly<Record<string, string>>;
  #directory: TemporaryDirectory | undefined;
  #service: Service | undefined;

  /** To be made while vitest collects the file: it starts before its tests, and its cameras go after each. */
  constructor(name: string, env: Readonly<Record<string, string>> = {}) {
    this.#env = env;
    beforeAll(async () => {
      this.#directory = new TemporaryDirectory(name);
      await this.start();
    });
    afterEach(() => this.#removeCameras());
    afterAll(async () => {
      await this.#service?.stop();
      this.#directory?.remove();
    });
  }

  get service(): Service {
    if (this.#service === undefined) throw new Error("the service has not started");
    return this.#service;
  }

  get directory(): TemporaryDirectory {
    if (this.#directory === undefined) throw new Error("the service has not started");
    return this.#directory;
  }

  /** Starts the service; again, where a test stopped it. */
  async start(): Promise<Service> {
    this.#service = await Service.start({
      dataDir: this.directory.join("data"),
      settings: { segmentSeconds: 5, volumes: [{ path: this.directory.join("volume") }] },
      env: this.#env,
    });
    return this.#service;
  }

  async #removeCameras(): Promise<void> {
    for (const { Id } of await this.service.json<{ Id: string }[]>("/configure/channels"))
      await this.service.json(`/configure/channels/${Id}?archive=delete`, { method: "DELETE" });
    for (const camera of this.cameras.splice(0)) await camera.stop();
  }
}
