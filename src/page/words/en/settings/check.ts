import { counted } from "../../language.js";

export const words = {
  title: "Check the recordings",
  why: "Looks whether all recordings are there and can be read, while recording goes on.",
  check: "Check",
  deep: "Check every byte",
  repair: "Repair",
  cancel: "Stop the check",
  running: "The recordings are being checked",
  hint: "Checking every byte reads the disks from end to end: that can take a day. You may close this page meanwhile.",
  clean: (files: number) =>
    `All is well: ${counted(files, { one: "recording file", other: "recording files" })} checked.`,
  found: (problems: number) =>
    `${counted(problems, { one: "fault", other: "faults" })} found. Repair writes the list of recordings anew from the recordings themselves; it deletes none.`,
  repaired: (count: number) => `${counted(count, { one: "fault", other: "faults" })} found and repaired.`,
  cancelled: "The check was stopped.",
  failed: (reason: string) => `The check could not be made: ${reason}`,
  details: "The report in detail",
};
