import { counted } from "../../language.js";

const DAYS = { one: "day", other: "days" };

export const words = {
  title: "How far back the recordings reach",
  cameras: "Cameras",
  used: (used: string, allowed: string) => `${used} of ${allowed} are used.`,
  allADay: (bytes: string) => `All cameras together record ${bytes} a day.`,
  isFull: "The disks are full: the oldest recordings make room for new ones by themselves.",
  fullOn: (day: string) =>
    `The disks are full about ${day}. Then the oldest recordings make room by themselves.`,
  noCameras: "There is no camera yet.",
  none: "–",
  aDay: (bytes: string) => `${bytes} a day`,
  forecast: (days: string) => `will reach back about ${days}`,
  older: (day: string) => `There are older pieces too, from ${day} on: protected ones, or on another disk.`,
  reasons: {
    began: (day: string) => `Recording began on ${day}. Nothing has been deleted.`,
    age: (days: number) =>
      `Older recordings are deleted after ${counted(days, DAYS)}, as this camera is set.`,
    space: "Older recordings made room for new ones. Another disk, or a lower picture quality, keeps more.",
    minimum: (days: number) =>
      `Kept for the ${counted(days, DAYS)} that are set at least; older recordings made room.`,
    minimumUnmet: (days: number) =>
      `${counted(days, DAYS)} are set at least, but the disks are too small for that. Add a disk, or lower the picture quality.`,
    nothing: "Nothing is recorded yet. Is the camera there, and is its recording on?",
  },
};
