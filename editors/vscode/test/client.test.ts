// The extension's own logic, and the talk with the real server through the library that the
// extension uses. CUDALINT names the server; without it the one on the PATH is tried.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  DocumentDiagnosticRequest,
  ExecuteCommandRequest,
  ExitNotification,
  DidOpenTextDocumentNotification,
  InitializedNotification,
  InitializeRequest,
  InlayHintRequest,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import { problemOfBlock, readShape } from "../src/launch";
import { program } from "../src/server";

test("the server is the one that is set, bundled, or on the path", () => {
  const bundled = path.join("ext", "server", "cudalint");
  assert.equal(program(" /opt/cudalint ", "ext", "linux", () => true), "/opt/cudalint");
  assert.equal(program("", "ext", "linux", (file) => file === bundled), bundled);
  assert.equal(program("", "ext", "linux", () => false), "cudalint");
  assert.equal(program("", "ext", "win32", () => false), "cudalint.exe");
});

test("launch shapes are read as people type them", () => {
  assert.deepEqual(readShape("256"), [256]);
  assert.deepEqual(readShape(" 32 x 8 "), [32, 8]);
  assert.deepEqual(readShape("32, 8, 2"), [32, 8, 2]);
  for (const text of ["", "0", "32 x", "1 2 3 4", "-1", "n"]) {
    assert.equal(readShape(text), undefined, text);
  }
  assert.equal(problemOfBlock("32 x 8"), undefined);
  assert.match(problemOfBlock("64 x 64") ?? "", /1024/);
});

test("the settings of the package are those that the server reads", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8"));
  const names = Object.keys(manifest.contributes.configuration.properties).map((name) =>
    name.replace("cudalint.", ""),
  );
  const server = readFileSync("../../src/lsp/settings.rs", "utf8");
  const struct = /pub struct Settings \{([^}]*)\}/.exec(server)?.[1] ?? "";
  const fields = [...struct.matchAll(/pub (\w+):/g)].map(([, name]) =>
    name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
  );
  assert.ok(fields.length > 5);
  const own = ["server.path", "trace.server"];
  assert.deepEqual(names.filter((name) => !own.includes(name)).sort(), fields.sort());
});

test("the server answers a client built on the same library", async (context) => {
  const command = process.env["CUDALINT"] ?? program("", ".", process.platform, () => false);
  const child = spawn(command, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  const failed = await new Promise<boolean>((resolve) => {
    child.once("error", () => resolve(true));
    child.once("spawn", () => resolve(false));
  });
  if (failed) {
    context.skip(`${command} does not run; CUDALINT names another`);
    return;
  }
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  connection.listen();
  const file = path.resolve("../../tests/snapshots/example.cu");
  const uri = pathToFileURL(file).toString();
  const greeting = await connection.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: { textDocument: { diagnostic: {} } },
  });
  assert.equal(greeting.serverInfo?.name, "cudalint");
  await connection.sendNotification(InitializedNotification.type, {});
  await connection.sendNotification(DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "cuda-cpp", version: 1, text: readFileSync(file, "utf8") },
  });
  const textDocument = { uri };
  const report = await connection.sendRequest(DocumentDiagnosticRequest.type, { textDocument });
  assert.ok(report.kind === "full");
  assert.deepEqual(
    report.items.map((item) => item.code),
    ["CL101", "CL202", "CL201"],
  );
  const range = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
  const hints = await connection.sendRequest(InlayHintRequest.type, { textDocument, range });
  assert.ok(hints?.some((hint) => hint.label === "32-way"));
  const list: unknown = await connection.sendRequest(ExecuteCommandRequest.type, {
    command: "cudalint.showAccesses",
    arguments: [uri, "transpose"],
  });
  assert.match(String(list), /32-way/);
  await connection.sendRequest(ShutdownRequest.type);
  await connection.sendNotification(ExitNotification.type);
  const code = await new Promise((resolve) => child.once("exit", resolve));
  assert.equal(code, 0);
  connection.dispose();
});
