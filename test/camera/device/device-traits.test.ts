import { expect, it } from "vitest";
import { type DeviceTraits, isTwin, sameDevice } from "../../../src/camera/description/device-traits.js";

const ONE: DeviceTraits = {
  ...{ identity: "urn:uuid:1", announced: "urn:uuid:1", manufacturer: "IPC", model: "X1", serial: "" },
  ...{ hardwareId: "1.0", mac: "02:00:00:00:00:01" },
};
/** Another device of one maker that gives all of them one identity. */
const OTHER: DeviceTraits = { ...ONE, mac: "02:00:00:00:00:02" };

it.each([
  "0000-0000-0000",
  "00:00:00:00:00:00",
  "1234-5678",
  "Not Available",
  "To be filled by O.E.M.",
  "FF-FF-FF-FF-FF-FF",
  "N/A",
])("the serial number %s is none: another card makes another device", (serial) => {
  expect(sameDevice({ ...ONE, serial }, { ...OTHER, serial })).not.toBe("same");
  expect(isTwin({ ...ONE, serial }, { ...OTHER, serial }, true)).toBe(true);
});

it.each(["DS-2CD2143G0-I20190312AAWRC81234567", "AB:CD:EF:01:02:03", "4J0A2B6PAG00001"])(
  "the serial number %s is one: it is the same device with another card",
  (serial) => {
    expect(sameDevice({ ...ONE, serial }, { ...OTHER, serial: serial.toLowerCase() })).toBe("same");
  },
);
