import { beforeEach, describe, expect, it } from "vitest";
import { CameraFailure, NO_PTZ } from "../../src/camera/index.js";
import { forEachTest } from "../support/base/for-tests.js";
import { ALICE, MemoryDevice } from "../support/onvif/memory-device.js";

const bench = forEachTest(() => MemoryDevice.create());

const ask = (operation: string, content = "") =>
  bench.ask("ptz_service", operation, {
    login: ALICE,
    content: `<m:ProfileToken>${bench.gate.id}_Main</m:ProfileToken>${content}`,
  });
const nodes = async () => (await bench.ask("ptz_service", "GetNodes", { login: ALICE })).text;
const position = (content: string) => `<m:Position>${content}</m:Position>`;

describe("SetPreset", () => {
  const named = "<m:PresetName>Ramp</m:PresetName>";

  it("keeps the present position as another preset, and tells its token", async () => {
    const { text } = await ask("SetPreset", named);
    expect(text).toContain("<tptz:PresetToken>7</tptz:PresetToken>");
    expect(bench.commands).toEqual([{ kind: "save-preset", index: undefined, name: "Ramp" }]);
  });

  it("replaces the preset that it names, and none that there is not", async () => {
    const of = (token: string) => ask("SetPreset", `${named}<m:PresetToken>${token}</m:PresetToken>`);
    expect((await of("3")).text).toContain("<tptz:PresetToken>3</tptz:PresetToken>");
    expect((await of("4")).fault).toBe("InvalidArgVal/NoToken");
    expect(bench.commands).toEqual([{ kind: "save-preset", index: 3, name: "Ramp" }]);
  });

  it("takes no name that is too long", async () => {
    const { fault } = await ask("SetPreset", `<m:PresetName>${"x".repeat(65)}</m:PresetName>`);
    expect(fault).toBe("InvalidArgVal/InvalidPresetName");
    expect(bench.commands).toEqual([]);
  });

  it("is refused for a camera that keeps none, and announced by no node", async () => {
    bench.can = { ...NO_PTZ, panTilt: true };
    expect((await ask("SetPreset", named)).fault).toBe("ActionNotSupported");
    expect(await nodes()).toContain("<tt:MaximumNumberOfPresets>0</tt:MaximumNumberOfPresets>");
  });

  it("and RemovePreset are the administrators'", async () => {
    expect(await nodes()).toContain("<tt:MaximumNumberOfPresets>9</tt:MaximumNumberOfPresets>");
    bench.mayKeepPresets = false;
    for (const operation of ["SetPreset", "RemovePreset"]) {
      const { fault } = await ask(operation, "<m:PresetToken>3</m:PresetToken>");
      expect(fault).toBe("NotAuthorized/OperationProhibited");
    }
    expect(bench.commands).toEqual([]);
    expect(await nodes()).toContain("<tt:MaximumNumberOfPresets>1</tt:MaximumNumberOfPresets>");
  });
});

it("RemovePreset removes the preset that it names", async () => {
  expect((await ask("RemovePreset", "<m:PresetToken>4</m:PresetToken>")).fault).toBe("InvalidArgVal/NoToken");
  expect((await ask("RemovePreset", "<m:PresetToken>3</m:PresetToken>")).status).toBe(200);
  expect(bench.commands).toEqual([{ kind: "remove-preset", index: 3 }]);
});

describe("AbsoluteMove", () => {
  beforeEach(() => {
    bench.can = { ...NO_PTZ, absolutePanTilt: true, absoluteZoom: true };
  });

  it("goes to a position, by axis", async () => {
    await ask("AbsoluteMove", position('<tt:PanTilt x="-1" y="0.25"/><tt:Zoom x="0.5"/>'));
    await ask("AbsoluteMove", position('<tt:Zoom x="0"/>'));
    expect(bench.commands).toEqual([
      { kind: "position", target: { panTilt: { pan: -1, tilt: 0.25 }, zoom: 0.5 } },
      { kind: "position", target: { zoom: 0 } },
    ]);
  });

  it("outside of the range, in another space or of no axis is refused", async () => {
    for (const [content, code] of [
      ['<tt:PanTilt x="-1.1" y="0"/>', "InvalidPosition"],
      ['<tt:Zoom x="-0.1"/>', "InvalidPosition"],
      ["", "InvalidPosition"],
      ['<tt:PanTilt x="0" y="0" space="http://example.com/degrees"/>', "SpaceNotSupported"],
      ['<tt:PanTilt x="0"/>', "SpaceNotSupported"],
    ] as const)
      expect((await ask("AbsoluteMove", position(content))).fault, content).toBe(`InvalidArgVal/${code}`);
    expect(bench.commands).toEqual([]);
  });

  it("is refused on an axis that has no positions, and not offered there", async () => {
    bench.can = { ...NO_PTZ, panTilt: true, absoluteZoom: true };
    const turned = await ask("AbsoluteMove", position('<tt:PanTilt x="0" y="0"/>'));
    expect(turned.fault).toBe("ActionNotSupported");
    expect(bench.commands).toEqual([]);
    const content = `<m:ConfigurationToken>ptz_${bench.gate.id}</m:ConfigurationToken>`;
    const options = await bench.ask("ptz_service", "GetConfigurationOptions", { login: ALICE, content });
    for (const text of [await nodes(), options.text]) {
      const spaces = [...text.matchAll(/<tt:(\w+Space)>/g)].map(([, name]) => name);
      expect(spaces).toEqual(["AbsoluteZoomPositionSpace", "ContinuousPanTiltVelocitySpace"]);
    }
  });
});

it("a configuration names the spaces that the camera has, and no other", async () => {
  bench.can = { ...NO_PTZ, zoom: true, absolutePanTilt: true };
  const { text } = await bench.ask("ptz_service", "GetConfigurations", { login: ALICE });
  expect([...text.matchAll(/<tt:Default(\w+Space)>/g)].map(([, name]) => name)).toEqual([
    "AbsolutePantTiltPositionSpace",
    "ContinuousZoomVelocitySpace",
  ]);
});

it("a camera that has nothing that moves has neither a node nor a configuration", async () => {
  bench.can = NO_PTZ;
  expect(await nodes()).not.toContain("PTZNode");
  const configurations = await bench.ask("ptz_service", "GetConfigurations", { login: ALICE });
  expect(configurations.text).not.toContain("<tptz:PTZConfiguration");
});

it("GetStatus tells the position where the camera reports it, and leaves out what it does not", async () => {
  expect((await ask("GetStatus")).text).not.toContain("Position>");
  bench.position = { panTilt: { pan: 0.5, tilt: -0.25 }, panTiltMoves: true };
  const { text } = await ask("GetStatus");
  expect(text).toMatch(/<tt:Position><tt:PanTilt x="0\.5" y="-0\.25" space="[^"]+"\/><\/tt:Position>/);
  expect(text).toContain("<tt:PanTilt>MOVING</tt:PanTilt><tt:Zoom>UNKNOWN</tt:Zoom>");
});

it.each([
  ["toomanypresets", "Action/TooManyPresets"],
  ["presetexist", "InvalidArgVal/PresetExist"],
  ["actionnotsupported", "ActionNotSupported"],
  ["somethingelse", "Action"],
])("what the camera refuses by %s is reported as %s", async (code, fault) => {
  bench.refusal = new CameraFailure("refused", "the camera refuses it", { faultCodes: ["receiver", code] });
  expect((await ask("SetPreset")).fault).toBe(fault);
});
