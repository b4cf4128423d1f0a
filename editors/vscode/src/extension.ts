// The extension: starts `cudalint lsp` and shows what it says. All analysis is the server's.

import * as fs from "fs";
import * as vscode from "vscode";
import {
  ExecuteCommandRequest,
  LanguageClient,
  LanguageClientOptions,
  ServerOptions,
  State,
  TransportKind,
} from "vscode-languageclient/node";
import { problemOfBlock, readShape } from "./launch";
import { program } from "./server";

/** Scheme of the read-only documents that show lists and pages. */
const SCHEME = "cudalint";

let client: LanguageClient | undefined;
let status: vscode.StatusBarItem;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const pages = new Pages();
  status = vscode.window.createStatusBarItem("cudalint", vscode.StatusBarAlignment.Right, 0);
  status.name = "cudalint";
  status.command = "cudalint.restartServer";
  context.subscriptions.push(
    status,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, pages),
    vscode.commands.registerCommand("cudalint.restartServer", () => start(context, pages)),
    vscode.commands.registerCommand("cudalint.showAccessesHere", () => showAccesses(pages)),
    vscode.commands.registerCommand("cudalint.chooseLaunchHere", () => chooseLaunch()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("cudalint.server.path")) {
        return start(context, pages);
      }
    }),
    vscode.window.onDidChangeActiveTextEditor(() => showStatus()),
  );
  await start(context, pages);
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

async function start(context: vscode.ExtensionContext, pages: Pages): Promise<void> {
  await client?.dispose();
  const settings = vscode.workspace.getConfiguration("cudalint");
  const command = program(
    settings.get("server.path", ""),
    context.extensionPath,
    process.platform,
    (file) => fs.existsSync(file),
  );
  const server: ServerOptions = { command, args: ["lsp"], transport: TransportKind.stdio };
  const options: LanguageClientOptions = {
    documentSelector: [
      { language: "cuda-cpp" },
      { language: "cuda" },
      { pattern: "**/*.{cu,cuh}" },
    ],
    initializationOptions: settings,
    synchronize: { configurationSection: "cudalint" },
    middleware: {
      // Lists and pages come as Markdown: show them beside the code.
      executeCommand: async (name, parameters, next) => {
        const result: unknown = await next(name, parameters);
        if (typeof result === "string") {
          await pages.show(name, result);
        }
        return result;
      },
    },
  };
  client = new LanguageClient("cudalint", "cudalint", server, options);
  client.onDidChangeState((change) => showStatus(change.newState));
  try {
    await client.start();
  } catch (error) {
    void vscode.window.showErrorMessage(
      `cudalint: \`${command}\` cannot be started (${String(error)}); ` +
        "install it, or set cudalint.server.path.",
    );
  }
  showStatus();
}

function showStatus(state: State | undefined = client?.state): void {
  const document = vscode.window.activeTextEditor?.document;
  if (document === undefined || !/\.cuh?$/.test(document.fileName)) {
    status.hide();
    return;
  }
  switch (state) {
    case State.Running:
      status.text = "$(check) cudalint";
      status.tooltip = "cudalint is running; click to restart it";
      break;
    case State.Starting:
      status.text = "$(loading~spin) cudalint";
      status.tooltip = "cudalint is starting";
      break;
    default:
      status.text = "$(warning) cudalint";
      status.tooltip = "cudalint is not running; click to start it";
  }
  status.show();
}

function execute(command: string, ...parameters: unknown[]): Promise<unknown> {
  if (client === undefined || client.state !== State.Running) {
    return Promise.reject(new Error("cudalint is not running"));
  }
  return client.sendRequest(ExecuteCommandRequest.type, { command, arguments: parameters });
}

async function showAccesses(pages: Pages): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document !== undefined) {
    const uri = client?.code2ProtocolConverter.asUri(document.uri);
    const list = await execute("cudalint.showAccesses", uri);
    await pages.show("cudalint.showAccesses", String(list));
  }
}

async function chooseLaunch(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const word = editor?.document.getWordRangeAtPosition(editor.selection.active);
  const kernel = await vscode.window.showInputBox({
    prompt: "Kernel, as it is called in the code",
    value: word === undefined ? "" : editor?.document.getText(word),
  });
  if (kernel === undefined || kernel === "") {
    return;
  }
  const block = await vscode.window.showInputBox({
    prompt: `Block to analyse ${kernel} with; empty for the launches in the code`,
    placeHolder: "32 x 8",
    validateInput: (text) => (text.trim() === "" ? undefined : problemOfBlock(text)),
  });
  if (block === undefined) {
    return;
  }
  const shape = readShape(block);
  await (shape === undefined
    ? execute("cudalint.forgetLaunch", kernel)
    : execute("cudalint.chooseLaunch", { kernel, block: shape }));
}

/** Texts of the server as documents of their own. */
class Pages implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? "";
  }

  async show(command: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `${command.replace("cudalint.", "")}.md` });
    this.texts.set(uri.path, text);
    this.changed.fire(uri);
    await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
  }
}
