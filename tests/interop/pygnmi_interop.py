#!/usr/bin/env python3
"""Talks to one lab target with pygnmi, a third-party gNMI client: Capabilities, Get, Set, Subscribe.

usage: pygnmi_interop.py HOST PORT USER PASSWORD INTERFACE

Prints one line per check and exits 0 when all hold, 1 when one does not, 77 when pygnmi is not installed.
"""

import sys

try:
    from pygnmi.client import gNMIclient, telemetryParser
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def values(response):
    """All (path, value) pairs of a Get response; it must hold exactly one notification."""
    notifications = response["notification"]
    assert len(notifications) == 1, f"{len(notifications)} notifications, not one"
    return [(update["path"], update["val"]) for update in notifications[0]["update"]]


def check_capabilities(client, _interface):
    answer = client.capabilities()
    models = {model["name"]: model["version"] for model in answer["supported_models"]}
    for name in ("openconfig-system", "openconfig-interfaces", "openconfig-network-instance"):
        assert name in models, f"{name} is missing"
    assert "json_ietf" in answer["supported_encodings"], answer["supported_encodings"]


def check_get(client, interface):
    path = f"openconfig-interfaces:interfaces/interface[name={interface}]"
    ((_, value),) = values(client.get(path=[path], encoding="json_ietf"))
    assert value["name"] == interface, value
    assert value["state"]["oper-status"] in ("UP", "DOWN")
    assert int(value["state"]["counters"]["in-octets"]) >= 0


def check_get_many_paths(client, _interface):
    paths = [
        "openconfig-system:/system/state/hostname",
        "openconfig-network-instance:network-instances/network-instance[name=*]/protocols/protocol/isis/global/",
    ]
    found = values(client.get(path=paths, encoding="json_ietf"))
    assert len(found) == 2, found
    assert found[1][1]["state"]["net"][0].startswith("49."), found[1]


def check_get_types_and_encodings(client, interface):
    path = f"openconfig-interfaces:interfaces/interface[name={interface}]"
    ((_, config),) = values(client.get(path=[path], datatype="config", encoding="json_ietf"))
    assert "config" in config and "state" not in config, config.keys()
    ((_, plain),) = values(client.get(path=[path], encoding="json"))
    assert isinstance(plain["state"]["counters"]["in-octets"], int)
    leaves = values(client.get(path=[path + "/state/counters"], encoding="proto"))
    assert len(leaves) > 5 and all(isinstance(value, int) for _, value in leaves), leaves


def check_log(client, _interface):
    command = "show logging | utility egrep '(-[1-7]-)' | utility egrep -v nothing-like-this "
    ((_, text),) = values(client.get(path=[command], encoding="ascii"))
    assert "RP/0/RP0/CPU0:" in text, text[:200]


def check_not_found(client, _interface):
    try:
        client.get(path=["openconfig-interfaces:no-such-thing"], encoding="json_ietf")
    except Exception as error:  # pygnmi has its own type, with the text of the status inside
        assert "not found" in str(error).lower(), error
        return
    raise AssertionError("a path that leads nowhere was answered")


def check_set_is_refused(client, interface):
    path = f"openconfig-interfaces:interfaces/interface[name={interface}]/config"
    try:
        client.set(update=[(path, {"enabled": False})])
    except Exception as error:
        assert "read-only" in str(error), error
        return
    raise AssertionError("Set was accepted")


def subscription(list_mode, interface, **extra):
    path = f"openconfig-interfaces:interfaces/interface[name={interface}]/state"
    return {"subscription": [{"path": path, **extra}], "mode": list_mode, "encoding": "json_ietf"}


def check_subscribe_once(client, interface):
    synced, updates = False, 0
    for message in client.subscribe(subscribe=subscription("once", interface)):
        parsed = telemetryParser(message)
        updates += len(parsed.get("update", {}).get("update", []))
        synced = synced or "sync_response" in parsed
    assert synced and updates > 10, (synced, updates)


def check_subscribe_stream(client, interface):
    asked = subscription("stream", interface, mode="sample", sample_interval=200_000_000)
    rounds = 0
    for message in client.subscribe(subscribe=asked):
        rounds += "update" in telemetryParser(message)
        if rounds == 3:
            break
    assert rounds == 3, rounds


CHECKS = [
    check_capabilities,
    check_get,
    check_get_many_paths,
    check_get_types_and_encodings,
    check_log,
    check_not_found,
    check_set_is_refused,
    check_subscribe_once,
    check_subscribe_stream,
]


def main():
    host, port, user, password, interface = sys.argv[1:6]
    failed = 0
    for check in CHECKS:
        # A client each, so that one that broke its channel does not spoil the next.
        try:
            with gNMIclient(target=(host, int(port)), username=user, password=password, insecure=True) as client:
                check(client, interface)
            print(f"ok      {check.__name__}")
        except Exception as error:
            failed += 1
            print(f"FAILED  {check.__name__}: {type(error).__name__}: {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
