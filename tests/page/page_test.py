"""page_test.py PROGRAM: the agent's page in a browser, against a running agent.

With PICTURES=FOLDER set, pictures of the page are left there.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PROGRAM = sys.argv.pop(1)
PATIENCE = 60  # seconds; only a test that fails waits so long


class Agent:
    def __init__(self, address="127.0.0.1:0"):
        self.process = subprocess.Popen([PROGRAM, "agent", "--duty", "20%", "--listen", address],
                                        stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            if match := re.search(r"serving ([\d.:]+)", line):
                self.address = match[1]
                break

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.process.stderr.close()

    def metrics(self):
        """Sums over all series of each name."""
        with urllib.request.urlopen(f"http://{self.address}/metrics") as answer:
            sums = {}
            for line in answer.read().decode().splitlines():
                if line and not line.startswith("#"):
                    name, value = re.match(r"(\w+)(?:\{.*\})? (\S+)$", line).groups()
                    sums[name] = sums.get(name, 0) + float(value)
            return sums


def open_browser(width=1280, height=900, dark=False):
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                     "--hide-scrollbars", "--force-device-scale-factor=1"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options=options)
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
    return browser


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.agent = Agent()

    @classmethod
    def tearDownClass(cls):
        cls.agent.stop()

    def open(self, **size):
        browser = open_browser(**size)
        self.addCleanup(browser.quit)
        browser.get(f"http://{self.agent.address}/")
        return browser

    def text(self, browser, name):
        # In one step: an update in between would replace the element that was found.
        return browser.execute_script("return document.getElementById(arguments[0])?.innerText ?? ''", name)

    def wait(self, what, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, f"never: {what}")
            time.sleep(0.1)

    def wait_for_steps(self, browser):
        self.wait("live", lambda: self.text(browser, "link") == "● live")
        self.wait("a chart", lambda: browser.find_elements(By.CSS_SELECTOR, "#load canvas"))

    def picture(self, browser, name):
        if folder := os.environ.get("PICTURES"):
            height = browser.execute_script("return document.documentElement.scrollHeight")
            width = browser.execute_script("return innerWidth")
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
            time.sleep(1)
            browser.save_screenshot(str(pathlib.Path(folder) / f"{name}.png"))

    def number(self, browser, name):
        return float(re.match(r"[\d.]+", self.text(browser, name).replace("\u202f", ""))[0])

    def test_shows_what_the_metrics_say(self):
        browser = self.open()
        self.wait_for_steps(browser)
        self.wait("windows", lambda: self.number(browser, "total-windows") > 0)
        # What is shown lies between two scrapes, of which the first is from before it was asked for.
        before = self.agent.metrics()
        shown_before = self.number(browser, "total-windows")
        self.wait("an update", lambda: self.number(browser, "total-windows") > shown_before)
        shown = {name: self.number(browser, name)
                 for name in ("total-accounted", "total-busy", "total-steal", "total-windows")}
        after = self.agent.metrics()
        for name, metric in (("total-accounted", "cyclesoak_cpu_accounted_seconds_total"),
                             ("total-busy", "cyclesoak_cpu_busy_seconds_total"),
                             ("total-steal", "cyclesoak_steal_seconds_total"),
                             ("total-windows", "cyclesoak_windows_total")):
            with self.subTest(name):
                rounding = 0.005 + 1e-9
                self.assertGreaterEqual(shown[name], before[metric] - rounding)
                self.assertLessEqual(shown[name], after[metric] + rounding)
        self.assertEqual(browser.get_log("browser"), [])

    def test_survives_the_agents_restart(self):
        browser = self.open()
        self.wait("live", lambda: self.text(browser, "link") == "● live")
        self.agent.stop()
        self.wait("told", lambda: "does not answer" in self.text(browser, "link"))
        type(self).agent = Agent(self.agent.address)
        self.wait("live again", lambda: self.text(browser, "link") == "● live")

    def test_tells_whom_the_agent_waits_for(self):
        waiting = Agent()
        self.addCleanup(waiting.stop)
        browser = self.open()
        browser.get(f"http://{waiting.address}/")
        self.wait("whom", lambda: f"by process {self.agent.process.pid}" in self.text(browser, "warnings"))

    def test_is_as_wide_as_the_screen(self):
        for width in (360, 800, 1280):
            with self.subTest(width):
                browser = self.open(width=width)
                self.wait_for_steps(browser)
                self.assertEqual(browser.execute_script("return document.documentElement.scrollWidth"), width)
                browser.quit()

    def test_can_be_used_with_the_keyboard(self):
        browser = self.open()
        self.wait_for_steps(browser)
        self.wait("a strip", lambda: browser.execute_script("return latest.steps.cpus.length") > 0)
        page = browser.find_element(By.TAG_NAME, "body")
        self.wait("focus", lambda: page.send_keys(Keys.TAB) or
                  browser.switch_to.active_element.get_attribute("id") == "strips")
        browser.switch_to.active_element.send_keys(Keys.ARROW_LEFT)
        self.assertRegex(self.text(browser, "strip-text"), r"^cpu\d+ at [\d:]+: ")

    def test_says_in_words_what_the_charts_show(self):
        browser = self.open()
        self.wait_for_steps(browser)
        for chart in ("load", "causes"):
            said = browser.find_element(By.ID, f"{chart}-text").get_attribute("textContent")
            self.assertRegex(said, r"^At \d\d:\d\d:\d\d: \w.* [\d.]+\u00a0%")
            self.assertEqual(browser.find_element(By.ID, chart).get_attribute("role"), "img")

    def test_looks_right_in_light_and_dark(self):
        for name, size in {"page": {}, "page-dark": {"dark": True}, "page-phone": {"width": 360}}.items():
            browser = self.open(**size)
            self.wait_for_steps(browser)
            paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
            self.assertEqual(sum(map(int, re.findall(r"\d+", paper))) < 200, name == "page-dark")
            self.picture(browser, name)
            browser.quit()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TMPDIR"] = folder  # a browser leaves its lock there
        unittest.main()
