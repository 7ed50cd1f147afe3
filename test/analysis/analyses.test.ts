import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WEBHOOK_REACH_PUBLIC } from "../../src/alarm/index.js";
import { EVENT_TYPES } from "../../src/event/index.js";
import { frigateAnalyser, visionAnalyser } from "../support/analysis/analyser-samples.js";
import { AnalysisBox } from "../support/analysis/analysis-box.js";
import { type Prediction, VisionServer } from "../support/analysis/vision-server.js";
import { GATE_ID, YARD_ID } from "../support/api/api-fakes.js";
import { PATIENCE_MS } from "../support/base/patience.js";
import { makeCertificate } from "../support/http/certificate.js";

const SECOND = 1_000_000;
const CAR: Prediction = { label: "car", confidence: 0.9, x_min: 0, y_min: 0, x_max: 50, y_max: 50 };
const PERSON: Prediction = { ...CAR, label: "person", confidence: 0.8 };
const DOG: Prediction = { ...CAR, label: "dog", confidence: 0.7 };

let box: AnalysisBox;
let server: VisionServer;

beforeEach(async () => {
  box = new AnalysisBox();
  server = await VisionServer.start();
  server.answer = () => [CAR];
});

afterEach(async () => {
  box.analyses.stop();
  await server.close();
});

const vision = (...given: Parameters<typeof visionAnalyser>) =>
  visionAnalyser({ url: server.url, ...given[0] }, given[1]);
const state = () => box.analyses.states()[0];
const until = (read: () => unknown, wanted: unknown) =>
  expect.poll(read, { timeout: PATIENCE_MS, interval: 5 }).toEqual(wanted);
const raisedTypes = () => box.events.raised.map(({ typeId }) => typeId);

async function start(...given: Parameters<typeof visionAnalyser>): Promise<void> {
  await box.use(vision(...given));
  box.analyses.start();
}

describe("a server with a certificate of its own authority", () => {
  const ask = async (authority: (cert: string) => string | undefined) => {
    const tls = await makeCertificate();
    const own = await VisionServer.start(0, tls);
    own.answer = () => [CAR];
    const ca = authority(tls.cert);
    await start({ url: own.url, ...(ca === undefined ? {} : { authority: ca }) });
    box.move(GATE_ID);
    return own;
  };

  it("is asked where that authority is given", async () => {
    const own = await ask((cert) => cert);
    await until(() => state()?.answered, 1);
    expect(own.requests).toHaveLength(1);
    await own.close();
  });

  it("gets nothing where it is not, or another is", async () => {
    const other = await makeCertificate();
    for (const authority of [undefined, other.cert]) {
      const own = await ask(() => authority);
      await until(() => state()?.failed, 1);
      expect(state()?.problem).toMatch(/self-signed certificate/);
      expect(own.requests).toEqual([]);
      box.analyses.stop();
      box = new AnalysisBox();
      await own.close();
    }
  });
});

