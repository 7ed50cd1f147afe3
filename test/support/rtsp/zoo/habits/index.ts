import type { Habit } from "../habit.js";
import { ANSWERS } from "./answers.js";
import { CLOCK } from "./clock.js";
import { CLOCK_CHANGES } from "./clock-changes.js";
import { CODINGS } from "./codings.js";
import { CONTRADICTIONS } from "./contradictions.js";
import { COUNTING } from "./counting.js";
import { DESCRIPTION } from "./description.js";
import { DIALOGUE } from "./dialogue.js";
import { FRAGMENTS } from "./fragments.js";
import { H265 } from "./h265.js";
import { IN_VAIN } from "./in-vain.js";
import { KEY_FRAMES } from "./key-frames.js";
import { LOGIN } from "./login.js";
import { MISNAMED } from "./misnamed.js";
import { NUMBERING } from "./numbering.js";
import { ODD_DIALOGUES } from "./odd-dialogues.js";
import { ODD_PACKETS } from "./odd-packets.js";
import { PACKETS } from "./packets.js";
import { RESTARTS } from "./restarts.js";
import { SESSION } from "./session.js";
import { SOUND } from "./sound.js";
import { SPELLINGS } from "./spellings.js";
import { TRACKS } from "./tracks.js";
import { TRANSPORT } from "./transport.js";
import { UNCOUNTED } from "./uncounted.js";
import { WRAPPINGS } from "./wrappings.js";

/** All habits of the zoo. */
export const HABITS: readonly Habit[] = [
  ...NUMBERING,
  ...RESTARTS,
  ...COUNTING,
  ...IN_VAIN,
  ...CLOCK,
  ...CLOCK_CHANGES,
  ...UNCOUNTED,
  ...KEY_FRAMES,
  ...PACKETS,
  ...FRAGMENTS,
  ...CODINGS,
  ...MISNAMED,
  ...H265,
  ...SOUND,
  ...WRAPPINGS,
  ...TRANSPORT,
  ...TRACKS,
  ...LOGIN,
  ...SESSION,
  ...DESCRIPTION,
  ...DIALOGUE,
  ...CONTRADICTIONS,
  ...ANSWERS,
  ...SPELLINGS,
  ...ODD_PACKETS,
  ...ODD_DIALOGUES,
];
