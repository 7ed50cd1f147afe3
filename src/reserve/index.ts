/**
 * reserve: recorders of one LAN that stand in for each other: the reserve has the owner's cameras, and records them while the owner is
 * silent.
 *
 * Belongs here: when a reserve takes over and gives back, what it keeps of another recorder's cameras, what an owner sends and says, and
 * how what the reserve recorded comes back.
 * Does not belong here: who partners are and how they reach each other (`fleet`), recording (`recording`), filling gaps (`camera/filling`).
 */
export type { ReserveForecast } from "./forecast.js";
export { OwnerSide, type OwnerSideOptions, type ReserveState } from "./owner-side.js";
export { RecordingsGiver, type RecordingsGiverOptions } from "./recordings-giver.js";
export { ReserveCards, type ReserveCardsOptions } from "./reserve-cards.js";
export {
  type OwnerState,
  type OwnMeans,
  RESERVED_MAX,
  ReserveSide,
  type ReserveSideOptions,
  type ShownSite,
  showWithoutTaken,
} from "./reserve-side.js";
