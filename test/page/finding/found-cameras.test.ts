import { beforeEach, expect, it } from "vitest";
import type { DiscoveryItem } from "../../../src/contract/answer/index.js";
import { change, found, noteScanned } from "../../../src/page/finding/found-cameras.js";

const ADDRESS = "192.0.2.7";
const PROFILE = { Name: "", VideoFormat: "H264", Width: 640, Height: 480 };

function device(changed: Partial<DiscoveryItem> = {}): DiscoveryItem {
  return {
    ...{ Name: "", Manufacturer: "", Model: "", Address: ADDRESS, Identity: "urn:uuid:1" },
    ...{ Profiles: [], AlreadyAdded: false, Interface: "eth0", Location: "", IsIdentityShared: false },
    ...{ ChannelIds: [], ModelId: "" },
    ...changed,
  };
}

beforeEach(() => {
  found.value = [];
});

it("a camera that tells its streams after it was first seen needs no login", () => {
  noteScanned([device()]);
  noteScanned([device({ Profiles: [PROFILE] })]);
  expect(found.value).toMatchObject([{ address: ADDRESS, isOpen: true }]);
});

it("a camera that once told its streams needs no login when it is too busy to tell them again", () => {
  noteScanned([device({ Profiles: [PROFILE] })]);
  noteScanned([device()]);
  expect(found.value).toMatchObject([{ isOpen: true }]);
});

it("a camera says who it is when it is seen again, where it did not before", () => {
  noteScanned([device()]);
  noteScanned([device({ Name: "Gate", Manufacturer: "Maker", Model: "M1" })]);
  expect(found.value).toMatchObject([{ name: "Gate", manufacturer: "Maker", model: "M1" }]);
});

it("what was chosen and typed of a camera stays when it is seen again", () => {
  noteScanned([device({ Manufacturer: "Maker" })]);
  change(ADDRESS, { isChosen: false, login: "admin", result: "LoginRefused" });
  noteScanned([device({ Profiles: [PROFILE], AlreadyAdded: true })]);
  expect(found.value).toMatchObject([
    { isChosen: false, login: "admin", result: "LoginRefused", manufacturer: "Maker", isAdded: true },
  ]);
});
