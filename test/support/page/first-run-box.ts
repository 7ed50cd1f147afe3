import { afterAll, beforeAll } from "vitest";
import { createLog, type Guid, SystemClock } from "../../../src/base/index.js";
import { DemoCameras } from "../../../src/demo/index.js";
import { showOnly } from "./found-devices.js";
import { PageBrowser } from "./page-browser.js";
import { PageService } from "./page-service.js";
import type { PageVisit } from "./page-visit.js";

/** The password that an owner chooses. */
export const OWN = "lantern copper violin harbour";
/** What the cameras let in. */
export const LOGIN = { user: "viewer", password: "Camera-secret-9" };

/** A recorder out of its box in a house with four cameras, for the tests of one file; to be made while vitest collects the file. */
export class FirstRunBox {
  readonly browser = new PageBrowser();
  readonly #cameras = new DemoCameras({
    ...{ clock: new SystemClock(), log: createLog({ level: "silent" }), listen: "127.0.0.1", port: 0 },
    credentials: LOGIN,
  });
  #recorder: PageService | undefined;
  #own: ReadonlySet<string> = new Set();

  /** `house`: where the cameras' identities are from, another one for each file. */
  constructor(house: Guid, blankVolumes: number) {
    beforeAll(async () => {
      const started = await this.#cameras.start(house);
      this.#own = new Set(started.map(({ identity }) => identity));
      const env = { NVRD_TIME_ZONE_CHOICE: "owner" };
      this.#recorder = await PageService.start({ generatedPassword: true, env, blankVolumes });
    });
    afterAll(async () => {
      await this.browser.close();
      await this.#recorder?.stop();
      await this.#cameras.stop();
    });
  }

  get recorder(): PageService {
    if (this.#recorder === undefined) throw new Error("the recorder has not started");
    return this.#recorder;
  }

  /** The page shows no device of other tests. */
  hideOthers(visit: PageVisit): Promise<unknown> {
    return showOnly(this.#own, visit);
  }
}
