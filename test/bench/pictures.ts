import type { Bench } from "./figure.js";
import { cachedStills } from "./pictures-cached.js";

/** Stills and transcoding, beside a bare server, a bare decoder and ffmpeg. */
export const picturesBench: Bench = {
  name: "pictures",
  about: "stills kept and cold, a page of thumbnails, /mobile beside ffmpeg, memory",
  async *run(options) {
    yield* cachedStills(options);
  },
};
