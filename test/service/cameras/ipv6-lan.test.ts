// Own network: it makes interfaces.
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { NetworkLan } from "../../support/camera/network-lan.js";
import { GUEST, OnvifHouse } from "../../support/onvif/onvif-house.js";
import { startingIn } from "../../support/service/neighbours.js";
import { Service } from "../../support/service/service.js";

/** A recorder on a host without IPv4 finds a device over IPv6, which answers as the recorder does as a device. */

const hasIpv6 = (networkInterfaces().lo ?? []).some(({ family }) => family === "IPv6");
const missing = NetworkLan.missing() ?? (hasIpv6 ? undefined : "no IPv6");
const TIMEOUT_MS = 3 * PATIENCE_MS;
const HOST = 2;

interface Item {
  readonly Address: string;
  readonly Identity: string;
  readonly Interface: string;
  readonly AlreadyAdded: boolean;
}

interface Added {
  readonly Result: string;
  readonly Reason: string;
  readonly ChannelIds: readonly string[];
}

describe.skipIf(missing !== undefined)(`a network without IPv4${notHere(missing)}`, () => {
  let lan: NetworkLan;
  let house: OnvifHouse;
  let recorder: Service;

  /** `hasNetwork`: addresses that routers or administrators give, besides those that every interface has. */
  const start = async (hasNetwork: boolean): Promise<void> => {
    lan = new NetworkLan();
    const { namespace, address } = await lan.ipv6Host(HOST);
    if (hasNetwork) lan.addIpv6(HOST);
    house = await OnvifHouse.create({ onvifDiscovery: "on" }, "::");
    recorder = await Service.start({
      dataDir: house.directory.join("recorder"),
      program: startingIn(namespace, house.directory.join("start")),
      ...{ listen: "::", address: `${address}%${lan.interfaceName}` },
    });
  };

  afterEach(async () => {
    await recorder?.stop();
    await house?.close();
    await lan?.close();
  });

  it.each([
    ["link-local addresses alone, with the interface", false, /^\[fe80::[0-9a-f:]+%eth0\]:\d+$/],
    ["a network of its own, without the interface", true, /^\[fd00:198:\d+::1\]:\d+$/],
  ])(
    "has its cameras found, added and recorded at %s",
    async (_, hasNetwork, expected) => {
      await start(hasNetwork);
      const found = await recorder.json<Item[]>("/configure/discovery?timeout=5");
      expect(found).toHaveLength(1);
      expect(found[0]).toMatchObject({ Address: expect.stringMatching(expected), Interface: "eth0" });
      const [added] = await recorder.json<Added[]>("/configure/discovery/add", {
        method: "POST",
        body: {
          Devices: [{ Identity: found[0]?.Identity }],
          ...{ Login: GUEST.login, Password: GUEST.password, ArchivingMode: "AlwaysOn" },
        },
        timeoutMs: TIMEOUT_MS,
      });
      expect(added).toMatchObject({ Result: "Added", Reason: "" });
      await recorder.recorded([...(added?.ChannelIds ?? [])], 2_000_000, TIMEOUT_MS);
      const [again] = await recorder.json<Item[]>("/configure/discovery?timeout=0");
      expect(again?.AlreadyAdded).toBe(true);
      const still = await recorder.get(
        `/site?channelid=${added?.ChannelIds[0]}&resolutionx=320&resolutiony=240`,
      );
      expect(still.body.subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
      // It says Bye when it stops.
      await house.service.stop();
      await expect
        .poll(() => recorder.json("/configure/discovery?timeout=0"), { timeout: PATIENCE_MS })
        .toEqual([]);
    },
    TIMEOUT_MS,
  );
});
