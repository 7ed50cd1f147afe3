import { PROBLEMS, type ProblemCode } from "../../health/index.js";

/* The problems of the health report, for its description. */

/** The conditions of the problems; severity and action are defined with the codes. */
const PROBLEM_TIMES: Readonly<Record<ProblemCode, string>> = {
  "camera-lost": "a camera that must be recorded, or is watched, sends nothing for 15 s",
  "camera-not-recorded":
    "a camera sends and must be recorded, and for 15 s none of its frames is written to a disk",
  "camera-waiting": "a camera sends, and for some seconds no key frame has come",
  "camera-losing": "within the last minute something that came from a camera could not be recorded",
  "camera-incomplete":
    "a camera announces or offers something that is not recorded, such as sound of an unknown kind",
  "cameras-same-name": "two or more cameras have one name",
  "cameras-same-device": "two or more cameras are one input of one device, by its identity or its address",
  "volume-lost": "a volume in the settings is not usable",
  "volume-unread": "recordings of a volume could not be read into the index: answers lack them",
  "volume-too-small":
    "what is to stay free of a volume's disk (`reserveBytes`) leaves less than 32 MB for recordings: each is deleted as soon as it is written",
  "volume-crowded":
    "files that are no recordings take at least as much of a volume's disk as they leave for recordings, and that is less than 32 MB, or less than a day of recording",
  "protection-unknown":
    "the list of protected times cannot be read, in the data directory and on a volume, or that of the recordings that were given to cameras: retention deletes nothing there",
  "no-volume": "no volume in the settings is usable",
  "frames-dropped": "`ErrorFrameSaving` of [/hddstatus](#get-hddstatus)",
  "frames-thinned": "`ErrorFramesShrinked` of [/hddstatus](#get-hddstatus)",
  "index-failing": "the index cannot be opened or written",
  "event-log-failing": "the event log cannot be written",
  "events-lost": "events were dropped since the start, because the log could not be written",
  "findings-failing":
    "what was seen could not be written last, to a volume or to the index on the system disk; it waits in memory, at most 20000 findings",
  "findings-lost":
    "findings were not kept since the start: more than 64 of a camera or 4096 in all lasted at a time, more than 20000 waited for a volume, or a camera had more than 20000 in a day",
  "disk-failing": "a disk's verdict is `failing`; the text is the disk's summary",
  "disk-worn": "a disk's verdict is `worn`",
  "disks-unknown": "the health of the disks cannot be read",
  "disk-overworked": "more is written to a volume in a year than its `workloadTbPerYear`",
  "system-disk-full": "less than 3 % of the data directory's disk is free",
  "volume-files-low":
    "a volume's file system has few inodes left while more than 5 % of its bytes are free: retention removes recordings for want of inodes",
  "system-disk-files-low":
    "the data directory's disk has inodes for fewer than 1000 files, or 3 % of what it can hold",
  "clock-unknown": "the clock is not known to be set",
  "memory-low":
    "less than 5 % of the memory, or 64 MB, is available; or less than 5 % of what the service's control group allows",
  "memory-small": "there is less memory than the minimum for all parts of the service",
  "memory-short": "in the last minute there was not enough memory for pictures, the pre-roll or live HLS",
  "frame-memory-low":
    "more than 90 % of the memory for frames is in use, or frames were dropped because of it in the last minute",
  "too-hot": "a thermal zone is within 5 °C of its critical point; without one, at 85 °C",
  "event-loop-late": "in one of the last five minutes, one in a hundred checks was more than 500 ms late",
  "motion-slow":
    "motion is looked for half as often as wanted, or less: the detectors took more than half of the codec's threads",
  "alarm-failing": "the last attempt to reach an alarm target failed",
  "away-failing": "for an hour, recordings have not gone to an away target that is on",
  "bucket-failing": "the bucket that is the archive (`bucketEndpoint`) could not be listed or read last",
  "hub-lost": "for five minutes, the recorder has not been connected to the hub that it belongs to",
  "partner-lost":
    "for five minutes, a [partner](../guide/fleet.md#two-recorders-that-stand-by-each-other) has not been heard",
  "recorded-for-partner": "a partner is silent, and its cameras are recorded here",
  "replicas-not-kept":
    "another recorder has a [share of a disk](../guide/fleet.md#keep-recordings-at-a-partner), and the disk or the port for it is not there",
  "reserve-refuses": "a partner does not keep the cameras that it is to stand in for",
  "mqtt-lost": "the MQTT broker cannot be used",
  "port-shut":
    "HTTP, HTTPS or RTSP does not listen: another program has the port, it is privileged, or the certificate cannot be used",
  "certificate-not-used":
    "the files of the certificate have changed and cannot be used: HTTPS keeps the one it has",
  "certificate-not-renewed":
    "less than a quarter of the certificate's lifetime is left and its [authority](#put-apisystemcertificateacme) gave none, or three tries for the first one failed",
  "ends-unclean":
    "of the runs that ended in the last 24 hours three or more crashed, failed or were killed; power failures do not count",
};

/** A table of the problems, in Markdown. */
export const PROBLEM_ROWS = Object.entries(PROBLEMS).map(
  ([code, [severity, action]]) =>
    `| \`${code}\` | ${severity} | ${PROBLEM_TIMES[code as ProblemCode]} | ${action} |`,
);
