// The scratch directory of the demonstration: a small git project with a planted defect, and a place for all state.
// Everything lives below one temporary directory and goes with it; nothing of the user's configuration is read.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { plainEnvironment } from "../../fixtures/stand-in-model/environment.mjs"

/** What is committed: right, but only for one purpose. */
const COMMITTED = `export const total = (prices) => prices.reduce((sum, price) => sum + price, 0)
`

/** What is not committed yet: a new file whose loop runs one past the end. */
const PLANTED = `import { total } from "./total.mjs"

export const average = (prices) => total(prices) / prices.length

export const dearest = (prices) => {
  let most = prices[0]
  for (let index = 1; index <= prices.length; index += 1) {
    most = Math.max(most, prices[index])
  }
  return most
}
`

/** The project's tests do not reach the defect. */
const TEST = `import assert from "node:assert/strict"
import { test } from "node:test"
import { average } from "../src/statistics.mjs"

test("the average of prices", () => assert.equal(average([2, 4, 9]), 5))
`

/**
 * @typedef {object} Scratch
 * @property {string} project    the git repository
 * @property {string} stateRoot
 * @property {string} codexHome  not made yet
 * @property {Readonly<Record<string, string>>} environment  the whole environment for children, but for codex's
 * @property {() => string} changed  what the agent changed: a diff, then the new files
 * @property {() => void} remove
 */

/** Makes the project: one commit, then staged work with the defect. @returns {Scratch} */
export const makeScratch = () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "ooda-demo-")))
  const environment = plainEnvironment(directory)
  const project = join(directory, "shop")
  /** @param {string} path @param {string} text */
  const write = (path, text) => writeFileSync(join(project, path), text)
  /** @param {ReadonlyArray<string>} args */
  const git = (...args) => execFileSync("git", args, { cwd: project, env: environment, encoding: "utf8" })

  for (const path of ["src", "test"]) mkdirSync(join(project, path), { recursive: true })
  git("init", "--quiet", "--initial-branch", "main")
  write("src/total.mjs", COMMITTED)
  git("add", ".")
  git("commit", "--quiet", "--message", "Add totals")
  write("src/statistics.mjs", PLANTED)
  write("test/statistics.test.mjs", TEST)
  git("add", ".")
  return {
    project,
    stateRoot: join(directory, "state"),
    codexHome: join(directory, "codex-home"),
    environment,
    changed: () => git("diff", "-U0") + git("ls-files", "--others", "--exclude-standard"),
    remove: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}
