// SessionGlance: the text of a session's file for whoever cannot wait for Effect, where all is as it mostly is.
// Wherever anything has to be weighed, such as a link or a repository around it, nothing is read.
import * as fs from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { sha256 } from "../text/Sha256.ts"
import { sessionFiles, sessionsDirectory } from "../run/Layout.live.ts"

const most = 4 * 1024 * 1024

const isIn = (path: string): boolean =>
  fs.existsSync(join(path, ".git")) || (dirname(path) !== path && isIn(dirname(path)))

/** Whether a directory is this user's alone, and is reached without a link. */
const isPlain = (path: string): boolean => {
  const { mode, uid } = fs.statSync(path)
  return fs.realpathSync(path) === path && uid === process.getuid?.() && (mode & 0o022) === 0
}

/** Where a session is kept: below a state root (null for the default one), as seen from `cwd`. */
export interface Glanced {
  readonly session: string
  readonly stateRoot: string | null
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The text, and what time it is; null where there is none, and where whoever reads it must look closer. */
export const glance = ({ cwd, env, session, stateRoot }: Glanced): { text: string; now: number } | null => {
  try {
    const root = resolve(
      cwd,
      stateRoot ?? (env["OODA_STATE_ROOT"] || join(env["TMPDIR"] || "/tmp", "ooda-codex-review"))
    )
    if (basename(root) === ".ooda" || isIn(root) || ![root, sessionsDirectory(root)].every(isPlain)) return null
    const { state } = sessionFiles(root, sha256(session))
    const facts = fs.lstatSync(state)
    if (!facts.isFile() || facts.uid !== process.getuid?.() || facts.size > most) return null
    return { text: fs.readFileSync(state, "utf8"), now: Date.now() }
  } catch {
    return null
  }
}
