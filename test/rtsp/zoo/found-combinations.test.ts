import { expect, it } from "vitest";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";
import { problemsOf } from "../../support/rtsp/zoo/expected.js";
import { HABITS } from "../../support/rtsp/zoo/habits/index.js";
import type { Visit } from "../../support/rtsp/zoo/visitor.js";
import { visitZoo } from "../../support/rtsp/zoo/zoo-world.js";

type Found = Omit<Visit, "habits"> & { readonly names: readonly string[] };

/** Each is held to what a single habit is. */
const OFF_MS_MAX = 500;
const OPEN_GROUPS = "key frames: sends recovery points of open groups and no IDR picture";
const DARK = "clock: sends two pictures a second in the dark";
const ELSEWHERE = "session: puts the parameters of its video into the section of its sound";

const COPIES = "numbering: repeats its packets by another type and source";
const OTHER_TYPE = "numbering: changes to a payload type that it does not announce after five seconds";
const TWICE = "numbering: sends the packets of each third picture twice, one after the other";
const ASKS_AND_CLOSES = "login: closes the connection after it has asked for a login";
const SWAPPED = "numbering: sends each two packets in the wrong order";

/** What runs with drawn seeds have found, and its kind. */
const FOUND: readonly (readonly [string, Found])[] = [
  [
    "sends two pictures a second in the dark, in open groups, with its parameters elsewhere",
    { names: [DARK, OPEN_GROUPS, ELSEWHERE], transport: "udp", seconds: 40, seed: 814_131 },
  ],
  [
    "sends two pictures a second in the dark, some of which wait for others",
    { names: [DARK, "packets: sends B pictures"], transport: "tcp", seconds: 40, seed: 1 },
  ],
  [
    "sends two pictures of H.265 a second in the dark, some of which wait for others",
    { names: [DARK, "H.265: sends B pictures"], transport: "udp", seconds: 40, seed: 1 },
  ],
  [
    "sends two pictures a second in the dark, by a clock that steps back 350 ms every two seconds",
    { names: [DARK, "clock: steps 350 ms back every two seconds"], transport: "udp", seconds: 60, seed: 1 },
  ],
  [
    "repeats its packets by another type and source, and sends each two in the wrong order",
    { names: [COPIES, SWAPPED], transport: "udp", seconds: 20, seed: 1 },
  ],
  [
    "gives each track a session of its own, each for two seconds",
    {
      names: [
        "session: names a time limit of two seconds",
        "transport: names another session for each track, and plays each by its own",
      ],
      ...{ transport: "udp", seconds: 40, seed: 1 },
    },
  ],
  [
    "stamps its sound at random distances, on a machine that stands still for three seconds",
    {
      names: ["sound: stamps its sound at random distances"],
      ...{ transport: "udp", seconds: 20, seed: 823_958, held: [8, 11] },
    },
  ],
  [
    "sends a picture in three seconds, by its number, in open groups",
    {
      names: [
        "clock: sends one picture in three seconds, and stamps by its number",
        "key frames: sends recovery points of open groups and no IDR picture",
        "numbering: gives all packets the same number",
      ],
      ...{ transport: "tcp", seconds: 80, seed: 509914 },
    },
  ],
  [
    "sends three pictures a second, plain I pictures among them, from a port of a group",
    {
      names: [
        "transport: sends its reports where its packets go, three pictures a second",
        "transport: names its port as that of a group",
        "key frames: sends plain I pictures, neither IDR nor recovery points",
      ],
      ...{ transport: "udp", seconds: 30, seed: 82432 },
    },
  ],
  [
    "ends a session after two seconds, and answers OPTIONS as a web server does",
    {
      names: [
        "session: names a time limit of two seconds",
        "session: answers OPTIONS as a web server does",
        "H.265: aggregates parameter sets and SEI",
      ],
      ...{ transport: "tcp", seconds: 30, seed: 959666 },
    },
  ],
  [
    "plays by the address of a track alone, with sound",
    {
      names: [
        "sound: stamps its sound with the clock of its pictures",
        "session: plays by the address of a track alone",
      ],
      ...{ transport: "tcp", seconds: 20, seed: 652839 },
    },
  ],
  [
    "sets the start bit at each fragment, each with a time of its own",
    {
      names: [
        "clock: stamps each packet of a picture anew",
        "packets: sets the start bit at each fragment of H.265",
      ],
      ...{ transport: "tcp", seconds: 20, seed: 767551 },
    },
  ],
  [
    "sends a picture of JPEG in twelve seconds, with markers at each packet",
    {
      names: [
        "clock: sends one picture in twelve seconds",
        "packets: sends JPEG, and sets the marker on each packet",
      ],
      ...{ transport: "udp", seconds: 100, seed: 653144 },
    },
  ],
  [
    "ends a session after fifteen seconds, and ignores OPTIONS",
    {
      names: [
        "transport: writes blanks around its session's name and limit",
        "session: ignores OPTIONS",
        "clock: stamps 25 pictures a second and delivers 21",
      ],
      ...{ transport: "tcp", seconds: 60, seed: 217465 },
    },
  ],
  [
    "sets the start bit and the marker at each fragment",
    {
      names: [
        "packets: sets the start bit at each fragment of H.265",
        "numbering: sets the marker on each packet",
      ],
      ...{ transport: "tcp", seconds: 20, seed: 973009 },
    },
  ],
  [
    "names no port for reports, and wants some",
    {
      names: [
        "session: closes after five seconds without a receiver report",
        "transport: names its port as that of a group",
      ],
      ...{ transport: "udp", seconds: 40, seed: 816380 },
    },
  ],
  [
    "stamps 0, and sets no start bits",
    {
      names: [
        "clock: leaves its timestamps at 0",
        "session: writes rtsp:// twice in its Content-Base",
        "packets: never sets the start bit of a fragmented unit",
      ],
      ...{ transport: "tcp", seconds: 20, seed: 317170 },
    },
  ],
  [
    "says goodbye, and sends a picture in three seconds",
    {
      names: [
        "numbering: says goodbye at each new SSRC, for the old one and for others",
        "clock: sends one picture in three seconds, and stamps by its number",
      ],
      ...{ transport: "tcp", seconds: 80, seed: 961120 },
    },
  ],
  [
    "gives three pictures one time and no marker, and sets no start bits",
    {
      names: [
        "clock: gives three pictures in turn the same timestamp, and no marker",
        "transport: answers with the ports 0 and 1",
        "packets: never sets the start bit of a fragmented unit of H.265",
      ],
      ...{ transport: "udp", seconds: 20, seed: 316968 },
    },
  ],
  [
    "names the control of the whole behind that of a track",
    {
      names: [
        "session: names two controls of a track, the first of the whole",
        "session: has control and parameters before the lines that they are of",
        "sound: sends AAC as LATM",
      ],
      ...{ transport: "tcp", seconds: 20, seed: 669373 },
    },
  ],
  [
    "sets the end bit at each fragment, each with a time of its own",
    {
      names: [
        "packets: sets the end bit at each fragment",
        "clock: reports RTP timestamps that have nothing to do with its packets",
        "clock: stamps each packet of a picture anew",
      ],
      ...{ transport: "udp", seconds: 20, seed: 802320 },
    },
  ],
  [
    "plays by the address of a track, and names none of the whole",
    {
      names: [
        "session: plays by the address of a track alone",
        "clock: runs twice as fast for three seconds of nine",
        "session: names no control of the whole",
      ],
      ...{ transport: "udp", seconds: 60, seed: 285694 },
    },
  ],
  [
    "gives two pictures one time, and sets no start bits",
    {
      names: [
        "clock: gives two pictures in turn the same timestamp",
        "transport: answers SETUP without a Transport header",
        "packets: never sets the start bit of a fragmented unit",
      ],
      ...{ transport: "tcp", seconds: 20, seed: 976197 },
    },
  ],
  [
    "begins its clock anew, and reorders its pictures",
    {
      names: [
        "session: writes its headers in lower case",
        "H.265: sends temporal layers",
        "numbering: begins source, sequence and timestamps anew every seven seconds",
      ],
      ...{ transport: "udp", seconds: 40, seed: 799822 },
    },
  ],
  [
    "stamps 0 for a second, and sets neither bit of fragments",
    {
      names: [
        "clock: stamps its first second 0, and then by its clock",
        "sound: sends AAC as LATM",
        "packets: sets neither start nor end bit of a fragmented unit",
      ],
      ...{ transport: "tcp", seconds: 20, seed: 798048 },
    },
  ],
  [
    "aggregates units without bytes, and stamps each slice anew",
    {
      names: [
        "packets: aggregates units without bytes",
        "sound: describes its sound before its pictures",
        "clock: stamps each slice of a picture anew",
      ],
      ...{ transport: "tcp", seconds: 20, seed: 835482 },
    },
  ],
  [
    "sets markers now and then, and neither bit of fragments",
    {
      names: [
        "numbering: sets the marker now and then",
        "packets: sets neither start nor end bit of a fragmented unit",
      ],
      ...{ transport: "tcp", seconds: 20, seed: 12586 },
    },
  ],
  [
    "sets no marker, and neither bit of fragments",
    {
      names: [
        "packets: sets neither start nor end bit of a fragmented unit",
        "numbering: never sets the marker",
        "clock: reports a time that goes back by a minute each time",
      ],
      ...{ transport: "tcp", seconds: 30, seed: 672594 },
    },
  ],
  [
    "describes itself without any header, its lines in another order",
    {
      names: [
        "session: describes itself without type, base and length",
        "session: has its lines in another order",
      ],
      ...{ transport: "udp", seconds: 20, seed: 920475 },
    },
  ],
  [
    "sends a picture in twelve seconds, and no end bits",
    {
      names: [
        "clock: sends one picture in twelve seconds",
        "packets: never sets the end bit of a fragmented unit",
        "numbering: changes to SSRC 0 after five seconds",
      ],
      ...{ transport: "tcp", seconds: 100, seed: 714012 },
    },
  ],
  [
    "sends slices of further views, each packet with a time of its own",
    {
      names: [
        "clock: stamps each packet of a picture anew",
        "packets: sends units of the scalable and the multi-view extension",
      ],
      ...{ transport: "tcp", seconds: 20, seed: 730530 },
    },
  ],
  [
    "gives its video a negative port, and calls it inactive",
    {
      names: [
        "session: gives its video a negative port and garbage for an address",
        "clock: reports the year 1970",
        "session: calls its video inactive",
      ],
      ...{ transport: "tcp", seconds: 20, seed: 995328 },
    },
  ],
  [
    "changes its payload type soon after its clock was wrong",
    {
      names: [
        OTHER_TYPE,
        "clock: stamps its first second 0, and then by its clock",
        "session: writes rtsp:// twice in its Content-Base",
      ],
      ...{ transport: "tcp", seconds: 20, seed: 389923 },
    },
  ],
  [
    "changes its payload type, with timestamps of no use",
    {
      names: ["clock: stamps MPEG-4 at random", OTHER_TYPE],
      ...{ transport: "tcp", seconds: 20, seed: 653041 },
    },
  ],
  [
    "changes its payload type, each packet of another source",
    {
      names: [OTHER_TYPE, "numbering: takes a new SSRC with each packet of JPEG"],
      ...{ transport: "tcp", seconds: 20, seed: 735944 },
    },
  ],
  [
    "announces H.265, and sends H.264 with all parameters in the fragments of a key frame",
    {
      names: [
        "packets: announces H.265, and sends H.264",
        "packets: sends parameter sets and key frame as one unit with start codes in it",
      ],
      ...{ transport: "udp", seconds: 20, seed: 996058 },
    },
  ],
  [
    "repeats its packets, whose numbers have their bytes swapped",
    {
      names: [TWICE, "numbering: swaps the bytes of its sequence"],
      transport: "tcp",
      seconds: 20,
      seed: 885197,
    },
  ],
  [
    "sends each two packets in the wrong order, also where its numbers begin anew",
    {
      names: [
        SWAPPED,
        "numbering: jumps to another number with each tenth picture, over the end of the numbers",
      ],
      ...{ transport: "udp", seconds: 20, seed: 683723 },
    },
  ],
  [
    "repeats its packets, each of another source",
    {
      names: ["numbering: takes a new SSRC with each packet", TWICE],
      transport: "udp",
      seconds: 20,
      seed: 3,
    },
  ],
  [
    "sends JPEG without headers, and sets the marker at the wrong packet of some pictures",
    {
      names: [
        SWAPPED,
        "numbering: sets the marker one packet too early",
        "packets: sends whole pictures of JPEG without any header, the marker on each packet",
      ],
      ...{ transport: "udp", seconds: 20, seed: 1 },
    },
  ],
  [
    "sends plain I pictures, by a clock that begins anew with each group",
    {
      names: [
        "key frames: sends plain I pictures, neither IDR nor recovery points",
        "clock: begins its clock anew with each group",
      ],
      ...{ transport: "tcp", seconds: 40, seed: 950_004 },
    },
  ],
  [
    "sets neither bit of fragments, has timestamps that stand still, and sends packets without bytes",
    {
      names: [
        "packets: sets neither start nor end bit of a fragmented unit",
        "clock: lets its timestamps stand still for ten seconds",
        "numbering: sends packets without bytes between its pictures",
      ],
      ...{ transport: "udp", seconds: 30, seed: 39 },
    },
  ],
  [
    "lists a video that it does not have before its own, and gives neither a control",
    {
      names: [
        "session: lists a video that it does not have before the one that it has",
        "session: gives no track a control",
      ],
      ...{ transport: "tcp", seconds: 20, seed: 810922 },
    },
  ],
  [
    "closes each connection when it asks for a login, and redirects",
    {
      names: [ASKS_AND_CLOSES, "session: redirects OPTIONS and DESCRIBE"],
      ...{ transport: "tcp", seconds: 20, seed: 1 },
    },
  ],
  [
    "closes each connection when it asks for a login, and redirects to another path",
    {
      names: [ASKS_AND_CLOSES, "session: redirects DESCRIBE to a path alone"],
      ...{ transport: "udp", seconds: 20, seed: 1 },
    },
  ],
  [
    "sends a stream of bytes cut anywhere, with a marker on each packet",
    {
      names: [
        "numbering: sets the marker on each packet",
        "H.265: sends H.265 as a stream of bytes that its packets cut anywhere",
      ],
      ...{ transport: "udp", seconds: 20, seed: 1 },
    },
  ],
  [
    "hangs up at OPTIONS, by a clock that runs ten times as fast",
    {
      names: ["clock: runs ten times as fast", "session: hangs up at OPTIONS"],
      ...{ transport: "tcp", seconds: 40, seed: 1 },
    },
  ],
  [
    "says goodbye and goes on, a picture a second by night, stamped by number",
    {
      names: [
        "numbering: says goodbye every three seconds, and goes on",
        "clock: takes 25 pictures a second by day and one by night, and stamps by their number",
        "key frames: sends plain I pictures, neither IDR nor recovery points",
      ],
      ...{ transport: "tcp", seconds: 60, seed: 1 },
    },
  ],
  [
    "sets the bit of a header extension and has none, and sends another codec than it announces",
    {
      names: [
        "numbering: sets the bit of a header extension and has none",
        "H.265: announces MPEG-4, and sends H.265 by its type",
      ],
      ...{ transport: "udp", seconds: 20, seed: 1 },
    },
  ],
  [
    "counts sources and lists none, and sends H.265 in fragments without end bits",
    {
      names: [
        "numbering: counts three contributing sources and lists none",
        "H.265: never sets the end bit of a fragmented unit",
      ],
      ...{ transport: "tcp", seconds: 20, seed: 7 },
    },
  ],
  [
    "counts sources and lists none, and sends H.265 in units of one fragment",
    {
      names: [
        "numbering: counts three contributing sources and lists none",
        "H.265: sets start and end of a fragmented unit in one packet",
      ],
      ...{ transport: "udp", seconds: 20, seed: 9 },
    },
  ],
];

it.each(FOUND)("a camera that %s is recorded, at its times", async (_does, { names, ...visit }) => {
  const habits = names.map(
    (wanted) => HABITS.find(({ kind, name }) => `${kind}: ${name}` === wanted) ?? expect.unreachable(wanted),
  );
  const [outcome] = await visitZoo(await temporaryDirectory(), [{ ...visit, habits }]);
  if (outcome === undefined) throw new Error("it was not visited");
  expect(problemsOf(outcome, habits)).toEqual([]);
  expect(outcome.offMs).toBeLessThan(OFF_MS_MAX);
});
