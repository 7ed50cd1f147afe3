import {
  asText,
  choice,
  flag,
  group,
  id,
  integer,
  listOf,
  meaning,
  nullable,
  number,
  text,
  type ValueOf,
} from "../kinds/kinds.js";
import { WEEK_DAYS } from "../kinds/week.js";
import { HUB_CEILINGS, TEMPLATE_PARTS } from "../resource/fleet.js";

/** A box's hub, a hub's boxes, and partners: `/api/hub`, `/api/boxes`, `/api/fleet/partners`. */

export const HUB_PROBLEMS = ["Unreachable", "Foreign", "Refused", "Silent", "Ended", "Thread"] as const;

/** The hub that a recorder belongs to. */
export const hubState = group({
  Hub: meaning("Where it is.", text),
  JoinedTime: text,
  Ceiling: asText(choice(...HUB_CEILINGS)),
  MayUpdate: flag,
  KilobitsPerSecondMax: nullable(number),
  Hours: listOf(
    group({
      Day: asText(choice(...WEEK_DAYS)),
      FromMinute: number,
      ToMinute: number,
      KilobitsPerSecondMax: nullable(number),
    }),
  ),
  Storage: meaning(
    "What the hub may read of the recordings that this recorder has sent to off-site storage, and shows while it is not connected; null: nothing.",
    nullable(
      group({
        Target: id,
        AccessKeyId: text,
        WithPrivateKey: meaning("Whether it can read what is encrypted there.", flag),
      }),
    ),
  ),
  IsConnected: flag,
  SinceTime: meaning("Since when it is connected, or is not.", text),
  Problem: meaning(
    "Why it is not connected. `Unreachable`: nothing answers there; `Foreign`: what answers is not the hub; `Refused`: the hub does not take this recorder, because it was removed there or its certificate has ended; `Silent`: the hub answered no more; `Ended`: the connection has ended; `Thread`: the system has no thread or memory for it.",
    nullable(asText(choice(...HUB_PROBLEMS))),
  ),
  Detail: meaning("The error, in words of the system.", nullable(text)),
  Hubs: meaning(
    "The hubs that it connects to: the one of the code, and another one where several hubs share their recorders.",
    listOf(group({ Hub: meaning("Where it is.", text), IsConnected: flag })),
  ),
});
export type HubState = ValueOf<typeof hubState>;

export const BOX_SILENCES = ["Never", "Started", "Ended", "Silent", "Closed"] as const;

/** How a recorder of a hub does. */
const boxFigures = group({
  Cameras: meaning("Cameras that are switched on.", integer),
  CamerasLost: meaning("Those of them that do not answer.", integer),
  Volumes: meaning("Disks for recordings.", integer),
  VolumesAtFault: meaning("Those of them that cannot be used, or fail.", integer),
  DaysLeft: meaning(
    "Days until the oldest recordings are deleted for want of room; null while that is not known.",
    nullable(number),
  ),
  ProblemCount: meaning("How many problems there are.", integer),
  Problems: meaning(
    "The worst of them, errors first.",
    listOf(
      group({
        Code: meaning("As in [`/api/health`](#get-apihealth).", text),
        Severity: choice("error", "warning"),
        Text: meaning("What is wrong, and with what; in English.", text),
        Title: meaning("What is wrong, for the owner; `Text` where the hub does not know the code.", text),
        Remedy: meaning("What the owner can do; null where the hub does not know the code.", nullable(text)),
      }),
    ),
  ),
});
export type HubBoxFigures = ValueOf<typeof boxFigures>;

/** A recorder of a hub. */
const box = group({
  Id: id,
  Name: text,
  Version: nullable(text),
  Health: meaning("In a sentence, in English.", nullable(text)),
  Figures: meaning(
    "What stands behind it; null: not known yet, or the recorder is of an older version. As it was when the recorder was heard of last.",
    nullable(boxFigures),
  ),
  AddedTime: text,
  SeenTime: meaning("When the hub heard of it last; null: never.", nullable(text)),
  IsConnected: flag,
  Position: meaning(
    "Where it is: as [`PUT /api/boxes/{id}`](#put-apiboxesid) has it, else in the middle of its cameras that are on the map; null: nobody has said.",
    nullable(
      group({
        Latitude: number,
        Longitude: number,
        IsSet: meaning("It was said of the recorder, and is not that of its cameras.", flag),
      }),
    ),
  ),
  IsReadOffSite: meaning(
    "Whether its recordings are read from its off-site storage while it is silent.",
    flag,
  ),
  Silence: meaning(
    "Why it is not connected. `Never`: it has not come yet; `Started`: it has not come since the hub has started; `Ended`: its connection has ended, by the recorder or on the way; `Silent`: it answered no more; `Closed`: by the hub.",
    nullable(asText(choice(...BOX_SILENCES))),
  ),
});
export type HubBox = ValueOf<typeof box>;

