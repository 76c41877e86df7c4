"""The dashboards as Grafana reads them, and their queries as it asks them."""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
DASHBOARDS = {path.stem: json.loads(path.read_text()) for path in sorted((ROOT / "dashboards").glob("*.json"))}
RULES = [ROOT / "prometheus" / name for name in ("cyclesoak.rules.yml", "cyclesoak.alerts.yml")]


def panels(dashboard):
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def fill_in(query, dashboard, chosen):
    """`chosen`: values of variables; where all of a variable's can be chosen they are."""
    all_of_them = {variable["name"]: variable["allValue"]
                   for variable in dashboard["templating"]["list"] if variable["includeAll"]}
    return re.sub(r"\$(\w+)", lambda match: (chosen | all_of_them)[match[1]], query)
