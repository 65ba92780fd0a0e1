// places: names the progress of a driven run at a file call; the name is the same whenever the run gets there again.
// A name contains no number that another try would change, so that new places are recognised.
import fs from "node:fs"
import { join } from "node:path"

const { readdirSync, readFileSync } = fs

// Drivers begin and end with these events, which say nothing about the progress of the work.
const driving = /^(Driver|Consent)/
const identifying = ["kind", "cycle", "round", "mark", "taskId", "because"]

/** @typedef {{ readonly at: string, readonly events: ReadonlyArray<Record<string, unknown>> }} Line */

/** @param {Record<string, unknown>} event */
const words = (event) => [event["_tag"], ...identifying.map((name) => event[name] ?? "")].join(" ").trimEnd()

/** @param {string} text @returns {ReadonlyArray<Line>} */
const linesOf = (text) =>
  text.split("\n").slice(0, -1).filter((line) => line.startsWith("{")).map((line) => JSON.parse(line))

/** @param {Line} line */
const workOf = ({ events }) => events.findLast(({ _tag }) => !driving.test(`${_tag}`))

/** The lines of all logs below a directory, in the order of their times. @param {string} root */
const loggedLines = (root) =>
  readdirSync(root, { recursive: true })
    .filter((name) => /\/runs\/[^/]+\/(?:manifest|converge|plan)\.jsonl$/.test(`${name}`))
    .flatMap((name) => linesOf(readFileSync(join(root, `${name}`), "utf8")))
    .sort((a, b) => a.at < b.at ? -1 : 1)

/** A path without what differs from run to run, or from try to try. @param {string} path */
const steady = (path) =>
  path.replace(/.*\/\.scratch\/.*/, "scratch")
    .replace(/\.\d+\.[0-9a-f]+\.new$/, ".new")
    .replaceAll(/\.\d+\.[0-9a-f]{8}(?=\/|$)/g, "")
    .replace(/\/tmp_[0-9a-f]{12}$/, "/tmp")
    .replace(/(?<=\/(?:pack|tmp_)-)[0-9a-f]{40,64}(?=\.)/, "N")
    .replaceAll(/(?<=[/.])(?:\d[\w.:-]*-[\w-]+|[0-9a-f]{16,}|\d+)(?=[/.]|$)/g, "N")
    .replaceAll(/(?:level-\w+|batch-\d+|(?:low|medium|high|xhigh)-\d+)/g, "N")

/** Names places as a program continues from the logs below a directory. @param {string} root */
export const naming = (root) => {
  const before = loggedLines(root).map(workOf).findLast((event) => event !== undefined)
  let now = "start"
  /** @type {Map<string, number>} */
  let times = new Map()
  return {
    /** The place of a call. @param {string} name @param {string} subject */
    place: (name, subject) => {
      const path = steady(subject.startsWith(root) ? subject.slice(root.length) : subject)
      // A copy of the index is made and removed in the same way wherever it is needed.
      const call = path === "scratch" ? `${name} scratch` : `${now}: ${name} ${path}`
      const count = (times.get(call) ?? 0) + 1
      times.set(call, count)
      // Reading the code asks git many questions; one death among them is enough.
      return path === "scratch" || /^spawn(Sync)?$/.test(name) && path === "git" ? call : `${call} ${count}`
    },
    /** The last line that a program wrote into a log names its progress. @param {string} text */
    wrote: (text) => {
      const line = linesOf(text).at(-1)
      if (line === undefined) return
      const work = workOf(line)
      if (work === undefined && now !== "start") return
      now = work === undefined ? before === undefined ? "a new run" : words(before) : words(work)
      times = new Map()
    }
  }
}