describe("when a picture goes", () => {
  it("at motion, what moves is sent with a margin, and with the key", async () => {
    await start({ url: `${server.url}/ai/`, apiKey: "the-key" });
    box.move(GATE_ID);
    await until(() => state()?.answered, 1);
    const [request] = server.requests;
    expect(request?.path).toBe("/ai/v1/vision/detection");
    expect(request?.fields).toEqual(
      new Map([
        ["min_confidence", "0.5"],
        ["api_key", "the-key"],
      ]),
    );
    // 0.3 of 640 by 360 pixels.
    const { default: sharp } = await import("sharp");
    expect(await sharp(request?.image).metadata()).toMatchObject({ format: "jpeg", width: 192, height: 108 });
  });

  it("while motion lasts another goes each RepeatSeconds, and none after it", async () => {
    server.answer = () => [];
    await start({ repeatSeconds: 5 });
    box.move(GATE_ID);
    await until(() => state()?.answered, 1);
    box.clock.advance(5 * SECOND);
    await until(() => state()?.answered, 2);
    box.move(GATE_ID, false);
    box.clock.advance(30 * SECOND);
    expect(server.requests).toHaveLength(2);
  });

  it("at an interval the whole picture of each camera goes, one after the other", async () => {
    server.answer = () => [];
    await start({ onMotion: false, intervalSeconds: 60, channelIds: [GATE_ID, YARD_ID] });
    box.move(GATE_ID);
    box.clock.advance(1 * SECOND);
    await until(() => state()?.answered, 1);
    box.clock.advance(30 * SECOND);
    await until(() => state()?.answered, 2);
    expect(box.pictures.asked.map(({ channelId }) => channelId)).toEqual([GATE_ID, YARD_ID]);
    box.clock.advance(31 * SECOND);
    await until(() => state()?.answered, 3);
  });

  it("a finding that counts as motion does not send another picture", async () => {
    await start({ repeatSeconds: 1 }, { startsRecording: true });
    box.move(GATE_ID);
    await until(() => state()?.answered, 1);
    expect(box.motion.seen(GATE_ID).map(({ source }) => source)).toEqual(["recorder", "analysis"]);
    box.move(GATE_ID, false);
    expect(box.motion.isActive(GATE_ID)).toBe(true);
    box.clock.advance(14 * SECOND);
    expect(box.motion.isActive(GATE_ID)).toBe(true);
    box.clock.advance(1 * SECOND);
    expect(box.motion.isActive(GATE_ID)).toBe(false);
    expect(server.requests).toHaveLength(1);
  });

  it("faces are looked for where the camera's face detector is on, in the main stream for quality", async () => {
    await start({ objects: false, faces: true });
    await box.setCamera(YARD_ID, { faceDetectorEnabled: true, faceDetectorMode: "OptimizedQuality" });
    box.move(GATE_ID);
    box.move(YARD_ID);
    await until(() => state()?.answered, 1);
    expect(box.pictures.asked).toEqual([{ channelId: YARD_ID, isDetailed: true }]);
    expect(server.requests.map(({ path }) => path)).toEqual(["/v1/vision/face/recognize"]);
  });

  it("a camera that is not the analyser's, and an analyser that is off, send nothing", async () => {
    await start({ channelIds: [YARD_ID] });
    box.move(GATE_ID);
    await box.use(vision({}, { isEnabled: false }));
    box.move(YARD_ID);
    box.clock.advance(60 * SECOND);
    expect(server.requests).toEqual([]);
    expect(box.analyses.states()).toEqual([]);
  });
});

