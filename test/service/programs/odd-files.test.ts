import { cpSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { filesBelow, ODD_FILES, replaceEach } from "../../support/base/odd-files.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { KEPT_SAMPLES } from "../../support/kept/kept-samples.js";
import { PacedSource, SMALL_CLIP } from "../../support/service/paced-source.js";
import { Service } from "../../support/service/service.js";

/** Whatever lies in the place of the files of the data directory, the service starts, records and ends in order. */

const RECORDED_US = 1_000_000;

/** Files that a run of some seconds does not make: those that are declared, and others. */
const LATER_FILES = [
  ...Object.keys(KEPT_SAMPLES).flatMap((label) => /^`([\w.-]+)`$/.exec(label)?.[1] ?? []),
  ...["protected.json.copy", "given-recordings.json.copy", "channel-removals.json.copy"],
  ...["last-exit", "root-password", "models.json", "health-gate.probe", "control.sock"],
  ...["archive.json.new", "events-sequence.new", "events/unclean-opens", "index/unclean-opens"],
  ...["volume/protected.json", "volume/boots.json", "volume/channels.json.new"],
];

let directory: TemporaryDirectory;
let source: PacedSource;
let camera = "";

beforeAll(async () => {
  directory = new TemporaryDirectory("odd-files");
  source = await PacedSource.start(1, SMALL_CLIP);
  const service = await Service.start({ dataDir: directory.join("whole") });
  try {
    const [id = ""] = await service.addCameras([{ name: "Gate", url: source.url(0) }]);
    camera = id;
    await service.recorded([id], RECORDED_US);
  } finally {
    await service.stop();
  }
});

afterAll(async () => {
  await source.stop();
  directory.remove();
});

/** The data directory with something else in the place of the files that `isReplaced` names, by their path in it. */
async function replaced(
  name: string,
  put: (file: string) => void | Promise<void>,
  isReplaced: (file: string) => boolean,
): Promise<string> {
  const dataDir = directory.join(name);
  cpSync(directory.join("whole"), dataDir, { recursive: true });
  const files = [
    ...new Set([...filesBelow(dataDir), ...LATER_FILES.map((file) => path.join(dataDir, file))]),
  ];
  await replaceEach(
    files.filter((file) => isReplaced(path.relative(dataDir, file))),
    put,
  );
  return dataDir;
}

/** Without the configuration there is no camera to record, and without its identity a volume is refused. */
const isNeeded = (file: string): boolean => file.startsWith("configuration") || file === "volume/volume.json";

it.each(Object.entries(ODD_FILES))(
  "records with %s in place of every file but those of the configuration and of the volume's identity",
  async (kind, put) => {
    const dataDir = await replaced(kind.replaceAll(" ", "-"), put, (file) => !isNeeded(file));
    const service = await Service.start({ dataDir });
    try {
      await service.recorded([camera], RECORDED_US);
    } finally {
      expect((await service.stop()).code, service.log.slice(-4000)).toBe(0);
    }
    const again = await Service.start({ dataDir });
    expect((await again.stop()).code, again.log.slice(-4000)).toBe(0);
  },
);

it.each(Object.entries(ODD_FILES))("starts anew with %s in place of the configuration", async (kind, put) => {
  const dataDir = await replaced(`site-${kind.replaceAll(" ", "-")}`, put, () => true);
  const service = await Service.start({ dataDir });
  expect((await service.stop()).code, service.log.slice(-4000)).toBe(0);
});
