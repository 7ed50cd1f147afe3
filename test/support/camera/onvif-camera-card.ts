import { xmlText } from "./onvif-camera-soap.js";

/** What a scripted device keeps on its card: one recording, without gaps. */
export interface ScriptedCard {
  readonly replayUrl: string;
  /** When it begins, Unix milliseconds; it goes on. */
  readonly fromMs: number;
}

const RECORDING = "card_1";
const TRACK = "VIDEO000";
const SEARCHES = { FindRecordings: "search_recordings", FindEvents: "search_events" } as const;

/** Answers of the services of Profile G, by operation; undefined: no such thing. */
export function cardAnswer(
  { replayUrl, fromMs }: ScriptedCard,
  operation: string,
  request: string,
  now: Date,
): string | undefined {
  const list = (content: string): string =>
    `<tse:${operation}Response><tse:ResultList><tt:SearchState>Completed</tt:SearchState>${content}</tse:ResultList></tse:${operation}Response>`;
  switch (operation) {
    case "FindRecordings":
    case "FindEvents":
      return `<tse:${operation}Response><tse:SearchToken>${SEARCHES[operation]}</tse:SearchToken></tse:${operation}Response>`;
    case "GetRecordingSearchResults":
      return list(information(fromMs, now));
    case "GetEventSearchResults":
      return request.includes(SEARCHES.FindEvents) ? list(began(fromMs)) : undefined;
    case "EndSearch":
      return `<tse:EndSearchResponse><tse:Endpoint>${now.toISOString()}</tse:Endpoint></tse:EndSearchResponse>`;
    case "GetReplayUri":
      return `<trp:GetReplayUriResponse><trp:Uri>${xmlText(replayUrl)}</trp:Uri></trp:GetReplayUriResponse>`;
    default:
      return undefined;
  }
}

function information(fromMs: number, now: Date): string {
  const [from, to] = [new Date(fromMs).toISOString(), now.toISOString()];
  return (
    `<tt:RecordingInformation><tt:RecordingToken>${RECORDING}</tt:RecordingToken>` +
    "<tt:Source><tt:SourceId>card</tt:SourceId><tt:Name>SD card</tt:Name><tt:Location/><tt:Description/><tt:Address/></tt:Source>" +
    `<tt:EarliestRecording>${from}</tt:EarliestRecording><tt:LatestRecording>${to}</tt:LatestRecording><tt:Content/>` +
    `<tt:Track><tt:TrackToken>${TRACK}</tt:TrackToken><tt:TrackType>Video</tt:TrackType><tt:Description/>` +
    `<tt:DataFrom>${from}</tt:DataFrom><tt:DataTo>${to}</tt:DataTo></tt:Track>` +
    "<tt:RecordingStatus>Recording</tt:RecordingStatus></tt:RecordingInformation>"
  );
}

function began(fromMs: number): string {
  const time = new Date(fromMs).toISOString();
  return (
    `<tt:Result><tt:RecordingToken>${RECORDING}</tt:RecordingToken><tt:TrackToken>${TRACK}</tt:TrackToken><tt:Time>${time}</tt:Time>` +
    '<tt:Event><wsnt:Topic Dialect="http://www.onvif.org/ver10/tev/topicExpression/ConcreteSet">tns1:RecordingHistory/Track/State</wsnt:Topic>' +
    `<wsnt:Message><tt:Message UtcTime="${time}"><tt:Source/><tt:Data><tt:SimpleItem Name="IsDataPresent" Value="true"/></tt:Data></tt:Message></wsnt:Message></tt:Event>` +
    "<tt:StartStateEvent>true</tt:StartStateEvent></tt:Result>"
  );
}
