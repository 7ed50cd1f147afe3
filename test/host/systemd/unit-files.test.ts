import { spawnSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { notHere } from "../../support/base/not-here.js";
import { REPOSITORY_ROOT } from "../../support/base/repository.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";

const FOLDER = `${REPOSITORY_ROOT}/systemd`;
/** What each unit may score at most: lower is better. */
const SCORES_MAX = {
  "nvrd.service": 1.5,
  "nvrd-clock.service": 0.6,
  "nvrd-disks.service": 2.1,
  "nvrd-disk-keeper@.service": 1.6,
  "nvrd-network-keeper@.service": 2.4,
  "nvrd-network-back.service": 1.6,
};
const hasAnalyze = spawnSync("systemd-analyze", ["--version"]).status === 0;
const missing = hasAnalyze ? undefined : "systemd is not installed";

describe.skipIf(missing !== undefined)(`the units${notHere(missing)}`, () => {
  it.each(Object.entries(SCORES_MAX))("%s is exposed by %d at most", async (unit, scoreMax) => {
    // In a folder of its own: what lies beside would be read as well.
    const folder = await temporaryDirectory();
    copyFileSync(`${FOLDER}/${unit}`, `${folder}/${unit}`);
    const args = ["security", "--offline=true", "--no-pager", `${folder}/${unit}`];
    const done = spawnSync("systemd-analyze", args, { encoding: "utf8" });
    const score = /Overall exposure level for \S+: ([\d.]+)/.exec(done.stdout)?.[1];
    expect(Number(score), done.stderr).toBeLessThanOrEqual(scoreMax);
  });
});

describe("the units", () => {
  it("that a package has are those that its scripts enable or stop", () => {
    // Instances of a template end by themselves.
    const units = readdirSync(FOLDER).filter((name) => /^[^@]+\.(service|socket|timer)$/.test(name));
    const stopped = readFileSync(`${REPOSITORY_ROOT}/packaging/debian/prerm`, "utf8");
    for (const unit of units) expect(stopped).toContain(unit);
  });

  it("leave the processor's description readable to the recorder: the library of its detector ends without it", () => {
    const unit = readFileSync(`${FOLDER}/nvrd.service`, "utf8");
    expect(unit).not.toMatch(/^ProcSubset=/m);
    expect(unit).not.toMatch(/^InaccessiblePaths=.*\/proc/m);
  });

  it("know a setting of newer versions only in the drop-in of the suite that has it", () => {
    expect(readFileSync(`${FOLDER}/nvrd.service`, "utf8")).not.toMatch(/^RestartSteps=/m);
    const dropIn = `${FOLDER}/trixie/nvrd.service.d/restart-steps.conf`;
    expect(readFileSync(dropIn, "utf8")).toMatch(/^RestartSteps=\d+\nRestartMaxDelaySec=/m);
  });
});
