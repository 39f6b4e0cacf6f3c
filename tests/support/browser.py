"""Headless Chromium, driven over a pipe by its DevTools protocol: for tests that open pages.

    with browser.Browser() as page:
        page.open("/tmp/page.html")
        page.key("ArrowRight")
        page.evaluate("document.title")
        page.problems  # what the console said: errors and warnings
"""

import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

# Keys as the protocol names them: the code of the key, and what it types.
KEYS = {"ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35, "Tab": 9, "Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40}


class Browser:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command = [PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
                   "--force-device-scale-factor=1", f"--user-data-dir={self.folder.name}", "about:blank"]
        to_read, self.to = os.pipe()
        self.come, to_write = os.pipe()
        held = [os.dup(fd) for fd in (to_read, to_write)]  # so that neither is 3 or 4 when those are made

        def as_chromium_wants():
            high = [os.dup(os.dup(os.dup(fd))) for fd in held]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(command, preexec_fn=as_chromium_wants, pass_fds=(3, 4), stderr=subprocess.DEVNULL)
        for fd in (to_read, to_write, *held):
            os.close(fd)
        self.rest = b""
        self.number = 0
        self.session = self.target = None
        self.problems = []
        self.loaded = False
        self.target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.come)
        self.folder.cleanup()

    def message(self):
        """The next message; what the page complains of is kept."""
        while b"\0" not in self.rest:
            if not select.select([self.come], [], [], 60)[0]:
                raise RuntimeError("the browser says nothing for a minute")
            part = os.read(self.come, 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        said = json.loads(text)
        parameters = said.get("params", {})
        if said.get("method") == "Runtime.exceptionThrown":
            self.problems.append(parameters["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        if said.get("method") == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.problems.append(str(parameters["args"]))
        if said.get("method") == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self.problems.append(parameters["entry"]["text"])
        if said.get("method") == "Page.lifecycleEvent" and parameters["name"] == "load" and parameters["frameId"] == self.target:
            self.loaded = True
        return said

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            said = self.message()
            if said.get("id") == self.number:
                if "error" in said:
                    raise RuntimeError(f"{method}: {said['error']}")
                return said["result"]

    def open(self, path):
        self.loaded = False
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        while not self.loaded:
            self.message()
        self.settle()

    def size(self, width, height, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def evaluate(self, expression):
        """The value of an expression, or of the promise that it is."""
        done = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise RuntimeError(f"{expression}: {done['exceptionDetails']}")
        return done["result"].get("value")

    def settle(self):
        """Wait until what was asked for is drawn."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")

    def key(self, key):
        letter = {"text": key} if len(key) == 1 else {"windowsVirtualKeyCode": KEYS[key]}
        if key == "Enter":
            letter["text"] = "\r"
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **letter)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, **letter)
        self.settle()

    def click(self, selector, settle=True):
        x, y = self.evaluate(f"""(() => {{ const e = document.querySelector({json.dumps(selector)});
            e.scrollIntoView({{block: "center"}}); const b = e.getClientRects()[0];
            return [b.x + b.width / 2, b.y + b.height / 2]; }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        if settle:
            self.settle()

    def write(self, text):
        """Type a text into what has the focus."""
        for letter in text:
            self.key(letter)

    def wait(self, expression, seconds=20):
        """Until the expression is true."""
        end = time.monotonic() + seconds
        while not self.evaluate(expression):
            if time.monotonic() > end:
                raise RuntimeError(f"not so after {seconds} s: {expression}")
            time.sleep(0.02)

    def follow(self, selector):
        """Click on a link, and wait for the page that it leads to."""
        self.loaded = False
        self.click(selector, settle=False)
        while not self.loaded:
            self.message()
        self.wait("document.readyState === 'complete'")
        self.settle()

    def picture(self):
        """What is seen, as a PNG in base64."""
        return self.call("Page.captureScreenshot")["data"]

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.picture()))