describe("what becomes of findings", () => {
  it("an event has the type, the members and a picture", async () => {
    await start({ plates: true, channelIds: [GATE_ID] });
    server.answer = ({ path }) =>
      path.endsWith("/alpr")
        ? [{ ...CAR, label: "Plate: A123BC", plate: "A123BC", confidence: 0.876 }]
        : [CAR, PERSON];
    box.move(GATE_ID, true, { left: 0, top: 0, width: 1, height: 1 });
    await until(() => state()?.reportedEvents, 3);
    expect(raisedTypes()).toEqual([
      EVENT_TYPES.vehicleDetected.id,
      EVENT_TYPES.personDetected.id,
      EVENT_TYPES.plateRecognized.id,
    ]);
    const [vehicle, , plate] = box.events.raised;
    expect(vehicle).toMatchObject({ channelId: GATE_ID, comment: "car, 90 % (Neighbour)" });
    expect(vehicle?.fields).toMatchObject({ VehicleClass: "car", Label: "car", Confidence: "90", Left: "0" });
    expect(plate?.fields).toMatchObject({ plateText: "A123BC", Numberplate: "A123BC", Reliability: "87,6" });
    expect(plate?.initiator).toMatchObject({ type: 8, name: "ExternalEvent" });
    const image = Buffer.from(String(plate?.fields?.ImageBytes), "base64");
    expect([...image.subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  });

  it("other objects are told where interactive search is on, and those of its labels where it names some", async () => {
    await start({ repeatSeconds: 0 }, { quietSeconds: 0 });
    server.answer = () => [DOG, PERSON];
    box.move(GATE_ID);
    await until(() => state()?.reportedEvents, 1);
    expect(raisedTypes()).toEqual([EVENT_TYPES.personDetected.id]);
    await box.setCamera(YARD_ID, { interactiveSearchEnabled: true });
    box.move(YARD_ID);
    await until(() => state()?.reportedEvents, 3);
    expect(raisedTypes().slice(1)).toEqual([EVENT_TYPES.personDetected.id, EVENT_TYPES.objectDetected.id]);
    const interactiveSearchJson = JSON.stringify({ Labels: ["Dog", 7], MinConfidence: 60, own: [] });
    await box.setCamera(YARD_ID, { interactiveSearchEnabled: true, interactiveSearchJson });
    box.clock.advance(601 * SECOND);
    box.move(YARD_ID, false);
    box.move(YARD_ID);
    await until(() => raisedTypes().filter((id) => id === EVENT_TYPES.objectDetected.id).length, 2);
    expect(raisedTypes().at(-1)).toBe(EVENT_TYPES.objectDetected.id);
  });

  it("what the analyser is not sure of is left out", async () => {
    await start({}, { minConfidence: 85 });
    server.answer = () => [CAR, PERSON];
    box.move(GATE_ID);
    await until(() => state()?.reportedEvents, 1);
    expect(server.requests[0]?.fields.get("min_confidence")).toBe("0.85");
  });

  it("search settings of a camera that say nothing of objects count as none", async () => {
    await start();
    server.answer = () => [DOG];
    await box.setCamera(GATE_ID, { interactiveSearchEnabled: true, interactiveSearchJson: "[]" });
    box.move(GATE_ID);
    await until(() => state()?.reportedEvents, 1);
  });

  it("the log gets so many bytes of pictures in a day, and events all the same", async () => {
    box = new AnalysisBox({ pictureBytesPerDay: 100 });
    await start({}, { quietSeconds: 0 });
    server.answer = () => [CAR, { ...CAR, x_min: 60, x_max: 120 }];
    box.move(GATE_ID);
    await until(() => state()?.reportedEvents, 2);
    expect(box.events.raised.map(({ fields }) => fields?.ImageBytes !== undefined)).toEqual([true, false]);
  });
});

describe("what a hostile server gets by its answers", () => {
  const many = (count: number) => JSON.stringify({ predictions: Array(count).fill({ confidence: 1 }) });

  it.each([
    ["deep JSON", `{"predictions":${"[".repeat(120_000)}${"]".repeat(120_000)}}`, /no objects/],
    ["JSON that is deep and never ends", `{"predictions":${"[".repeat(250_000)}`, /its answer is not JSON/],
    ["a million findings", many(1_000_000), /its answer is longer than 262144 bytes/],
    ["numbers that are none", '{"predictions":[{"label":"car","confidence":NaN}]}', /its answer is not JSON/],
    ["a list for its answer", "[]", /its answer is no JSON object/],
    ["a text for its predictions", '{"predictions":"many"}', /no list of predictions/],
  ])("%s: a failure in words", async (_what, body, problem) => {
    await start();
    server.answer = () => ({ status: 200, body });
    box.move(GATE_ID);
    await until(() => state()?.failed, 1);
    expect(state()).toMatchObject({ problem: expect.stringMatching(problem), reportedEvents: 0 });
  });

  it("predictions outside the picture, of endless size or without a thing in them are left out", async () => {
    await start();
    const endless = '{"label":"car","confidence":0.9,"x_min":-1e999,"y_min":0,"x_max":1e999,"y_max":50}';
    const wrong = [
      { ...CAR, label: "outside", x_min: 5000, x_max: 6000 },
      { ...CAR, label: "turned", x_min: 50, x_max: 0 },
      { ...CAR, label: "surer than sure", confidence: 7 },
      { ...CAR, label: "two\nlines" },
      { ...CAR, label: "x".repeat(65) },
    ];
    const list = [endless, ...wrong.map((one) => JSON.stringify(one))].join(",");
    server.answer = () => ({ status: 200, body: `{"predictions":[${list}]}` });
    box.move(GATE_ID);
    await until(() => state()?.reportedEvents, 1);
    const { fields } = box.events.raised[0] ?? {};
    // What was cut out is 0.3 of the picture's sides.
    expect(fields).toMatchObject({ Label: "car", Left: "0,3", Width: "0,3" });
  });

  it("its own reason never shows the key", async () => {
    await start({ apiKey: "the-key" });
    server.answer = () => ({ status: 200, body: '{"success":false,"error":"api_key the-key is wrong"}' });
    box.move(GATE_ID);
    await until(() => state()?.failed, 1);
    expect(state()?.problem).toContain("could not do it: api_key … is wrong");
  });

  it("the key is not shown where the answer is cut off within it", async () => {
    await start({ apiKey: "the-key" });
    const error = `${"x".repeat(195)} the-key`;
    server.answer = () => ({ status: 200, body: JSON.stringify({ success: false, error }) });
    box.move(GATE_ID);
    await until(() => state()?.failed, 1);
    expect(state()?.problem).not.toContain("the");
  });

  it("what it finds never shows the key: not as a label, a number or a name, and not in events", async () => {
    const apiKey = 'The-Key "9"';
    await start({ apiKey, plates: true, faces: true });
    await box.setCamera(GATE_ID, { faceDetectorEnabled: true });
    server.answer = ({ fields }) => {
      const key = fields.get("api_key") ?? "";
      return [
        CAR,
        { ...CAR, label: key },
        { ...PERSON, label: `dog ${key}`, plate: `${key}AB`, userid: `Ann ${key}` },
      ];
    };
    box.move(GATE_ID);
    await until(() => state()?.answered, 1);
    await until(() => (state()?.reportedEvents ?? 0) > 0, true);
    const shown = JSON.stringify([box.events.raised, state()]).toLowerCase();
    expect(shown).not.toContain("the-key");
    expect(shown).toContain("ann …");
  });

  it("a redirect is not followed, wherever it leads", async () => {
    const other = await VisionServer.start();
    await start();
    server.answer = () => ({
      status: 307,
      body: "",
      headers: { Location: `${other.url}/v1/vision/detection` },
    });
    box.move(GATE_ID);
    await until(() => state()?.failed, 1);
    expect([state()?.problem, other.requests]).toEqual([expect.stringContaining("answered 307"), []]);
    await other.close();
  });

  it("hosts that are not of the internet get nothing where they are forbidden, by name or by address", async () => {
    for (const host of ["127.0.0.1", "localhost", "[::1]", "10.0.0.9", "169.254.169.254"]) {
      box.analyses.stop();
      box = new AnalysisBox({ reach: WEBHOOK_REACH_PUBLIC });
      await start({ url: `http://${host}:${server.port}` });
      box.move(GATE_ID);
      await until(() => state()?.failed, 1);
      expect(state()?.problem).toMatch(/is no host of the internet, and .*webhookPrivateTargets/);
      const { id = "" } = box.site.current.analysers[0] ?? {};
      const { tasks } = await box.analyses.test(id, GATE_ID);
      expect(tasks.map(({ problem }) => problem)).toEqual([expect.stringMatching(/no host of the internet/)]);
    }
    expect(server.requests).toEqual([]);
  });
});

describe("a server in trouble", () => {
  it.each([
    ["seconds", () => "20"],
    ["a date", () => new Date(box.clock.nowUs() / 1000 + 20_000).toUTCString()],
  ])("one that says in %s when to come again is left alone until then", async (_what, after) => {
    await start({ repeatSeconds: 1, perMinuteOfCameraMax: 60 });
    server.answer = () => ({ status: 429, body: "", headers: { "Retry-After": after() } });
    box.move(GATE_ID);
    await until(() => state()?.failed, 1);
    box.clock.advance(18 * SECOND);
    expect(state()?.dropped.failing).toBe(18);
    server.answer = () => [];
    box.clock.advance(3 * SECOND);
    await until(() => state()?.answered, 1);
  });

  it("one that says to come again in a year is asked after an hour", async () => {
    await start({ onMotion: false, intervalSeconds: 60, channelIds: [GATE_ID] });
    server.answer = () => ({ status: 503, body: "", headers: { "Retry-After": "31536000" } });
    box.clock.advance(1 * SECOND);
    await until(() => state()?.failed, 1);
    box.clock.advance(59 * 60 * SECOND);
    expect(server.requests).toHaveLength(1);
    server.answer = () => [];
    box.clock.advance(2 * 60 * SECOND);
    await until(() => state()?.answered, 1);
  });

  it.each([
    ["an error", { status: 500, body: "boom" }, /answered 500 to \/v1\/vision\/detection; expected 200/],
    ["garbage", { status: 200, body: "\u0000\u0001 no JSON" }, /its answer is not JSON/],
    ["too much", { status: 200, body: `"${"x".repeat(300_000)}"` }, /its answer is longer than 262144 bytes/],
    ["a redirect", { status: 302, body: "" }, /answered 302/],
    [
      "its own failure",
      { status: 200, body: '{"success": false, "error": "no module"}' },
      /could not do it: no module/,
    ],
  ])("%s is told in words, and the server is left alone for a while", async (_what, answer, problem) => {
    await start({ repeatSeconds: 1 });
    server.answer = () => answer;
    box.move(GATE_ID);
    await until(() => state()?.failed, 1);
    expect(state()).toMatchObject({
      isFailing: true,
      problem: expect.stringMatching(problem),
      reportedEvents: 0,
    });
    box.clock.advance(1 * SECOND);
    expect(state()?.dropped.failing).toBe(1);
    expect(server.requests).toHaveLength(1);
  });

  it("the second failure in a row is an event, and so is the answer after it", async () => {
    await start({ repeatSeconds: 3 });
    server.answer = () => ({ status: 503, body: "" });
    box.move(GATE_ID);
    await until(() => state()?.failed, 1);
    expect(raisedTypes()).toEqual([]);
    box.clock.advance(3 * SECOND);
    await until(() => state()?.failed, 2);
    expect(box.events.raised[0]).toMatchObject({
      typeId: EVENT_TYPES.analyserFailing.id,
      comment: expect.stringContaining("Neighbour: 127.0.0.1"),
    });
    server.answer = () => [];
    box.clock.advance(6 * SECOND);
    await until(() => state()?.answered, 1);
    expect(raisedTypes()).toEqual([EVENT_TYPES.analyserFailing.id, EVENT_TYPES.analyserWorks.id]);
  });

  it("one that hangs is given up at the timeout, and what comes meanwhile is dropped", async () => {
    await start({ repeatSeconds: 1, timeoutSeconds: 7 });
    server.answer = () => () => undefined;
    box.move(GATE_ID);
    await until(() => server.requests.length, 1);
    box.clock.advance(6 * SECOND);
    expect(state()?.dropped.busy).toBe(6);
    box.clock.advance(1 * SECOND);
    await until(() => state()?.problem, "no answer within 7 s");
    expect(server.requests).toHaveLength(1);
  });

  it("one that answers byte by byte is given up too", async () => {
    await start({ timeoutSeconds: 3 });
    server.answer = () => (response) => response.writeHead(200).write('{"success"');
    box.move(GATE_ID);
    await until(() => server.requests.length, 1);
    await vi.waitFor(() => expect(box.pictures.asked).toHaveLength(1));
    box.clock.advance(3 * SECOND);
    await until(() => state()?.problem, "no answer within 3 s");
  });

  it("no more than the rates go, of one camera and of all", async () => {
    await start({ repeatSeconds: 1, perMinuteMax: 5, perMinuteOfCameraMax: 3 }, { quietSeconds: 0 });
    server.answer = () => [];
    for (const id of [GATE_ID, YARD_ID]) box.move(id);
    await until(() => state()?.answered, 2);
    for (let second = 0; second < 20; second += 1) {
      box.clock.advance(1 * SECOND);
      const asked = () =>
        state()?.asked === state()?.answered && state()?.asked === box.pictures.asked.length;
      await until(asked, true);
    }
    expect(server.requests).toHaveLength(5);
    expect(state()?.dropped).toMatchObject({ busy: 0, rate: 37 });
  });

  it("a camera without a picture is counted, and the server is not blamed", async () => {
    await start();
    box.pictures.shownUs = undefined;
    box.move(GATE_ID);
    await until(() => state()?.dropped.noPicture, 1);
    expect(state()).toMatchObject({ asked: 0, isFailing: false });
  });

  it("a change of one analyser leaves the figures of the others", async () => {
    await start();
    box.move(GATE_ID);
    await until(() => state()?.answered, 1);
    const id = "99999999-0000-4000-8000-000000000002";
    await box.use(...box.site.current.analysers, vision({}, { id, name: "Second" }));
    expect(box.analyses.states().map(({ answered }) => answered)).toEqual([1, 0]);
  });

  it("when the service stops, a request under way is ended and leaves no timer", async () => {
    await start();
    server.answer = () => () => undefined;
    box.move(GATE_ID);
    await until(() => server.requests.length, 1);
    box.analyses.stop();
    box.motion.stop();
    await until(() => box.clock.timers, 0);
  });
});

describe("a test", () => {
  it("is ended when the service stops, and leaves no timer", async () => {
    await box.use(vision({}, { isEnabled: false }));
    box.analyses.start();
    server.answer = () => () => undefined;
    const { id = "" } = box.site.current.analysers[0] ?? {};
    const trial = box.analyses.test(id, GATE_ID);
    await until(() => server.requests.length, 1);
    box.analyses.stop();
    box.motion.stop();
    expect((await trial).tasks.map(({ findings }) => findings)).toEqual([[]]);
    expect(box.clock.timers).toBe(0);
  });

  it("shows what was sent and what came back, whether the analyser is on or not", async () => {
    await box.use(vision({ plates: true, faces: true }, { isEnabled: false }));
    server.answer = ({ path }) => (path.includes("alpr") ? { status: 404, body: "" } : [PERSON]);
    const { id = "" } = box.site.current.analysers[0] ?? {};
    const trial = await box.analyses.test(id, YARD_ID);
    expect(trial.channelId).toBe(YARD_ID);
    expect(trial.picture.width).toBe(640);
    expect(trial.tasks.map(({ task, findings, problem }) => [task, findings.length, problem])).toEqual([
      ["objects", 1, undefined],
      ["plates", 0, expect.stringContaining("answered 404 to /v1/vision/alpr")],
      ["faces", 1, undefined],
    ]);
    expect(raisedTypes()).toEqual([]);
  });

  it("is refused for Frigate, for what is not there, and beyond twelve a minute", async () => {
    const other = "99999999-0000-4000-8000-000000000002";
    await box.use(vision(), frigateAnalyser([], { id: other, name: "Frigate" }));
    const { id = "" } = box.site.current.analysers[0] ?? {};
    await expect(box.analyses.test(other, undefined)).rejects.toMatchObject({ code: "CONFLICT" });
    await expect(box.analyses.test(GATE_ID, undefined)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(box.analyses.test(id, id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    for (let count = 0; count < 12; count += 1) await box.analyses.test(id, undefined);
    await expect(box.analyses.test(id, undefined)).rejects.toMatchObject({ code: "TOO_MANY_REQUESTS" });
  });
});

describe("Frigate", () => {
  const front = { name: "front", channelId: GATE_ID, width: 640, height: 360 };
  const message = (change: object = {}, type = "new") => ({
    type,
    after: { id: "1.5-abc", camera: "front", label: "person", score: 0.8, box: [0, 0, 64, 36], ...change },
  });

  beforeEach(async () => {
    await box.use(frigateAnalyser([front], { startsRecording: true }));
    box.analyses.start();
  });

  it("each thing is reported once, and its plate when that is known", async () => {
    expect(box.feed.topics).toEqual(["frigate/events"]);
    const car = { label: "car", id: "2.5-abc" };
    box.feed.send("frigate/events", message());
    box.feed.send("frigate/events", message({}, "update"));
    await until(() => state()?.reportedEvents, 1);
    box.feed.send("frigate/events", message(car));
    await until(() => state()?.reportedEvents, 2);
    box.feed.send("frigate/events", message({ ...car, recognized_license_plate: "AB12" }, "update"));
    box.feed.send("frigate/events", message({ ...car, recognized_license_plate: "AB12" }, "end"));
    await until(() => state()?.reportedEvents, 3);
    expect(raisedTypes()).toEqual([
      EVENT_TYPES.personDetected.id,
      EVENT_TYPES.vehicleDetected.id,
      EVENT_TYPES.plateRecognized.id,
    ]);
    expect(box.events.raised[0]?.fields).toMatchObject({ Width: "0,1", Height: "0,1", Confidence: "80" });
    expect(box.events.raised[0]?.fields?.ImageBytes).toBeTypeOf("string");
    expect(box.motion.isActive(GATE_ID)).toBe(true);
  });

  it("other cameras, unsure things and nonsense tell nothing", async () => {
    box.feed.send("frigate/events", message({ camera: "back" }));
    box.feed.send("frigate/events", message({ score: 0.3 }));
    box.feed.send("frigate/events", message({ false_positive: true }));
    box.feed.send("frigate/events", "online");
    await until(() => state()?.dropped.unread, 1);
    expect([raisedTypes(), state()?.asked, state()?.answered]).toEqual([[], 4, 3]);
  });

  it("a flood is dropped beyond fifty messages a second", async () => {
    for (let count = 0; count < 500; count += 1) box.feed.send("frigate/events", message());
    await until(() => state()?.reportedEvents, 1);
    expect(state()).toMatchObject({ asked: 50, dropped: { rate: 450 } });
  });

  it("a camera without a picture is reported all the same", async () => {
    box.pictures.shownUs = undefined;
    box.feed.send("frigate/events", message());
    await until(() => state()?.reportedEvents, 1);
    expect(box.events.raised[0]?.fields?.ImageBytes).toBeUndefined();
  });

  it("why no messages come is its problem, and nothing is listened to when it is off", async () => {
    box.feed.problem = "mqtt.example refuses the connection";
    expect(state()).toMatchObject({ isFailing: true, problem: "mqtt.example refuses the connection" });
    await box.use();
    expect(box.feed.topics).toEqual([]);
  });
});
