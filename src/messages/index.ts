/**
 * The messages that the page and other programs exchange with the service.
 *
 * Belongs here: types of the live socket, the timeline, the session. No code, and no import of another room: the page is
 * compiled with them too, for a browser.
 *
 * Does not belong here: the reference's objects (the topics of `api` describe them), and anything with behaviour.
 */

export type {
  ChangeMessage,
  ClientMessage,
  HelloMessage,
  LeaveMessage,
  PauseMessage,
  PlayMessage,
  PlaySpeed,
  ProblemReason,
  SeekMessage,
  ServerMessage,
  SpeedMessage,
  StepMessage,
  StreamMessage,
  Tile,
  WatchMessage,
} from "./live-socket.js";
export type { HealthAnswer, HistoryAnswer, HistoryFigureName, LogAnswer } from "./system.js";
