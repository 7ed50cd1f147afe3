// Own process: it starts an emulated machine on a network of its own.
import { afterAll, beforeAll, describe, it } from "vitest";
import { notHere } from "../support/base/not-here.js";
import { SeededRandom } from "../support/base/seeded-random.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { ImageBox } from "../support/image/image-box.js";
import { NetworkChanges } from "../support/network/network-changes.js";

/** `npm run torture -- image-network` asks for 50: the box is emulated, so each takes half a minute and more. */
const CHANGES = Number(process.env.NVRD_TEST_IMAGE_NETWORK_CHANGES ?? "0");
const SEED = Number(process.env.NVRD_TEST_SEED ?? "7");
const START_TIMEOUT_MS = 1_800_000;
const CHANGE_TIMEOUT_MS = 600_000;
/** In an emulated box a process of Node starts in ten seconds. */
const PACE = { shortSeconds: 20, longSeconds: 90, endMs: 300_000 };

const missing = CHANGES > 0 ? ImageBox.missing() : "it takes an hour: npm run torture -- image-network";

describe.skipIf(missing !== undefined)(`a box with the image on a network${notHere(missing)}`, () => {
  const directory = new TemporaryDirectory("image-network");
  let box: ImageBox;
  let home = "";

  beforeAll(async () => {
    box = await ImageBox.start(directory.path);
    home = await box.leased();
  }, START_TIMEOUT_MS);

  afterAll(async () => {
    await box?.stop();
    directory.remove();
  });

  it(`is to be found after each of ${CHANGES} changes`, {
    timeout: CHANGES * CHANGE_TIMEOUT_MS,
  }, async () => {
    const changes = new NetworkChanges(box, home, PACE);
    await changes.reached();
    await changes.makeMany(CHANGES, new SeededRandom(SEED));
    await changes.isBack();
  });
});
