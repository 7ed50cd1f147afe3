"""Checks SOAP answers against the official schemas of folders with WSDL files.

Arguments: a file with a JSON list of envelopes, and the folders. Standard output: a JSON list with the faults of each.
"""

import json
import os
import sys
import warnings
import xml.etree.ElementTree as ElementTree

import xmlschema
from lxml import etree

XS = "http://www.w3.org/2001/XMLSchema"
SOAP = "http://www.w3.org/2003/05/soap-envelope"


def definitions(folders):
    """The schema of each namespace that a file defines, and the file."""
    found = {}
    for folder in folders:
        for root, _, names in os.walk(folder):
            for name in sorted(names):
                if not name.endswith((".wsdl", ".xsd")):
                    continue
                path = os.path.join(root, name)
                for schema in etree.parse(path).iter(f"{{{XS}}}schema"):
                    found.setdefault(schema.get("targetNamespace"), (etree.tostring(schema).decode(), path))
    return found


def schema_of(text, path):
    """The official schemas break a rule on content models, so they are taken as they are."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        base = os.path.dirname(path) + "/"
        return xmlschema.XMLSchema(text, base_url=base, validation="lax", allow="local")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        envelopes = json.load(file)
    known = definitions(sys.argv[2:])
    ready = {}
    results = []
    for envelope in envelopes:
        content = etree.fromstring(envelope.encode()).find(f"{{{SOAP}}}Body")[0]
        namespace = etree.QName(content).namespace
        if namespace not in known:
            results.append([f"no schema for {namespace}"])
            continue
        if namespace not in ready:
            ready[namespace] = schema_of(*known[namespace])
        faults = ready[namespace].iter_errors(ElementTree.fromstring(etree.tostring(content)))
        results.append([f"{fault.path}: {fault.reason}" for fault in faults])
    json.dump(results, sys.stdout)


main()