export const hubBoxes = group({
  Boxes: listOf(box),
  Problem: meaning("Why recorders cannot connect; null: they can.", nullable(text)),
});
export type HubBoxes = ValueOf<typeof hubBoxes>;

/** A camera of a hub's recorders that is on the map. */
const placedCamera = group({
  Id: id,
  Name: text,
  Recorder: meaning("`Id` of its recorder.", id),
  Latitude: number,
  Longitude: number,
  Azimuth: meaning("Where it looks, in degrees clockwise from north.", number),
});
export const hubMap = group({ Cameras: listOf(placedCamera) });
export type HubMap = ValueOf<typeof hubMap>;

export const ROLLOUT_PHASES = ["Ready", "Running", "Stopped", "Done"] as const;
export const ROLLOUT_STEPS = [
  ...(["Waiting", "Sending", "Installing", "Watched", "Done", "Skipped", "Failed"] as const),
] as const;

/** An update that a hub rolls out to its recorders. */
export const hubRollout = group({
  Phase: meaning(
    "`Ready`: the bundle is here, and nothing was begun; `Running`; `Stopped`: a recorder has failed, or somebody has stopped it, and no other is begun; `Done`: each group has had its turn.",
    asText(choice(...ROLLOUT_PHASES)),
  ),
  Reason: meaning("Why it has stopped; null: it has not.", nullable(text)),
  Bytes: meaning("Of the bundle.", integer),
  Sha256: meaning("Of the bundle, hexadecimal.", text),
  Version: meaning("The bundle's, as the first recorder says; null: none has yet.", nullable(text)),
  WatchMinutes: nullable(integer),
  StartedTime: nullable(text),
  By: meaning("In whose name; null: nothing was begun.", nullable(text)),
  Groups: listOf(
    group({
      Recorders: listOf(
        group({
          Id: id,
          Name: text,
          Step: meaning(
            "`Waiting`: its group's turn has not come; `Sending`: the bundle is on its way; `Installing`: it installs it, restarts, and tries it; `Watched`: it has kept it, and is looked at for `WatchMinutes`; `Done`; `Skipped`: nothing was tried, because it was not there, has the version, has no slots, or its owner does not let the hub; `Failed`.",
            asText(choice(...ROLLOUT_STEPS)),
          ),
          Percent: meaning("Of the bundle that has left; null: nothing is on its way.", nullable(integer)),
          Reason: nullable(text),
          SinceTime: text,
        }),
      ),
    }),
  ),
});
export type HubRollout = ValueOf<typeof hubRollout>;

export const hubCode = group({
  Code: meaning("To be pasted at the recorder.", text),
  UntilTime: text,
});
export type HubCodeAnswer = ValueOf<typeof hubCode>;

/** Templates for the settings of a hub's recorders, and where one was applied last. */
export const hubTemplates = group({
  Templates: listOf(
    group({
      Id: id,
      Name: text,
      Source: meaning("Where its settings come from: the name of a camera or a recorder.", text),
      MadeTime: text,
      MadeBy: text,
      Settings: listOf(
        group({
          Part: asText(choice(...TEMPLATE_PARTS)),
          Setting: meaning("Its path in a [camera](#the-object-camera).", text),
          Value: meaning("As JSON.", text),
        }),
      ),
    }),
  ),
  Applied: meaning(
    "Recorders at which the last application of a template can be undone.",
    listOf(
      group({
        Recorder: id,
        Name: meaning("The recorder's.", text),
        Template: meaning("The template's name.", text),
        Time: text,
        By: text,
      }),
    ),
  ),
});
export type HubTemplates = ValueOf<typeof hubTemplates>;

