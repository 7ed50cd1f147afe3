import type { Bench } from "../figure.js";
import { cachedStills } from "./pictures-cached.js";
import { coldStills, pictureMemory } from "./pictures-cold.js";
import { mobileCost } from "./pictures-mobile.js";
import { pageOfStills } from "./pictures-page.js";

/** Stills and transcoding, beside a bare server, a bare decoder and ffmpeg. */
export const picturesBench: Bench = {
  name: "pictures",
  about: "stills kept and cold, a page of thumbnails, /mobile beside ffmpeg, memory",
  async *run(options) {
    yield* coldStills(options);
    yield* pageOfStills(options);
    yield* cachedStills(options);
    yield* mobileCost(options);
    yield* pictureMemory(options);
  },
};
