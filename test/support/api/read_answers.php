<?php
// Reads answers the way PHP programs do, and prints what it read as one JSON object.
//   php read_answers.php BASE CREDENTIALS CHANNEL_ID
[, $base, $credentials, $channel] = $argv;
error_reporting(E_ALL);
set_error_handler(function ($level, $message) { throw new ErrorException($message); });

function get(string $path): string
{
    global $base, $credentials;
    return file_get_contents($base . $path . (str_contains($path, '?') ? '&' : '?') . $credentials);
}

function folder(SimpleXMLElement $node): array
{
    $channels = [];
    foreach ($node->ChildChannels->ChannelId as $id) $channels[] = (string) $id;
    $folders = [];
    foreach ($node->ChildSecurityObjects->SecObjectInfo as $child) $folders[(string) $child['Name']] = folder($child);
    return ['channels' => $channels, 'folders' => (object) $folders];
}

$read = [];
$xml = simplexml_load_string(get('/configex'));
foreach ($xml->Channels->ChannelInfo as $info) {
    $attributes = [];
    foreach ($info->attributes() as $value) $attributes[] = (string) $value;
    $read['byName'][] = [(string) $info['Id'], (string) $info['Name'], $info['IsDisabled'] == 'true'];
    $read['byIndex'][] = [$attributes[0], $attributes[1], $attributes[5] == 'true'];
    $read['streams'][] = count($info->Streams->StreamInfo);
    $read['positions'][] = isset($info->GeoPosition) ? (float) $info->GeoPosition['Latitude'] : null;
}
$read['revision'] = (int) $xml['Revision'];
$read['tree'] = folder($xml->RootSecurityObject);
$read['rights'] = [(string) $xml->UserGroup->Name, (string) $xml->UserGroup->CanPTZ];
$read['resolutions'] = (string) $xml->MobileServerInfo->Resolutions->ResolutionInfo[2]['Type'];
// Attributes stand under @attributes when a program turns the tree into arrays.
$array = json_decode(json_encode($xml), true);
$read['asArray'] = $array['Channels']['ChannelInfo'][0]['@attributes']['Name'];

$json = json_decode(get('/configex?responsetype=json'), true, 512, JSON_THROW_ON_ERROR);
$read['json'] = array_map(fn ($info) => [$info['Id'], $info['Name'], $info['IsDisabled']], $json['Channels']);
$read['jsonServer'] = $json['Servers'][0]['Id'] === $json['SenderId'] && is_string($json['Servers'][0]['PrimaryPort']);

$interval = "channelid=$channel&fromtime=01.01.2020%200:00:00&totime=01.01.2222%2023:59:59";
$fragments = simplexml_load_string(get("/archivefragments?$interval"));
foreach ($fragments->Fragments->ArchiveFragment as $fragment)
    $read['fragments'][] = [(string) $fragment->FromTime, (new DateTime((string) $fragment->ToTime))->getTimestamp()];
$decoded = json_decode(get("/archivefragments?responsetype=json&$interval"));
$read['jsonFragments'] = array_map(fn ($fragment) => $fragment->FromTime, $decoded->Fragments);

// PHP sends no Accept header: lines precede the body.
$find = get("/command?type=findarchive&channelid=$channel&searchTime=21.11.2026+09:00:00");
$read['afterBlankLine'] = (string) simplexml_load_string(explode("\r\n\r\n", $find, 2)[1])->HasArchive;
$read['fromDeclaration'] = (string) simplexml_load_string(substr($find, strpos($find, '<?xml')))->HasArchive;
preg_match('/Body-length:\s*(\d+)/', $find, $length);
$read['byLength'] = (string) simplexml_load_string(substr($find, -(int) $length[1]))->HasArchive;
$json = get("/command?type=findarchive&channelid=$channel&searchTime=21.11.2026+09:00:00&responsetype=json");
$read['fromBrace'] = json_decode(substr($json, strpos($json, '{')))->HasArchive;
$bare = get('/command?type=gettime&accept=application/xml');
$read['bareXml'] = (string) simplexml_load_string($bare);
$states = get('/command?type=getchannelsstates&accept=application/json');
$read['withoutMark'] = count(json_decode(preg_replace('/^\xEF\xBB\xBF/', '', $states)));
echo json_encode($read, JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION);
