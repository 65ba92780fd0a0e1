// Line: what this machine adds to the lines of a log: the hash function, the author, the error for a bad one.
// The one rule: one-shot hashing; a hash object per line costs several times as much.
import * as crypto from "node:crypto"
import { hostname } from "node:os"
import type { Author, Sha256 } from "../../core/log/Frame.ts"
import type { LineProblem } from "../../core/log/LineProblem.ts"
import { version } from "../../core/Version.ts"
import { LogDamaged, LogTooNew } from "../../services/EventLog.ts"
import type { Anchor } from "./Head.ts"

/** The lower-case hexadecimal sha256. */
export const sha256: Sha256 = (data) => crypto.hash("sha256", data, "hex")

/** Who writes the lines of this process: information for people, nothing is decided by it. */
export const thisProcess: Author = { version, pid: process.pid, host: hostname() }

/** The error for the line after `after` that cannot be used. */
export const lineError = (path: string, problem: LineProblem, after: Anchor): LogDamaged | LogTooNew =>
  problem._tag === "TooNew"
    ? new LogTooNew({ path, reason: problem.newer })
    : new LogDamaged({ path, kind: problem.kind, line: after.seq + 1, offset: after.offset })