export const TEMPLATE_STATES = ["Ready", "Same", "Done", "Failed"] as const;

/** What a template would change, or has changed, or what was undone, for each recorder. */
export const templateResult = group({
  Recorders: listOf(
    group({
      Id: id,
      Name: text,
      State: meaning(
        "`Ready`: this would be changed; `Same`: there is nothing to change; `Done`; `Failed`: nothing was changed there, or it is not known.",
        asText(choice(...TEMPLATE_STATES)),
      ),
      Revision: meaning("Of its configuration, for applying; null: not known.", nullable(text)),
      Problem: meaning("Why it failed, or what was left out; null: there is none.", nullable(text)),
      Changes: listOf(
        group({
          Camera: id,
          CameraName: text,
          Part: asText(choice(...TEMPLATE_PARTS)),
          Setting: meaning("Its path in a [camera](#the-object-camera).", text),
          Before: meaning("As JSON.", text),
          After: meaning("As JSON.", text),
        }),
      ),
    }),
  ),
});
export type TemplateResult = ValueOf<typeof templateResult>;

export const PARTNER_PROBLEMS = ["Unreachable", "Foreign", "Refused", "Silent"] as const;

/** A recorder of the LAN that stands by this one. */
const partner = group({
  Id: id,
  Name: text,
  Version: text,
  Hosts: meaning("Where it is reached; the address that answered last comes first.", listOf(text)),
  Port: integer,
  AddedTime: text,
  IsConnected: flag,
  SinceTime: meaning("Since when it is connected, or is not.", text),
  IsThroughHub: meaning("It is not connected, and heard through the hub that both belong to.", flag),
  Problem: meaning(
    "Why it is not connected. `Unreachable`: nothing answers there; `Foreign`: what answers is another machine; `Refused`: it does not know this recorder any more; `Silent`: it answers no more. Null where that is not known.",
    nullable(asText(choice(...PARTNER_PROBLEMS))),
  ),
  Detail: meaning("The error, in words of the system.", nullable(text)),
  Owner: meaning(
    "What this recorder does for it: the cameras that it keeps as its reserve; null: none.",
    nullable(
      group({
        Cameras: listOf(id),
        Recorded: meaning("Those that are recorded here now, because the partner is silent.", listOf(id)),
        SinceTime: meaning("Since when; null: none is.", nullable(text)),
      }),
    ),
  ),
  Reserve: meaning(
    "What it does for this recorder: the cameras whose `ReservedServerId` it is; null: none.",
    nullable(
      group({
        Cameras: listOf(id),
        IsKept: meaning("Whether it has them as they are now.", flag),
        Problem: meaning("Why it has not; null: it has, or it was not asked yet.", nullable(text)),
      }),
    ),
  ),
});
export type FleetPartner = ValueOf<typeof partner>;

export const STAND_IN_LIMITS = ["Disks", "Processor"] as const;

/** What it takes to stand in for others. */
const standIn = group({
  Cameras: meaning("Cameras of all partners that are kept here.", integer),
  MegabitsPerSecond: meaning(
    "What they send together, as their recorders say; null: none has said it yet.",
    nullable(number),
  ),
  DaysNow: meaning(
    "How far back recordings reach here when the disks are full; null: not known.",
    nullable(number),
  ),
  DaysThen: meaning("The same while all of these cameras are recorded here.", nullable(number)),
  ProcessorPercentThen: meaning(
    "How busy the processors are then, by what recording costs here; null: not known yet.",
    nullable(number),
  ),
  Limits: meaning(
    "What is not enough. `Disks`: recordings would reach back less than a day; `Processor`: less than a fifth of it would be left.",
    listOf(asText(choice(...STAND_IN_LIMITS))),
  ),
});

export const fleetPartners = group({
  Partners: listOf(partner),
  StandIn: meaning(
    "What it would be to record the cameras of all partners at once; null: none is kept here, or it is not known yet.",
    nullable(standIn),
  ),
  Problem: meaning(
    "Why partners cannot reach this recorder; null: they can, or there are none.",
    nullable(text),
  ),
});
export type FleetPartners = ValueOf<typeof fleetPartners>;

export const partnerCode = group({
  Code: meaning("To be pasted at the other recorder.", text),
  UntilTime: text,
});
export type PartnerCodeAnswer = ValueOf<typeof partnerCode>;
