// rules: what each room of the house may import and use, and how every file looks.
// The one rule: the rules never bend for a file; an exception is a named file with its reason.
import { dirname, join, normalize } from "node:path"
import type { Source } from "./Source.ts"

type Room = "core" | "services" | "adapters" | "cli" | "program" | "history" | "testing" | "entry" | "api"

/** The room of a file, by its path from the repository's root. */
export const roomOf = (path: string): Room => {
  const [, first = "", second] = path.split("/")
  if (second === undefined) {
    // `main` answers help alone, so that help does not load the program; `live` is the rest of the entry.
    if (first === "main.ts" || first === "live.ts") return "entry"
    if (first === "index.ts") return "api"
    return first === "testing.ts" ? "testing" : "program"
  }
  switch (first) {
    case "core":
    case "services":
    case "adapters":
    case "cli":
    case "history":
    case "testing":
      return first
    default:
      // A room that nobody has planned has no door yet: it may be entered from nowhere but itself.
      return "core"
  }
}

const rooms: Record<Room, ReadonlyArray<Room>> = {
  core: ["core"],
  services: ["core", "services"],
  adapters: ["core", "services", "adapters"],
  cli: ["core", "cli"],
  program: ["core", "services", "program"],
  history: ["core", "services", "program", "history"],
  testing: ["core", "services", "program", "history", "testing"],
  // The public API hands embedders the live layers, so it may name adapters beside the entry.
  api: ["core", "services", "program", "history", "adapters", "api"],
  entry: ["core", "services", "program", "history", "adapters", "cli", "entry"]
}

const packages: Record<Room, RegExp> = {
  core: /^effect$/,
  services: /^effect$/,
  program: /^effect$/,
  history: /^effect$/,
  api: /^effect$/,
  entry: /^effect$/,
  cli: /^effect(\/cli)?$/,
  testing: /^(effect|effect\/testing|fast-check)$/,
  // Of @effect/platform-node single modules only: its barrel cannot be shaken.
  adapters: /^(effect|node:[a-z_/]+|@effect\/platform-node\/\w+)$/
}

/** The data modules of effect: plain values and pure functions, nothing that runs. */
const dataModules = new Set([
  "Array", "BigInt", "Boolean", "Brand", "Chunk", "Combiner", "Data", "Equal", "Equivalence", "Filter", "Hash", "HashMap",
  "HashSet", "Iterable", "Match", "Number", "Option", "Order", "Ordering", "Predicate", "Record", "Reducer", "Result",
  "Schema", "SchemaIssue", "SchemaTransformation", "String", "Struct", "Tuple", "Types", "flow", "identity", "pipe"
])

const impure = /^(Date\(\)|Date\.now|Math\.random|process|performance|crypto|console|globalThis|require|fetch|import\.meta)(?!\w)/
const timers = /^(set(Timeout|Interval|Immediate)|queueMicrotask|Atomics\.wait)(?!\w)/
const clock = /^(Date\(\)|Date\.now|performance|Math\.random)/

/** A variable of a module, or a collection that starts empty: what one call leaves there, the next one finds. */
const state = /^(export )?(let |var |const \w+(: [^=]+)? = new (Map|Set|WeakMap|WeakSet)(<.*>)?\(\))/

/** Small files that would gain nothing from growing, each with the reason. */
export const small: Readonly<Record<string, string>> = {
  "src/core/Version.ts": "one constant, read by the build, by --version and by the log's author",
  "src/core/VerdictSource.ts": "a token of events, apart from the classifier that few steps need",
  "src/cli/quoted.ts": "one way to quote, shared by every message",
  "src/cli/shortcut.ts": "what must load fast for --help, and nothing else",
  "src/services/GitHub.ts": "a port with one question",
  "src/services/Signals.ts": "a port with one question",
  "src/testing/memory/GitHub.ts": "the memory layer of a port with one question",
  "src/testing/memory/Signals.ts": "the memory layer of a port with one question",
  "src/adapters/codex/attempted.ts": "one way to run a file call whose failure is an answer",
  "src/adapters/codex/errorCode.ts": "one way to read the code of a system error"
}

const target = (source: Source, from: string): string => normalize(join(dirname(source.path), from))

const importProblems = (source: Source): ReadonlyArray<string> => {
  const room = roomOf(source.path)
  return source.imports.flatMap(({ from, names }) => {
    if (from.startsWith(".")) {
      const other = target(source, from)
      if (!other.startsWith("src/")) return [`imports ${from}, outside src`]
      if (!from.endsWith(".ts")) return [`imports ${from} without .ts`]
      return rooms[room].includes(roomOf(other)) ? [] : [`${room} imports ${roomOf(other)} (${from})`]
    }
    if (!packages[room].test(from)) return [`${room} imports ${from}`]
    const forbidden = room === "core" ? names.filter((name) => !dataModules.has(name)) : []
    return forbidden.map((name) => `core imports ${name} of ${from}, which is no data module`)
  })
}

const globalProblems = ({ globals, path }: Source): ReadonlyArray<string> => {
  const room = roomOf(path)
  const forbidden = (name: string): boolean => {
    if (room === "adapters") return false
    if (room === "entry") return clock.test(name)
    if (room === "core" || room === "cli") return impure.test(name) || timers.test(name)
    return impure.test(name) && name !== "crypto.subtle"
  }
  return [...new Set(globals.filter(forbidden))].map((name) => `${room} uses ${name}`)
}

const shapeProblems = ({ lines, path }: Source): ReadonlyArray<string> => {
  const [first = "", second = "", third = ""] = lines[0]?.startsWith("#!") ? lines.slice(1) : lines
  const problems: Array<string> = []
  if (!/^\/\/ [\w.-]+: \S/.test(first)) problems.push("does not say in its first line what it is (`// Name: ...`)")
  if (!/^\/\/ The one rule: \S/.test(second)) problems.push("does not say in its second line the one rule to keep")
  if (/^\/\/ \S/.test(third)) problems.push("has more than two comment lines at its head")
  if (lines.length > 200) problems.push(`has ${lines.length} lines, more than 200`)
  if (lines.length < 20 && !(path in small)) problems.push(`has ${lines.length} lines, fewer than 20`)
  for (const [i, line] of lines.entries()) {
    if (line.length > 120) problems.push(`line ${i + 1} is wider than 120 columns`)
    if (state.test(line)) problems.push(`line ${i + 1} keeps state between calls`)
    if (/\b(TODO|FIXME|HACK)\b/.test(line)) problems.push(`line ${i + 1} leaves something to do`)
  }
  return problems
}

/** Everything that is wrong with a file, each problem in one line. */
export const problems = (source: Source): ReadonlyArray<string> =>
  [
    ...importProblems(source),
    ...globalProblems(source),
    ...source.unsafe.map((what) => `silences the type checker with ${what}`),
    ...shapeProblems(source)
  ].map((problem) => `${source.path}: ${problem}`)

/** The circles of imports that remain once types are erased, each as the files on it. */
export const circles = (sources: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const edges = new Map(sources.map((source) => [
    source.path,
    source.imports.flatMap(({ erased, from }) => erased || !from.startsWith(".") ? [] : [target(source, from)])
  ]))
  const found: Array<string> = []
  const done = new Set<string>()
  const walk = (path: string, trail: ReadonlyArray<string>): void => {
    if (trail.includes(path)) found.push([...trail.slice(trail.indexOf(path)), path].join(" -> "))
    else if (!done.has(path)) {
      for (const next of edges.get(path) ?? []) walk(next, [...trail, path])
      done.add(path)
    }
  }
  for (const path of edges.keys()) walk(path, [])
  return found
}
