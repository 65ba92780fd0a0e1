// author: who writes the lines of this process.
// The one rule: information for people; nothing is ever decided by it.
import * as os from "node:os"
import pkg from "../../../package.json" with { type: "json" }
import type { Author } from "../../core/Line.ts"

/** This process. */
export const thisProcess: Author = { version: pkg.version, pid: process.pid, host: os.hostname() }
