import { expect, it } from "vitest";
import { ONVIF_MODEL, traitsOf } from "../../../src/camera/index.js";
import type { Camera } from "../../../src/site/index.js";
import { ROOT_FOLDER_ID } from "../../support/api/api-fakes.js";
import { ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import {
  deviceDescription,
  deviceProfile,
  foundDevice,
  readable,
} from "../../support/api/memory/memory-devices.js";
import { forEachTest } from "../../support/base/for-tests.js";

const IDENTITY = "urn:uuid:aaaaaaaa-0000-4000-8000-000000000001";
const PASSWORD = "Secret-of-the-cameras";

const api = forEachTest(() => startApi());

interface Outcome {
  readonly Result: string;
  readonly Reason: string;
  readonly Warnings: readonly string[];
  readonly ChannelIds: readonly string[];
  readonly ModelId: string | null;
  readonly Address: string;
}

async function add(
  body: unknown,
  query = "",
): Promise<{ status: number; outcomes: Outcome[]; text: string }> {
  const answer = await fetch(api.url(`/configure/discovery/add?${ROOT_QUERY}${query}`), {
    method: "POST",
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  return { status: answer.status, outcomes: answer.ok ? (JSON.parse(text) as Outcome[]) : [], text };
}

function camerasAdded(): Camera[] {
  return api.site.current.cameras.filter(({ connection }) => connection.modelId === ONVIF_MODEL.id);
}

it("shows found devices with what they tell, and whether they are added", async () => {
  const details = {
    manufacturer: "Acme Inc",
    model: "C1-Z",
    identity: IDENTITY,
    profiles: [{ name: "main", format: "Hevc", width: 2560, height: 1440 }],
  };
  api.devices.found = [
    foundDevice({ details }),
    foundDevice({ identity: "urn:uuid:b", address: "192.168.7.11", port: 8000, isIdentityShared: true }),
  ];
  const items = await (await api.get("/configure/discovery?interface=eth0&timeout=2.5")).json();
  expect(api.devices.questions).toEqual([{ interface: "eth0", address: undefined, timeoutSeconds: 2.5 }]);
  expect(items).toEqual([
    {
      Name: "Door",
      Manufacturer: "Acme Inc",
      Model: "C1-Z",
      Address: "192.168.7.10",
      Identity: IDENTITY,
      Interface: "eth0",
      Location: "Hall",
      IsIdentityShared: false,
      Profiles: [{ Name: "main", VideoFormat: "Hevc", Width: 2560, Height: 1440 }],
      AlreadyAdded: false,
      ChannelIds: [],
      ModelId: ONVIF_MODEL.id,
    },
    expect.objectContaining({ Address: "192.168.7.11:8000", IsIdentityShared: true, Profiles: [] }),
  ]);
});

it("refuses a timeout that is no number of seconds", async () => {
  const answer = await api.get("/configure/discovery?timeout=soon");
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain("timeout");
});

it("adds a device with its streams by resolution, and shows it as added from then on", async () => {
  const profiles = [
    deviceProfile("small", { width: 640, height: 360 }),
    deviceProfile("large", {
      width: 2560,
      height: 1440,
      codec: "Hevc",
      audioCodec: "AAC",
      ptzNodeToken: "n",
    }),
  ];
  api.devices.heard = [foundDevice()];
  api.devices.found = api.devices.heard;
  api.devices.readings.set("192.168.7.10", readable(deviceDescription({ profiles })));
  const { outcomes } = await add({ Devices: [{ Identity: IDENTITY }], Login: "admin", Password: PASSWORD });
  expect(api.devices.logins).toEqual([{ address: "192.168.7.10", login: "admin", password: PASSWORD }]);
  const [camera] = camerasAdded();
  expect(outcomes).toEqual([
    expect.objectContaining({ Result: "Added", ChannelIds: [camera?.id], ModelId: ONVIF_MODEL.id }),
  ]);
  expect(camera).toMatchObject({
    name: "Door",
    connection: {
      hostname: "192.168.7.10",
      login: "admin",
      password: PASSWORD,
      deviceIdentity: IDENTITY,
      soundReceivingEnabled: true,
      ptzEnabled: true,
      streams: {
        Main: { enabled: true, format: "Hevc", profileToken: "large", roles: ["Archive", "DesktopClient"] },
        Alternative: { enabled: true, format: "H264", profileToken: "small" },
        SecondAlternative: { enabled: false },
      },
    },
  });
  const items = (await (await api.get("/configure/discovery")).json()) as Record<string, unknown>[];
  expect(items[0]).toMatchObject({ AlreadyAdded: true, ChannelIds: [camera?.id] });
});

it("adds by its identity a device that was heard at two addresses where it answers now", async () => {
  const moved = foundDevice({ address: "192.168.7.20" });
  api.devices.heard = [foundDevice(), moved];
  api.devices.found = [moved];
  api.devices.readings.set("192.168.7.20", readable(deviceDescription()));
  const { outcomes } = await add({ Devices: [{ Identity: IDENTITY }], Login: "admin", Password: PASSWORD });
  expect([outcomes[0]?.Result, outcomes[0]?.Address]).toEqual(["Added", "192.168.7.20"]);
  expect(api.devices.logins.map(({ address }) => address)).toEqual(["192.168.7.20"]);
});

it("tries no login on a device that is added already", async () => {
  api.devices.readings.set("192.168.7.10", readable(deviceDescription()));
  const body = { Devices: [{ Address: "192.168.7.10" }], Login: "admin", Password: PASSWORD };
  await add(body);
  const { outcomes } = await add(body);
  expect(outcomes[0]).toMatchObject({
    Result: "AlreadyAdded",
    ChannelIds: camerasAdded().map(({ id }) => id),
  });
  expect(api.devices.logins).toHaveLength(1);
});

it("takes devices at other ports of one address for others", async () => {
  for (const port of [9000, 9001]) {
    const identity = `urn:uuid:aaaaaaaa-0000-4000-8000-00000000${port}`;
    api.devices.readings.set(`10.0.0.1:${port}`, readable(deviceDescription({ identity })));
    const { outcomes } = await add({ Devices: [{ Address: `10.0.0.1:${port}` }] });
    expect(outcomes[0]?.Result).toBe("Added");
  }
});

it("gives each device its own outcome, and adds those that work as one revision", async () => {
  const refused = {
    result: "LoginRefused",
    reason: "the camera refuses the password",
    warnings: [],
  } as const;
  const asleep = { result: "NotActivated", reason: "it waits for its first password", warnings: [] } as const;
  const late = deviceDescription({
    identity: undefined,
    warnings: [{ code: "clock-off", message: "the device's clock is 3 hours behind" }],
  });
  api.devices.readings.set("10.0.0.1", refused).set("10.0.0.2", asleep).set("10.0.0.3", readable(late));
  const before = api.site.current.revision;
  const { outcomes } = await add({
    Devices: ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"].map((Address) => ({ Address })),
    Login: "admin",
    Password: PASSWORD,
  });
  expect(outcomes.map(({ Result }) => Result)).toEqual([
    "LoginRefused",
    "NotActivated",
    "Added",
    "Unreachable",
  ]);
  expect(outcomes[2]?.Warnings).toEqual(["the device's clock is 3 hours behind"]);
  expect(camerasAdded()).toHaveLength(1);
  expect(api.site.current.revision).toBe(before + 1);
});

it("adds every video source of an encoder, or those asked for, one channel each", async () => {
  const numbers = [1, 2, 3];
  const description = deviceDescription({
    videoSources: numbers.map((channelNumber) => ({
      token: `v${channelNumber}`,
      channelNumber,
      width: 704,
      height: 576,
      framesPerSecond: 25,
    })),
    profiles: numbers.map((channelNumber) => deviceProfile(`p${channelNumber}`, { channelNumber })),
  });
  api.devices.readings.set("192.168.7.10", readable(description));
  api.devices.readings.set("192.168.7.11", readable({ ...description, identity: "urn:uuid:eeee" }));
  const one = await add({ Devices: [{ Address: "192.168.7.10", Name: "Encoder", ChannelNumbers: [2] }] });
  const again = await add({
    Devices: [{ Address: "192.168.7.10", Name: "Encoder", ChannelNumbers: [1, 2, 3] }],
  });
  expect(one.outcomes[0]?.ChannelIds).toHaveLength(1);
  expect(again.outcomes[0]).toMatchObject({ Result: "Added" });
  expect(again.outcomes[0]?.ChannelIds).toHaveLength(2);
  expect(camerasAdded().map(({ name }) => name)).toEqual(["Encoder 2", "Encoder 1", "Encoder 3"]);
  expect(camerasAdded().map(({ kept }) => kept?.connection.multiChannelServerChannelNumber)).toEqual([
    2, 1, 3,
  ]);
  const all = await add({ Devices: [{ Address: "192.168.7.11", ChannelNumbers: [] }] });
  expect(all.outcomes[0]?.ChannelIds).toHaveLength(3);
});

const TWINS = [
  foundDevice({ isIdentityShared: true }),
  foundDevice({ isIdentityShared: true, address: "192.168.7.11" }),
];
const ALL_TWINS = {
  Devices: TWINS.map(({ address, identity }) => ({ Address: address, Identity: identity })),
};

it.each([
  ["serial numbers", { serial: "B8A44F000001" }, { serial: "B8A44F000002" }, ["Added", "Added"]],
  [
    "network cards",
    { serial: "", mac: "02:00:00:00:00:01" },
    { serial: "", mac: "02:00:00:00:00:02" },
    ["Added", "Added"],
  ],
  ["addresses", { serial: "" }, { serial: "" }, ["Added", "Added"]],
  [
    "addresses of one serial number",
    { serial: "B8A44F000001" },
    { serial: "B8A44F000001" },
    ["Added", "AlreadyAdded"],
  ],
])("adds two cameras with one identity at once, by their %s", async (_, one, other, results) => {
  api.devices.heard = TWINS;
  api.devices.readings.set("192.168.7.10", readable(deviceDescription(one)));
  api.devices.readings.set("192.168.7.11", readable(deviceDescription(other)));
  const { outcomes } = await add(ALL_TWINS);
  expect(outcomes.map(({ Result }) => Result)).toEqual(results);
});

it("shows, and adds later, the second of two cameras with one identity", async () => {
  api.devices.heard = TWINS;
  api.devices.found = TWINS;
  for (const address of ["192.168.7.10", "192.168.7.11"])
    api.devices.readings.set(address, readable(deviceDescription()));
  await add({ Devices: ALL_TWINS.Devices.slice(0, 1) });
  const items = (await (await api.get("/configure/discovery")).json()) as { AlreadyAdded: boolean }[];
  expect(items.map(({ AlreadyAdded }) => AlreadyAdded)).toEqual([true, false]);
  const { outcomes } = await add(ALL_TWINS);
  expect(outcomes.map(({ Result }) => Result)).toEqual(["AlreadyAdded", "Added"]);
});

it.each([
  [
    "another serial number and network card",
    { serial: "B8A44F000002" },
    "02:00:00:00:00:02",
    [false, "Added"],
  ],
  ["another network card alone", { serial: "" }, "02:00:00:00:00:02", [false, "Added"]],
  [
    "its serial number at another card",
    { serial: "B8A44F000001" },
    "02:00:00:00:00:02",
    [false, "AlreadyAdded"],
  ],
  ["its network card", { serial: "B8A44F000001" }, "02:00:00:00:00:01", [true, "AlreadyAdded"]],
] as const)(
  "shows and adds beside a silent camera one of the same identity that has %s",
  async (_, shown, mac, is) => {
    const known = { serial: "B8A44F000001", mac: "02:00:00:00:00:01" };
    api.devices.heard = TWINS.slice(0, 1);
    api.devices.readings.set("192.168.7.10", readable(deviceDescription(known)));
    await add({ Devices: ALL_TWINS.Devices.slice(0, 1) });
    const [first] = camerasAdded();
    if (first === undefined) throw new Error("it was not added");
    api.devices.traits.set(first.id, traitsOf(deviceDescription(known)));
    api.devices.macs.set("192.168.7.11", mac);
    const second = TWINS.slice(1);
    api.devices.heard = second;
    api.devices.found = second;
    api.devices.readings.set(
      "192.168.7.11",
      readable(deviceDescription({ ...shown, mac, host: "192.168.7.11" })),
    );
    const items = (await (await api.get("/configure/discovery")).json()) as { AlreadyAdded: boolean }[];
    const { outcomes } = await add({ Devices: ALL_TWINS.Devices.slice(1) });
    expect([items[0]?.AlreadyAdded, outcomes[0]?.Result]).toEqual(is);
  },
);

it.each([
  ["while that answers", { serial: "" }, true, [false, "Added"]],
  ["that answers no more: it may have moved", { serial: "" }, false, [true, "AlreadyAdded"]],
  ["whose serial number it has", { serial: "B8A44F000001" }, true, [false, "AlreadyAdded"]],
] as const)(
  "shows and adds one that has the identity of a camera, and no network card that is known, %s",
  async (_, shown, answers, is) => {
    const known = deviceDescription({ serial: "B8A44F000001" });
    api.devices.heard = TWINS.slice(0, 1);
    api.devices.readings.set("192.168.7.10", readable(known));
    await add({ Devices: ALL_TWINS.Devices.slice(0, 1) });
    const [first] = camerasAdded();
    if (first === undefined) throw new Error("it was not added");
    api.devices.traits.set(first.id, traitsOf(known));
    if (answers) api.devices.answering.add(first.id);
    const second = TWINS.slice(1);
    api.devices.heard = second;
    api.devices.found = second;
    const read = deviceDescription({ ...shown, host: "192.168.7.11" });
    api.devices.readings.set("192.168.7.11", readable(read));
    const items = (await (await api.get("/configure/discovery")).json()) as { AlreadyAdded: boolean }[];
    const { outcomes } = await add({ Devices: ALL_TWINS.Devices.slice(1) });
    expect([items[0]?.AlreadyAdded, outcomes[0]?.Result]).toEqual(is);
  },
);

it("names an identity that nobody has, and one that two addresses claim", async () => {
  api.devices.found = [
    foundDevice({ isIdentityShared: true }),
    foundDevice({ isIdentityShared: true, address: "192.168.7.66" }),
  ];
  const { outcomes } = await add({
    Devices: [{ Identity: IDENTITY }, { Identity: "urn:uuid:cccccccc-0000-4000-8000-000000000001" }],
  });
  expect(outcomes.map(({ Result }) => Result)).toEqual(["Ambiguous", "NotFound"]);
  expect(api.devices.logins).toEqual([]);
});

it("adds nothing where another device than the named one answers", async () => {
  api.devices.readings.set("192.168.7.10", readable(deviceDescription()));
  const { outcomes } = await add({
    Devices: [{ Address: "192.168.7.10", Identity: "urn:uuid:cccccccc-0000-4000-8000-000000000001" }],
  });
  expect(outcomes[0]?.Result).toBe("OtherDevice");
  expect(camerasAdded()).toEqual([]);
});

it("changes nothing when the body has a fault, and names each by its path", async () => {
  const { status, text } = await add({
    Devices: [{}, { Address: "10.0.0.0/24" }, { Address: "10.0.0.1" }, { Address: "10.0.0.1" }],
    ParentSecObjectId: ROOT_FOLDER_ID,
  });
  expect(status).toBe(400);
  expect(text).toContain("Devices[0]: needs Address or Identity");
  expect(text).toContain("Devices[1].Address: is more than one address");
  expect(text).toContain("Devices[3]: is already in Devices[2]");
  expect(api.devices.logins).toEqual([]);
});

it("tries no login for a revision that is not the current one", async () => {
  const { status } = await add({ Devices: [{ Address: "10.0.0.3" }] }, "&revision=999");
  expect(status).toBe(409);
  expect(api.devices.logins).toEqual([]);
});

it("says no password in an answer or in the log", async () => {
  api.devices.readings.set("10.0.0.3", readable(deviceDescription()));
  const { text } = await add({ Devices: [{ Address: "10.0.0.3", Login: "admin", Password: PASSWORD }] });
  expect(text).not.toContain(PASSWORD);
  expect(JSON.stringify(api.logLines)).not.toContain(PASSWORD);
});
