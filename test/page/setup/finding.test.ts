import { beforeEach, describe, expect, it } from "vitest";
import type { DiscoveryItem, ReadCamera } from "../../../src/contract/answer/index.js";
import { change, found, groupOf, noteRead, noteScanned } from "../../../src/page/finding/found-cameras.js";

const ANSWERED: DiscoveryItem = {
  ...{ Name: "", Manufacturer: "", Model: "", Address: "192.168.1.20", Identity: "urn:uuid:1" },
  ...{ Profiles: [], AlreadyAdded: false, Interface: "eth0", Location: "", IsIdentityShared: false },
  ...{ ChannelIds: [], ModelId: "" },
};
const DESCRIBED: DiscoveryItem = {
  ...ANSWERED,
  Name: "Gate",
  Manufacturer: "Maker",
  Profiles: [{ Name: "", VideoFormat: "H264", Width: 640, Height: 480 }],
};
const READ: ReadCamera = {
  ...{ Address: ANSWERED.Address, State: "Read", Result: "Readable", Reason: "", Manufacturer: "Maker" },
  ...{ Model: "M1", Streams: [], Picture: null, Identity: "", Name: "", Warnings: [], Channels: 0 },
  ...{ HasSound: false, HasPtz: false, PictureProblem: null },
};

beforeEach(() => {
  found.value = [];
});

describe("a camera that a scan finds", () => {
  it("gets the name and the streams that it tells after its first answer", () => {
    noteScanned([ANSWERED]);
    expect(found.value).toMatchObject([{ name: "192.168.1.20", isOpen: false }]);
    noteScanned([DESCRIBED]);
    expect(found.value).toMatchObject([{ name: "Gate", manufacturer: "Maker", isOpen: true }]);
  });

  it("stays left out when it tells more", () => {
    noteScanned([ANSWERED]);
    change(ANSWERED.Address, { isChosen: false });
    noteScanned([DESCRIBED]);
    expect(found.value).toMatchObject([{ isChosen: false }]);
  });

  it("keeps what it said when it was read", () => {
    noteScanned([DESCRIBED]);
    noteRead([READ]);
    noteScanned([{ ...ANSWERED, Identity: "" }]);
    expect(found.value).toMatchObject([{ name: "Gate", model: "M1", result: "Readable" }]);
    expect(found.value.map(groupOf)).toEqual(["ready"]);
  });

  it("is one of those that are added when another scan says so", () => {
    noteScanned([DESCRIBED]);
    noteScanned([{ ...DESCRIBED, AlreadyAdded: true }]);
    expect(found.value.map(groupOf)).toEqual(["added"]);
  });
});
