import type { Disk } from "../../../contract/answer/index.js";
import { disksWords } from "../../words/disks.js";
import { holdingOf } from "./disks.js";

/** What is wrong with a disk and what to do, the worst first; empty for one that needs nothing. */
export function adviceOf(disk: Disk): readonly string[] {
  const { advice } = disksWords();
  const { Verdict, Volumes, TemperatureCelsius, HotFromCelsius } = disk;
  const isHot =
    TemperatureCelsius !== null && HotFromCelsius !== null && TemperatureCelsius >= HotFromCelsius;
  const left = Volumes.filter(({ State }) => State === "LeftOut");
  return [
    ...(Verdict === "failing" ? [advice.failing] : []),
    ...(Verdict === "worn" ? [advice.worn] : []),
    ...(isHot ? [advice.hot] : []),
    ...left.map(({ VolumeId }) => (VolumeId === null ? advice.foreign : advice.leftOut)),
    ...(Volumes.length === 0 && holdingOf(disk) === "raid" ? [advice.raid] : []),
  ];
}
