// Which program to start as the server. Knows nothing of VS Code.

import * as path from "path";

/** Name of the program on this system. */
export function programName(platform: string): string {
  return platform === "win32" ? "cudalint.exe" : "cudalint";
}

/**
 * The program to start: the one that is set, else the one that comes with the extension, else the
 * one on the PATH, which the system looks for.
 */
export function program(
  setting: string,
  extensionFolder: string,
  platform: string,
  exists: (file: string) => boolean,
): string {
  if (setting.trim() !== "") {
    return setting.trim();
  }
  const bundled = path.join(extensionFolder, "server", programName(platform));
  return exists(bundled) ? bundled : programName(platform);
}
