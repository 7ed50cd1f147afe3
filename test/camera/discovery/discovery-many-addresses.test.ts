import { expect, onTestFinished, test } from "vitest";
import { createLog, SystemClock } from "../../../src/base/index.js";
import { LAN_ADDRESSES_MAX } from "../../../src/camera/discovery/discovery-network.js";
import { Discovery, type DiscoveryNetwork, SYSTEM_NETWORK } from "../../../src/camera/index.js";

/** As many addresses of loopback as are asked over at the most. */
const network: DiscoveryNetwork = {
  ...SYSTEM_NETWORK,
  addresses: () =>
    Array.from({ length: LAN_ADDRESSES_MAX }, (_, at) => ({
      interfaceName: "lo",
      address: `127.0.1.${at + 1}`,
      family: "IPv4",
      prefixLength: 8,
    })),
};

function watchWarnings(): Error[] {
  const warnings: Error[] = [];
  const note = (warning: Error): void => void warnings.push(warning);
  process.on("warning", note);
  onTestFinished(() => void process.removeListener("warning", note));
  return warnings;
}

test("a scan over the addresses of many networks makes Node warn of nothing", async () => {
  const warnings = watchWarnings();
  const log = createLog({ level: "silent" });
  const discovery = new Discovery({
    network,
    clock: new SystemClock(),
    log,
    readOpenly: async () => undefined,
  });
  await discovery.scan({ timeoutSeconds: 1 });
  await discovery.stop();
  expect(warnings).toEqual([]);
});
