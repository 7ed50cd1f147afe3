"""Reads answers the way Python programs do, and prints what it read as one JSON object.

    python3 read_answers.py HOST PORT CREDENTIALS CHANNEL_ID
"""

import http.client
import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from datetime import datetime

host, port, credentials, channel = sys.argv[1:]


def get(path, headers=None):
    connection = http.client.HTTPConnection(host, int(port), timeout=5)
    connection.request("GET", f"{path}{'&' if '?' in path else '?'}{credentials}", headers=headers or {})
    response = connection.getresponse()
    assert response.status == 200, (path, response.status)
    body = response.read()
    connection.close()
    return body


def folder(node):
    return {
        "channels": [child.text for child in node.find("ChildChannels")],
        "folders": {child.get("Name"): folder(child) for child in node.find("ChildSecurityObjects")},
    }


read = {}
raw = get("/configex")
root = ElementTree.fromstring(raw)
assert root.tag == "Configuration"
infos = root.findall("./Channels/ChannelInfo")
read["byName"] = [[info.get("Id"), info.get("Name"), info.get("IsDisabled") == "true"] for info in infos]
values = [list(info.attrib.values()) for info in infos]
read["byIndex"] = [[value[0], value[1], value[5] == "true"] for value in values]
read["tree"] = folder(root.find("RootSecurityObject"))
read["rights"] = [child.tag for child in root.find("UserGroup")][:4]
text = raw.decode()
lines = [line.strip() for line in text.splitlines() if line.strip().startswith("<ChannelInfo ")]
read["byLine"] = [re.search(r'Id="([^"]*)" Name="([^"]*)"', line).group(1) for line in lines]
read["byRegex"] = re.findall(r'<ChannelInfo\s+Id="([0-9a-f-]{36})"', text)
read["bySplit"] = [part.split('"', 1)[0] for part in text.split('<ChannelInfo Id="')[1:]]

data = json.loads(get("/configex?responsetype=json").decode("utf-8"))
read["json"] = [[info["Id"], info["Name"], info["IsDisabled"]] for info in data["Channels"]]
read["offset"] = data["Channels"][0]["TimeZoneOffset"]

interval = f"channelid={channel}&fromtime=01.01.2020%2000:00:00&totime=01.01.2222%2023:59:59"
fragments = ElementTree.fromstring(get(f"/archivefragments?{interval}"))
space = {"m": "http://www.macroscop.com"}
times = [item.find("m:FromTime", space).text for item in fragments.findall("m:Fragments/m:ArchiveFragment", space)]
# strptime knows six digits of a fraction: programs cut the seventh and the Z.
read["fragments"] = [datetime.strptime(time[:-2], "%Y-%m-%dT%H:%M:%S.%f").hour for time in times]
decoded = json.loads(get(f"/archivefragments?responsetype=json&{interval}"))
read["jsonFragments"] = [item["FromTime"] for item in decoded["Fragments"]]

# http.client sends no Accept header: lines precede the body.
profiles = get("/command?type=getprofiles")
head, body = profiles.split(b"\r\n\r\n", 1)
fields = dict(line.split(":", 1) for line in head.decode().split("\r\n"))
assert len(body) == int(fields["Body-length"]), fields
read["afterBlankLine"] = [item.find("Name").text for item in ElementTree.fromstring(body)]
read["errorCode"] = int(fields["Error code"])
listed = get("/command?type=getprofiles&responsetype=json")
read["fromBracket"] = json.loads(listed[listed.index(b"[") :])[0]["Name"]
marked = get("/command?type=getprofiles", {"Accept": "application/json"})
assert marked[:3] == b"\xef\xbb\xbf"
read["withMark"] = json.loads(marked.decode("utf-8-sig"))[0]["Name"]
read["bareXml"] = ElementTree.fromstring(get("/command?type=gettime", {"Accept": "application/xml"})).text
# The mark, the declaration, a line end, the opening tag: then 19 characters of time.
start = 3 + len('<?xml version="1.0" encoding="utf-8"?>') + 2 + len("<string>")
read["byOffset"] = get("/command?type=gettime&accept=application/xml")[start : start + 19].decode()
print(json.dumps(read, ensure_ascii=False))
