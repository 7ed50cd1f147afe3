import type { Habit } from "../habit.js";
import { CLOCK } from "./clock.js";
import { DESCRIPTION } from "./description.js";
import { DIALOGUE } from "./dialogue.js";
import { H265 } from "./h265.js";
import { KEY_FRAMES } from "./key-frames.js";
import { LOGIN } from "./login.js";
import { NUMBERING } from "./numbering.js";
import { PACKETS } from "./packets.js";
import { SESSION } from "./session.js";
import { SOUND } from "./sound.js";
import { TRANSPORT } from "./transport.js";

/** All habits of the zoo. */
export const HABITS: readonly Habit[] = [
  ...NUMBERING,
  ...CLOCK,
  ...KEY_FRAMES,
  ...PACKETS,
  ...H265,
  ...SOUND,
  ...TRANSPORT,
  ...LOGIN,
  ...SESSION,
  ...DESCRIPTION,
  ...DIALOGUE,
];
