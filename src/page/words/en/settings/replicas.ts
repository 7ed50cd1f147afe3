import { counted } from "../../language.js";

export const words = {
  sent: "Recordings at partners",
  sentWhy:
    "What is recorded of a camera can also lie at a partner, and is played from there when a disk here fails.",
  nowhere: "On this recorder alone",
  unknown: "A recorder that is no partner",
  state: (name: string, count: number, size: string) =>
    `${name} has ${counted(count, { one: "piece", other: "pieces" })}, ${size}.`,
  waiting: (size: string) => `${size} wait.`,
  saved: (camera: string) => `Saved: ${camera}.`,
  kept: "Recordings of other recorders",
  keptWhy:
    "A partner may use a share of a disk here. The oldest of its recordings go when the share is used up. Recordings of this recorder make way for it.",
  share: (name: string) => `GB for ${name}`,
  used: (size: string) => `${size} used.`,
  noPartner: "It is no partner any more.",
  save: "Save",
  given: "The share counts from now on.",
  wrong: "Enter whole gigabytes, or 0.",
  remove: "Delete all of it",
  removeSure: "Really delete? Its recordings here are gone then",
  removed: "All of it is deleted.",
};
