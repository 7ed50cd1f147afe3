import { expect, it } from "vitest";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { Service } from "../support/service/service.js";

/** Run in the service before its own code: a warning at each SIGUSR2. */
const WARNS = 'process.on("SIGUSR2", () => process.emitWarning("told by a test"));';

it("a warning of Node is a line of the service's log like all others", async () => {
  const loaded = `data:text/javascript;base64,${Buffer.from(WARNS).toString("base64")}`;
  const service = await Service.start({
    dataDir: await temporaryDirectory(),
    env: { NODE_OPTIONS: `--import ${loaded}` },
  });
  service.process.signal("SIGUSR2");
  await service.process.waitFor(/told by a test/);
  await service.stop();
  const lines = service.log.trimEnd().split("\n");
  const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "told by a test");
  expect(logged).toMatchObject([{ level: 40, warning: "Warning" }]);
});
