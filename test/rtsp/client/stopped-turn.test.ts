import { expect, it, onTestFinished } from "vitest";
import type { LoginGate, LoginTurn } from "../../../src/rtsp/client/login-gate.js";
import { cameraAnswers, ScriptedRtspServer } from "../../support/rtsp/scripted-rtsp-server.js";
import { makeSource } from "../../support/rtsp/source-harness.js";

/** A gate that gives its turn when the test says so, however long who asked has gone. */
class LateGate implements LoginGate {
  readonly ended: string[] = [];
  give: () => void = () => undefined;
  asked = false;

  turn(): Promise<LoginTurn> {
    this.asked = true;
    const note = (what: string) => () => void this.ended.push(what);
    const turn: LoginTurn = { accepted: note("accepted"), refused: note("refused"), ended: note("ended") };
    return new Promise((resolve) => {
      this.give = () => resolve(turn);
    });
  }
}

it("a source that was stopped as its turn came gives it back, and asks the camera for nothing", async () => {
  const server = await new ScriptedRtspServer(cameraAnswers()).start(0);
  onTestFinished(() => server.stop());
  const loginGate = new LateGate();
  const credentials = { user: "viewer", password: "secret" };
  const harness = makeSource({ url: server.url, credentials, loginGate });
  harness.source.start();
  await harness.until(() => loginGate.asked);
  const stopped = harness.source.stop();
  loginGate.give();
  await stopped;
  expect(loginGate.ended).toEqual(["ended"]);
  expect(server.methods()).toEqual([]);
});
