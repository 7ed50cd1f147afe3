"""Goes through the recorder's services with onvif-zeep-async, as Home Assistant does, and prints what it found as JSON.

Arguments: host, port, login, password.
"""

import asyncio
import datetime
import json
import os
import sys

import onvif
from onvif import ONVIFCamera


async def read(camera):
    await camera.update_xaddrs()
    device = await camera.create_devicemgmt_service()
    found = {"information": (await device.GetDeviceInformation()).Manufacturer}
    found["interfaces"] = len(await device.GetNetworkInterfaces())
    capabilities = await camera.get_capabilities()
    found["pull_points"] = capabilities["Events"]["WSPullPointSupport"]
    media = await camera.create_media_service()
    profiles = await media.GetProfiles()
    found["profiles"] = [profile.token for profile in profiles]
    found["encodings"] = [profile.VideoEncoderConfiguration.Encoding for profile in profiles]
    request = media.create_type("GetStreamUri")
    request.ProfileToken = profiles[0].token
    request.StreamSetup = {"Stream": "RTP-Unicast", "Transport": {"Protocol": "RTSP"}}
    found["stream"] = (await media.GetStreamUri(request)).Uri
    found["snapshot"] = len(await camera.get_snapshot(profiles[0].token, True) or b"")
    ptz = await camera.create_ptz_service()
    found["presets"] = len(await ptz.GetPresets({"ProfileToken": profiles[0].token}))
    return found


async def events(camera):
    lost = []
    manager = await camera.create_pullpoint_manager(datetime.timedelta(minutes=1), lambda: lost.append(True))
    service = manager.get_service()
    await service.SetSynchronizationPoint()
    answer = await service.PullMessages({"Timeout": datetime.timedelta(seconds=5), "MessageLimit": 50})
    topics = sorted({message.Topic._value_1 for message in answer.NotificationMessage})
    await manager.shutdown()
    return topics


async def main():
    host, port, login, password = sys.argv[1:5]
    folder = os.path.join(os.path.dirname(onvif.__file__), "wsdl")
    camera = ONVIFCamera(host, int(port), login, password, folder)
    try:
        found = await read(camera)
        found["topics"] = await events(camera)
    finally:
        await camera.close()
    json.dump(found, sys.stdout)


asyncio.run(main())
