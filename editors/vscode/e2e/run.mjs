// Opens a file in VS Code in a browser, with the extension, and looks at what a user sees: a diagnostic, hints, the
// map in a hover, a quick fix that mends the text. Screenshots go into screenshots/.
//
//   CUDALINT  the program, else the one on the PATH      CHROMIUM  the browser, else the one on the PATH
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const program = (name, variable) =>
  process.env[variable] ? resolve(process.env[variable]) : execFileSync("which", [name], { encoding: "utf8" }).trim();
const server = program("cudalint", "CUDALINT");
const browserPath = program("chromium", "CHROMIUM");
const shots = join(here, "screenshots");
mkdirSync(shots, { recursive: true });

/** For what a page has to show; a busy machine takes long. */
const patience = 60_000;

const folder = mkdtempSync(join(tmpdir(), "cudalint-e2e-"));
const [workspace, data, extensions] = ["workspace", "data", "extensions"].map((name) => join(folder, name));
mkdirSync(join(data, "User"), { recursive: true });
mkdirSync(workspace);
const source = join(workspace, "transpose.cu");
cpSync(join(here, "transpose.cu"), source);
writeFileSync(
  join(data, "User", "settings.json"),
  JSON.stringify({
    "cudalint.server.path": server,
    "editor.minimap.enabled": false,
    "files.autoSave": "off",
    "security.workspace.trust.enabled": false,
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": false,
    "chat.commandCenter.enabled": false,
  }),
);

const codeServer = join(here, "node_modules", "code-server", "out", "node", "entry.js");
const common = ["--user-data-dir", data, "--extensions-dir", extensions, "--disable-telemetry", "--disable-update-check"];
const environment = { ...process.env, XDG_CONFIG_HOME: join(folder, "config"), XDG_CACHE_HOME: join(folder, "cache") };
delete environment.VSCODE_IPC_HOOK_CLI;
execFileSync(process.execPath, [codeServer, ...common, "--install-extension", join(here, "..", "cudalint.vsix")], {
  env: environment,
  stdio: "inherit",
});

const port = await new Promise((done) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => done(port));
  });
});
const child = spawn(
  process.execPath,
  [codeServer, ...common, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-workspace-trust", workspace],
  { env: environment, stdio: ["ignore", "pipe", "inherit"] },
);
await new Promise((done, fail) => {
  child.stdout.on("data", (text) => `${text}`.includes("HTTP server listening") && done());
  child.on("exit", (code) => fail(new Error(`code-server ended with ${code}`)));
});

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
let page;
let number = 0;
// What fades in is shown as it ends.
const shot = (name) => page.screenshot({ path: join(shots, `${++number}-${name}.png`), animations: "disabled" });
try {
  page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.setDefaultTimeout(patience);
  await page.goto(`http://127.0.0.1:${port}/?folder=${workspace}`);
  await page.locator(".monaco-workbench .explorer-folders-view").first().waitFor();
  await page.getByRole("treeitem", { name: "transpose.cu" }).dblclick();

  // The line of the load has a warning or error below it, and its number of ways beside it.
  const line = page.locator(".view-line", { hasText: "= tile[threadIdx.x][threadIdx.y]" });
  await page.locator(".squiggly-warning, .squiggly-error").first().waitFor();
  await page.locator(".view-line", { hasText: "32-way" }).first().waitFor();
  await shot("diagnostic-and-hints");
  const text = (await page.locator(".view-lines").innerText()).replaceAll("\u00a0", " ");
  assert.match(text, /32-way/, text);

  // The hover has the map and the proof.
  await line.getByText("tile", { exact: false }).last().hover();
  const hover = page.locator(".monaco-hover-content:visible", { hasText: "lane" }).first();
  await hover.waitFor();
  await page.locator(".monaco-hover-content:visible", { hasText: /Loading|Checking/ }).waitFor({ state: "detached" });
  await shot("hover");
  const said = (await hover.innerText()).replaceAll("\u00a0", " ");
  assert.match(said, /32/, said);
  await page.keyboard.press("Escape");

  // The problem stands in the list of problems.
  await page.keyboard.press("Control+Shift+M");
  await page.locator(".markers-panel .monaco-list-row", { hasText: "bank conflict" }).first().waitFor();
  await shot("problems");

  // The quick fix pads the tile, and what follows is clean.
  await line.click();
  await page.keyboard.press("End");
  await page.keyboard.press("F8");
  await page.keyboard.press("Escape");
  const action = page.locator(".action-widget .monaco-list-row", { hasText: /pad/i }).first();
  // The editor says that there is none where it asks twice at once and the first answer is not wanted any longer.
  for (const end = Date.now() + patience; !(await action.isVisible()); ) {
    assert.ok(Date.now() < end, "no quick fix");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+.");
    await action.waitFor({ timeout: 5_000 }).catch(() => {});
  }
  await shot("quick-fix");
  // The pointer is blocked until the widget has settled.
  await page.keyboard.press("Enter");
  await page.locator(".view-line", { hasText: "[TILE][TILE + 1]" }).waitFor();
  await page.locator(".view-line", { hasText: "32-way" }).waitFor({ state: "detached" });
  await shot("fixed");
  await page.keyboard.press("Control+s");
  await page.locator(".tab.active:not(.dirty)").waitFor();
  assert.match(readFileSync(source, "utf8"), /tile\[TILE\]\[TILE \+ 1\]/);
  console.log(`a diagnostic, hints, a hover and a fix were seen; screenshots in ${shots}`);
} catch (error) {
  await shot("failed").catch(() => {});
  throw error;
} finally {
  await browser.close();
  child.removeAllListeners("exit");
  child.kill();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
