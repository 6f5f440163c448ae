// Drives Chromium through its debugging pipe, without a package: messages are JSON, each ended by a zero byte.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [chromium, axeFile, folder] = process.argv.slice(2);
const MOST_BYTES = 3_000_000;
const axe = readFileSync(axeFile, "utf8");

const profile = mkdtempSync(join(tmpdir(), "shoal-chromium-"));
const sandbox = process.getuid() === 0 ? ["--no-sandbox"] : [];
const browser = spawn(
  chromium,
  ["--headless", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", `--user-data-dir=${profile}`, ...sandbox, "about:blank"],
  {
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    // Some of its settings follow no option.
    env: { ...process.env, HOME: profile, XDG_CONFIG_HOME: profile, XDG_CACHE_HOME: profile },
  },
);
// A browser that hangs must not hang the tests.
const alarm = setTimeout(() => fail("Chromium did not answer for four minutes"), 240_000);

let last = 0;
let rest = "";
const waiting = new Map();
const listeners = new Set();
browser.stdio[4].setEncoding("utf8");
browser.stdio[4].on("data", (chunk) => {
  const messages = (rest + chunk).split("\0");
  rest = messages.pop();
  for (const text of messages) {
    const message = JSON.parse(text);
    const waits = waiting.get(message.id);
    waiting.delete(message.id);
    if (waits) message.error ? waits.reject(new Error(`${waits.method}: ${message.error.message}`)) : waits.resolve(message.result);
    else for (const listener of listeners) listener(message);
  }
});
browser.on("exit", (code) => fail(`Chromium ended with ${code}`));

function send(method, params = {}, sessionId) {
  return new Promise((resolve, reject) => {
    last += 1;
    waiting.set(last, { resolve, reject, method });
    browser.stdio[3].write(JSON.stringify({ id: last, method, params, sessionId }) + "\0");
  });
}

function fail(why) {
  console.error(`test-report: ${why}`);
  end(1);
}

function end(code) {
  clearTimeout(alarm);
  browser.removeAllListeners("exit");
  browser.once("exit", () => {
    // Chromium's other processes may still write to the profile for a moment after the first one has ended.
    rmSync(profile, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
    process.exit(code);
  });
  if (browser.exitCode !== null) process.exit(code);
  browser.kill();
}

const problems = [];
let looked = 0;

async function look(name, file) {
  const wrong = (what) => problems.push(`${name}: ${what}`);
  const bytes = statSync(file).size;
  if (bytes > MOST_BYTES) wrong(`has ${bytes} bytes, more than ${MOST_BYTES}`);
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const page = (method, params) => send(method, params, sessionId);
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await page("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  let loaded;
  const ready = new Promise((resolve) => (loaded = resolve));
  const listener = (message) => {
    if (message.sessionId !== sessionId) return;
    if (message.method === "Page.loadEventFired") loaded();
    if (message.method === "Network.requestWillBeSent" && !message.params.request.url.startsWith("file:"))
      wrong(`asks for ${message.params.request.url}`);
    if (message.method === "Runtime.exceptionThrown") wrong(`its script fails: ${message.params.exceptionDetails.text}`);
    if (message.method === "Log.entryAdded" && message.params.entry.level === "error") wrong(message.params.entry.text);
  };
  listeners.add(listener);
  for (const domain of ["Page", "Runtime", "Network", "Log"]) await page(`${domain}.enable`);

  const shapes = [
    ["light", 1100, "light"],
    ["dark", 1100, "dark"],
    ["narrow", 360, "light"],
  ];
  await page("Page.navigate", { url: pathToFileURL(file).href });
  await ready;
  if ((await evaluate("document.documentElement.dataset.script")) !== "ran") wrong("its script did not run");
  // Injected into the open page by the debugger; the file itself allows no script but its own.
  await evaluate(axe + "; 0");
  for (const [shape, width, scheme] of shapes) {
    await page("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: false });
    await page("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
    const seen = await evaluate(`(() => {
      const svgs = [...document.querySelectorAll("svg")];
      const box = (e) => e.getBoundingClientRect();
      return {
        svgs: svgs.length,
        empty: svgs.filter((s) => box(s).width < 50 || box(s).height < 20 || !s.querySelector("rect:not(.track)")).length,
        // Letters that run into each other or out of the picture.
        crossing: svgs.flatMap((s) => [...s.querySelectorAll("g")]).filter((g) => {
          const [a, b] = [...g.querySelectorAll("text")].map(box);
          return a && b && a.right > b.left;
        }).map((g) => g.querySelector("title").textContent),
        wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        headings: [...document.querySelectorAll("h1,h2,h3,h4")].map((h) => +h.tagName[1]),
        height: document.documentElement.scrollHeight,
      };
    })()`);
    if (seen.svgs < 3) wrong(`${shape}: only ${seen.svgs} pictures`);
    if (seen.empty) wrong(`${shape}: ${seen.empty} pictures are empty`);
    if (seen.crossing.length) wrong(`${shape}: letters overlap in ${seen.crossing.slice(0, 3).join(" | ")}`);
    if (seen.wide > 0) wrong(`${shape}: the page is ${seen.wide} pixels wider than the window`);
    if (seen.headings.some((level, at) => at > 0 && level > seen.headings[at - 1] + 1)) wrong("headings skip a level");
    const found = await evaluate(`axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations.map((v) =>
      ({ id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)) })))`);
    for (const { id, impact, help, nodes } of found) {
      const text = `${shape}: axe ${impact} ${id}: ${help}: ${nodes.join(" ")}`;
      if (impact === "serious" || impact === "critical") wrong(text);
      else console.log(`note: ${name}: ${text}`);
    }
    const shot = await page("Page.captureScreenshot", {
      captureBeyondViewport: true,
      clip: { x: 0, y: 0, width, height: Math.min(seen.height, 16_000), scale: 1 },
    });
    writeFileSync(join(folder, `${name}-${shape}.png`), Buffer.from(shot.data, "base64"));
  }
  // Sorting by keyboard: a button in a head, and the rows change places.
  const sorted = await evaluate(`(() => {
    const head = document.querySelector("table.sortable th button")?.parentNode;
    if (!head) return "no table can be sorted";
    head.querySelector("button").click();
    return head.getAttribute("aria-sort") === "ascending" ? "" : "a click does not sort";
  })()`);
  if (sorted) wrong(sorted);
  const pdf = await page("Page.printToPDF", { printBackground: true });
  const printed = Buffer.from(pdf.data, "base64");
  if (!printed.subarray(0, 5).equals(Buffer.from("%PDF-")) || printed.length < 20_000) wrong("does not print to PDF");
  writeFileSync(join(folder, `${name}.pdf`), printed);
  listeners.delete(listener);
  await send("Target.closeTarget", { targetId });
  looked += 1;
  console.log(`${name}: ${bytes} bytes, PDF ${printed.length} bytes`);
}

try {
  for (const shape of ["table", "transactions", "sequences"])
    for (const edition of ["report", "audit"]) await look(`${shape}-${edition}`, join(folder, "runs", shape, `${edition}.html`));
  problems.forEach((problem) => console.error(`test-report: ${problem}`));
  const failed = new Set(problems.map((problem) => problem.split(":")[0])).size;
  console.log(`reports: ${looked - failed} passed, ${failed} failed`);
  end(problems.length ? 1 : 0);
} catch (error) {
  fail(error.stack);
}
