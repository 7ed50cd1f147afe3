import type { Habit } from "../habit.js";
import { CLOCK } from "./clock.js";
import { H265 } from "./h265.js";
import { KEY_FRAMES } from "./key-frames.js";
import { NUMBERING } from "./numbering.js";
import { PACKETS } from "./packets.js";
import { SESSION } from "./session.js";
import { SOUND } from "./sound.js";

/** All habits of the zoo. */
export const HABITS: readonly Habit[] = [
  ...NUMBERING,
  ...CLOCK,
  ...KEY_FRAMES,
  ...PACKETS,
  ...H265,
  ...SOUND,
  ...SESSION,
];
