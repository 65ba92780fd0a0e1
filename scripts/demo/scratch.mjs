// The scratch directory of a demonstration: a small git project, and a place for all state.
// Everything lives below one temporary directory and goes with it; nothing of the user's configuration is read.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { plainEnvironment } from "../../fixtures/stand-in-model/environment.mjs"

/**
 * @typedef {object} Project  files by path: in the one commit, and staged after it
 * @property {Readonly<Record<string, string>>} committed
 * @property {Readonly<Record<string, string>>} staged
 *
 * @typedef {object} Scratch
 * @property {string} project    the git repository
 * @property {string} stateRoot
 * @property {string} codexHome  not made yet
 * @property {Readonly<Record<string, string>>} environment  the whole environment for children, but for codex's
 * @property {() => string} changed  what was changed since: a diff, then the new files
 * @property {() => void} remove
 */

/** Makes the project. @param {Project} project @returns {Scratch} */
export const makeScratch = ({ committed, staged }) => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "ooda-demo-")))
  const environment = plainEnvironment(directory)
  const project = join(directory, "shop")
  /** @param {ReadonlyArray<string>} args */
  const git = (...args) => execFileSync("git", args, { cwd: project, env: environment, encoding: "utf8" })
  /** @param {Readonly<Record<string, string>>} files */
  const write = (files) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(project, path)), { recursive: true })
      writeFileSync(join(project, path), text)
    }
    git("add", ".")
  }

  mkdirSync(project)
  git("init", "--quiet", "--initial-branch", "main")
  write(committed)
  git("commit", "--quiet", "--message", "Begin")
  write(staged)
  return {
    project,
    stateRoot: join(directory, "state"),
    codexHome: join(directory, "codex-home"),
    environment,
    changed: () => git("diff", "-U0") + git("ls-files", "--others", "--exclude-standard"),
    remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}
