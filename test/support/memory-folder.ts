/** A folder in memory for the files of a test run: databases there cost less processor time than on a disk. */

import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The file system in memory that Linux provides. In a container it can be small, or refuse programs. */
const MEMORY = "/dev/shm";
/** Bytes that must be free there, and in memory as a whole. A run uses about a tenth of this. */
const ROOM = 4 * 1024 ** 3;

/** Makes a folder that is deleted when this process ends. Undefined: there is too little memory, or it isn't Linux. */
export function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (Math.min(bavail * bsize, process.availableMemory()) < ROOM) return undefined;
    const folder = mkdtempSync(join(MEMORY, "assent-tests-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    // PostgreSQL runs as another user if we are root.
    chmodSync(folder, 0o1777);
    const program = join(folder, "program");
    writeFileSync(program, "#!/bin/sh\n", { mode: 0o755 });
    execFileSync(program);
    return folder;
  } catch {
    return undefined;
  }
}
