"""dashboards_test.py PROMTOOL: do dashboards and rules say what they should?

Every query of every panel is asked of known series, by promtool, with Grafana's variables filled in
as Grafana does; known.json has the answers, worked out by hand from the rates of the series.
"""

import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from dashboards import DASHBOARDS, ROOT, RULES, fill_in, panels

KNOWN = json.loads(pathlib.Path(__file__).with_name("known.json").read_text())
PROMTOOL = sys.argv.pop(1)

UNITS = {"percentunit", "ns", "µs", "s", "pps", "Bps", "short", "none", "suffix: CPUs"}
# What a person has chosen, and the interval that Grafana makes of scrapes every five minutes.
CHOSEN = {"job": "cyclesoak", "instance": "h1", "unit": "packet", "__rate_interval": "20m"}





def ask(query, samples):
    """Nobody reads more than nine digits, and promtool compares all that a double has."""
    scale = 10 ** (9 - math.ceil(math.log10(max(sample["value"] for sample in samples) or 1)))
    return {"expr": f"round(({query}) * {scale})", "eval_time": "7d12h",
            "exp_samples": [{"labels": re.sub(r"^[\w:]+", "", sample["labels"]),
                             "value": round(sample["value"] * scale)} for sample in samples]}


def promtool(*arguments):
    return subprocess.run([PROMTOOL, *map(str, arguments)], capture_output=True, text=True)


class Dashboards(unittest.TestCase):
    def test_can_be_provisioned(self):
        for name, dashboard in DASHBOARDS.items():
            with self.subTest(name):
                self.assertNotIn("__inputs", dashboard)
                self.assertEqual(dashboard["uid"], f"cyclesoak-{name}")
                variables = {variable["name"]: variable for variable in dashboard["templating"]["list"]}
                self.assertLessEqual({"datasource", "job", "instance"}, set(variables))
                self.assertEqual(variables["datasource"]["type"], "datasource")
                ids = [panel["id"] for panel in dashboard["panels"]]
                self.assertEqual(len(ids), len(set(ids)))

    def test_every_panel_says_what_it_answers_and_in_which_unit(self):
        for name, dashboard in DASHBOARDS.items():
            for panel in panels(dashboard):
                with self.subTest(f"{name}: {panel['title']}"):
                    self.assertIn("?", panel["description"])
                    self.assertIn(panel["fieldConfig"]["defaults"]["unit"], UNITS)
                    self.assertEqual(panel["datasource"]["uid"], "${datasource}")
                    self.assertTrue(panel["targets"])

    def test_rates_are_over_the_interval_that_fits_the_scrapes(self):
        # But for what windows see of the cache, which takes blocks of them, and what rules keep.
        slow = re.compile(r"cyclesoak_cache_\w+\{[^}]*\}\[1h\]")
        for name, dashboard in DASHBOARDS.items():
            for panel in panels(dashboard):
                for target in panel["targets"]:
                    with self.subTest(f"{name}: {panel['title']}"):
                        rest = slow.sub("", target["expr"]).replace("[$__rate_interval]", "")
                        self.assertNotRegex(rest, r"\[[^\]]*\]")
                        self.assertEqual(target["datasource"]["uid"], "${datasource}")

    def test_panels_lie_side_by_side(self):
        for name, dashboard in DASHBOARDS.items():
            taken = set()
            for panel in dashboard["panels"]:
                at = panel["gridPos"]
                cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
                with self.subTest(f"{name}: {panel['title']}"):
                    self.assertLessEqual(at["x"] + at["w"], 24)
                    self.assertFalse(cells & taken)
                taken |= cells


class Queries(unittest.TestCase):
    def test_answer_right_from_known_series(self):
        tests = []
        for name, dashboard in DASHBOARDS.items():
            expected = KNOWN["expected"][name]
            self.assertEqual(set(expected), {panel["title"] for panel in panels(dashboard)}, name)
            for panel in panels(dashboard):
                answers = expected[panel["title"]]
                self.assertEqual(set(answers), {target["refId"] for target in panel["targets"]}, panel["title"])
                for target in panel["targets"]:
                    query = fill_in(target["expr"], dashboard, CHOSEN)
                    tests.append(ask(query, answers[target["refId"]]))
        self.assertGreater(len(tests), 40)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "test.yml" # JSON is YAML, too
            file.write_text(json.dumps({
                "rule_files": [str(RULES[0])], "evaluation_interval": "5m",
                "tests": [{"interval": "5m", "input_series": KNOWN["series"], "promql_expr_test": tests}]}))
            done = promtool("test", "rules", file)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)





class Rules(unittest.TestCase):
    def test_are_valid(self):
        done = promtool("check", "rules", *RULES)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = promtool("check", "config", ROOT / "prometheus" / "prometheus.yml")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_fire_when_they_should_and_not_otherwise(self):
        done = promtool("test", "rules", ROOT / "prometheus" / "rules_test.yml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_alert_has_texts_and_a_section_in_the_runbook(self):
        runbook = (ROOT / "docs" / "runbook.md").read_text()
        alerts = re.split(r"- alert: ", RULES[1].read_text())[1:]
        self.assertEqual(len(alerts), 5)
        for alert in alerts:
            name = alert.split()[0]
            with self.subTest(name):
                for key in ("summary:", "description:", f"runbook_url: docs/runbook.md#{name.lower()}"):
                    self.assertIn(key, alert)
                self.assertIn(f"## {name}\n", runbook)


if __name__ == "__main__":
    unittest.main()
