import { expect, it } from "vitest";
import { healthDigest } from "../../../src/health/index.js";
import { GATE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import {
  cameraHealth,
  diskState,
  healthFigures,
  streamHealth,
  volumeHealth,
} from "../../support/health/health-figures.js";

const lost = { isConnected: false, isRecording: false, streams: [streamHealth({ state: "lost" })] };

it("counts cameras that are on, and those that do not answer", () => {
  const cameras = [
    cameraHealth(GATE_ID, "Gate", lost),
    cameraHealth(YARD_ID, "Yard"),
    cameraHealth("22222222-0000-4000-8000-000000000009", "Off", { ...lost, isDisabled: true }),
  ];

  expect(healthDigest(healthFigures({ cameras }))).toMatchObject({ cameras: 2, camerasLost: 1 });
});

it("counts disks that cannot be used, or that fail, and none that is emptied on purpose", () => {
  const volumes = [
    volumeHealth({ directory: "/mnt/gone", isUsable: false }),
    volumeHealth({ directory: "/mnt/failing" }),
    volumeHealth({ directory: "/mnt/well" }),
    volumeHealth({ directory: "/mnt/former", isUsable: false, isRetired: true }),
  ];
  const disks = [diskState({ verdict: "failing", volumes: ["/mnt/failing"] })];

  expect(healthDigest(healthFigures({ volumes, disks }))).toMatchObject({ volumes: 3, volumesAtFault: 2 });
});

it("names the worst problems, and says how many there are", () => {
  const cameras = Array.from({ length: 12 }, (_, at) =>
    cameraHealth(`22222222-0000-4000-8000-0000000001${String(at).padStart(2, "0")}`, `C${at}`, lost),
  );
  const faultyCameras = new Set(cameras.map(({ id }) => id));

  const digest = healthDigest(healthFigures({ cameras, faultyCameras }));

  expect(digest.problemCount).toBeGreaterThanOrEqual(12);
  expect(digest.problems).toHaveLength(8);
  expect(digest.problems[0]).toMatchObject({ code: "camera-lost", severity: "error" });
});
