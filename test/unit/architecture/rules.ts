// rules: what each room of the house may import and use, and how every file looks.
// The one rule: the rules never bend for a file.
import { basename, dirname, join, normalize } from "node:path"
import { doors, type Room, roomOf, wing } from "./rooms.ts"
import type { Import, Source } from "./Source.ts"

// Only entries and commands may leave a part of the program unloaded until it is called for.
const lazy: ReadonlyArray<Room> = ["main", "program", "commands", "cli", "hookProgram"]

const packages = (room: Room): RegExp => {
  // Plan files are YAML, and nothing else is.
  if (room === "core/plan") return /^(effect|yaml)$/
  // Configuration files are TOML.
  if (room === "core/config") return /^(effect|smol-toml)$/
  // The rooms that speak to a database and its queues: Effect calls these modules unstable, so that nobody else may lean
  // on them.
  if (room === "adapters/sql") return /^(effect(\/(sql|persistence)\/\w+)?|@effect\/sql-pg\/\w+)$/
  if (room === "fleet") return /^effect(\/persistence\/PersistedQueue)?$/
  switch (wing(room)) {
    case "cli":
    case "commands":
      return /^effect(\/cli)?$/
    case "runs":
      // The compiler of schemas, for logs that are walked.
      return /^effect(\/schema\/SchemaJITCompiler)?$/
    case "testing":
      return /^(effect|effect\/testing|fast-check)$/
    case "main":
      return /^(effect|node:[a-z_/]+|@effect\/platform-node\/\w+)$/
    case "layers":
      return /^(effect|@effect\/platform-node\/\w+)$/
    case "adapters":
      // Of @effect/platform-node single modules only: its barrel cannot be shaken.
      return /^(effect|node:[a-z_/]+|@effect\/platform-node\/\w+)$/
    default:
      return /^effect$/
  }
}

/** The data modules of effect: plain values and pure functions, nothing that runs. */
const dataModules = new Set([
  "Array",
  "BigInt",
  "Boolean",
  "Brand",
  "Chunk",
  "Combiner",
  "Data",
  "Equal",
  "Equivalence",
  "Exit",
  "Filter",
  "Hash",
  "HashMap",
  "HashSet",
  "Iterable",
  "Match",
  "Number",
  "Option",
  "Order",
  "Ordering",
  "Predicate",
  "Record",
  "Reducer",
  "Result",
  "Schema",
  "SchemaIssue",
  "SchemaTransformation",
  "String",
  "Struct",
  "Tuple",
  "Types",
  "flow",
  "identity",
  "pipe"
])

const impure =
  /^(Date\(\)|Date\.now|Math\.random|process|performance|crypto|console|globalThis|require|fetch|import\.meta)(?!\w)/
const timers = /^(set(Timeout|Interval|Immediate)|queueMicrotask|Atomics\.wait)(?!\w)/
const environment = /^process\.(env|cwd|argv|chdir|exit)(?!\w)/
const clock = /^(Date\(\)|Date\.now|performance|Math\.random)/

/** A variable of a module, or a collection that starts empty: what one call leaves there, the next one finds. */
const state = /^(export )?(let |var |const \w+(: [^=]+)? = new (Map|Set|WeakMap|WeakSet)(<.*>)?\(\))/

// What programs print leaves through `jsonText`, which hides nothing; the log has a codec of its own.
const jsonRooms: ReadonlyArray<Room> = [
  "core/text",
  "core/log",
  "core/run",
  "adapters/log",
  "adapters/codex",
  "testing"
]
const json = /^JSON\.stringify(?!\w)/
// Formats of one report: what two of them share lies below them.
const siblings = /^src\/core\/findings\/formats\//

const target = (source: Source, from: string): string => normalize(join(dirname(source.path), from))

// They read the environment of the process, unseen by the rule about `process.env`.
const unseen: ReadonlyArray<string> = ["tmpdir", "homedir", "*"]

const outsideProblems = (room: Room, { dynamic, from, names }: Import): ReadonlyArray<string> => {
  if (!packages(room).test(from)) return [`${room} imports ${from}`]
  const reads = from === "node:os" ? names.filter((name) => unseen.includes(name)) : []
  if (reads.length > 0) return reads.map((name) => `${room} imports ${name} of ${from}, which reads the environment`)
  if (dynamic && !lazy.includes(room)) return [`${room} loads ${from} lazily`]
  if (wing(room) !== "core" || from !== "effect") return []
  return names.filter((name) => !dataModules.has(name))
    .map((name) => `${room} imports ${name} of ${from}, which is no data module`)
}

const importProblems = (source: Source): ReadonlyArray<string> => {
  const room = roomOf(source.path)
  if (room === null) return ["lies in no room: name its room and its doors in rooms.ts"]
  return source.imports.flatMap((one) => {
    const { dynamic, from } = one
    if (!from.startsWith(".")) return outsideProblems(room, one)
    const other = target(source, from)
    if (!other.startsWith("src/")) return [`imports ${from}, outside src`]
    if (!from.endsWith(".ts")) return [`imports ${from} without .ts`]
    const entered = roomOf(other)
    if (entered === null || (entered !== room && !doors[room].includes(entered))) {
      return [`${room} imports ${entered ?? "no room"} (${from})`]
    }
    if (siblings.test(source.path) && siblings.test(other)) return [`imports ${from}, another format`]
    return dynamic && !lazy.includes(room) ? [`${room} loads ${from} lazily`] : []
  })
}

const globalProblems = ({ globals, path }: Source): ReadonlyArray<string> => {
  const room = roomOf(path)
  const forbidden = (name: string): boolean => {
    if (json.test(name)) return room === null || !jsonRooms.includes(room)
    switch (room === null ? "core" : wing(room)) {
      case "adapters":
        return environment.test(name)
      case "main":
        return clock.test(name)
      case "core":
      case "cli":
      case "commands":
        return impure.test(name) || timers.test(name)
      default:
        return impure.test(name) && name !== "crypto.subtle"
    }
  }
  return [...new Set(globals.filter(forbidden))].map((name) => `${room} uses ${name}`)
}

const shapeProblems = ({ lines, path }: Source): ReadonlyArray<string> => {
  const [first = ""] = lines[0]?.startsWith("#!") ? lines.slice(1) : lines
  const name = basename(path, ".ts")
  const problems: Array<string> = []
  if (!/^\/\/ [\w.-]+: \S/.test(first)) problems.push("does not say in its first line what it is (`// Name: ...`)")
  else if (!first.startsWith(`// ${name}: `)) {
    problems.push(`calls itself by another name than ${name} in its first line`)
  }
  for (const [i, line] of lines.entries()) {
    if (line.length > 120) problems.push(`line ${i + 1} is wider than 120 columns`)
    if (state.test(line)) problems.push(`line ${i + 1} keeps state between calls`)
    if (/\b(TODO|FIXME|HACK)\b/.test(line)) problems.push(`line ${i + 1} leaves something to do`)
  }
  return problems
}

/** Whoever decides by the words of a message breaks when they change: errors carry tagged reasons. */
const parsed =
  /\b(message|reason)\)?\.(includes|startsWith|endsWith|match|search|indexOf|split)\(|\.(test|exec)\(([\w?]+\.)*(message|reason)\)/
const error = /\bTaggedError<(\w+)>\(\)\("\w+", \{([\s\S]*?)\}\) \{/g
const brackets = /[({[][^(){}[\]]*[)}\]]/g
// What a tagged reason holds may be the words of a stranger. `what` beside a reason says what was being done.
const untagged = /\b(reason|problem|why|cause|detail|message|text): Schema\.String\b/
const wrapped = /Schema\.(?:NullOr|optionalKey|optional)\((Schema\.String)\)/g

/** The fields that an error has itself, without those of its reason. */
const ownFields = (fields: string): string => {
  const outer = fields.replaceAll(brackets, "")
  return outer === fields ? fields : ownFields(outer)
}

const errorProblems = ({ lines }: Source): ReadonlyArray<string> => [
  ...lines.flatMap((line, i) => parsed.test(line) ? [`line ${i + 1} parses a message`] : []),
  ...[...lines.join("\n").matchAll(error)].flatMap(([, name = "", fields = ""]) => {
    const [, field] = untagged.exec(ownFields(fields.replaceAll(wrapped, "$1"))) ?? []
    return field === undefined ? [] : [`${name} has a ${field} without a tag`]
  })
]

// Where paths of a run are composed, and the names by which a log itself tells of what its run keeps.
const layouts: ReadonlyArray<string> = [
  "src/adapters/store/Layout.ts",
  "src/adapters/store/AgentLayout.ts",
  "src/core/run/KeptName.ts"
]

/** What only a path of a run has in it: its parts by their names, its files by theirs, or the references in a row. */
const layout = new RegExp(
  [
    /\/(latest|lock|levels|runs|texts|torn)(\/|$)/,
    /(^|\/)(levels|runs|texts|torn)\//,
    /(^|\/)level-\$\{/,
    /(^|\/)(manifest\.jsonl|head\.json|findings\.md|history\.md)/,
    /\$\{\w*\}[-./\w]*\.(log|out|exit|run|lock|review\.json)$/,
    /\$\{root\}\/.*\$\{(repoId|targetKey|runId)\}/,
    /\/\$\{runId\}/
  ].map(({ source }) => source).join("|")
)

const layoutProblems = ({ composed, path }: Source): ReadonlyArray<string> => {
  const found = layouts.includes(path) ? [] : composed.filter((text) => layout.test(text))
  return found.map((text) => `composes a path of a run, ${text}`)
}

// A log of any kind fits: of runs it knows what they are called, and nothing of what happens in them.
const ofAnyKind =
  /^src\/(adapters\/log\/|adapters\/sql\/(Committing|EventLogSql|Reading|SqlLog|Statements|Verify)\.|services\/EventLog\.ts|runs\/WalkLog\.ts)/

const kindProblems = (source: Source): ReadonlyArray<string> =>
  ofAnyKind.test(source.path)
    ? source.imports.filter(({ from }) => from.startsWith(".")).map(({ from }) => target(source, from))
      .filter((other) => /^src\/core\/run\//.test(other) && other !== "src/core/run/Refs.ts")
      .map((other) => `knows of ${other}, and is to fit logs of every kind`)
    : []

/**
 * A parameter of a port, or a field, that is a place on a disk: a run is named by references, or another store could not
 * keep it. Errors may name one, and `cwd` and `worktree` say whose code is meant.
 */
const placed = /\b(paths?|dir|directory|directories|files?)\??: (?!Schema\.)/g

/** The fields that are no place of a run, or that nobody but people and programs outside read. */
const otherPlaces: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "src/services/Comments.ts": { file: "the document of a job that is put on a pull request" },
  "src/services/Deliveries.ts": { path: "relative to a run, as a name", files: "what a reviewer left, by such names" },
  "src/services/FleetStore.ts": { files: "what a run is exported as, by such names" },
  "src/services/RunStore.ts": { directory: "given, and for reading alone", path: "given, and for reading alone" },
  "src/services/SessionFiles.ts": { path: "a file of Claude Code, by its event", paths: "files that a session edited" },
  "src/services/SettingsFiles.ts": { path: "given, and for reading alone" },
  "src/services/Snapshots.ts": { files: "given: names of files of the code" }
}

const portProblems = ({ lines, path }: Source): ReadonlyArray<string> =>
  lines.flatMap((line, i) =>
    path.startsWith("src/services/") && !/^\s*(\/\/|\*|\/\*\*)/.test(line)
      ? [...line.matchAll(placed)].filter(([, name = ""]) => otherPlaces[path]?.[name] === undefined)
        .map(() => `line ${i + 1}: a port takes a place on a disk`)
      : []
  )

/** Everything that is wrong with a file, each problem in one line. */
export const problems = (source: Source): ReadonlyArray<string> =>
  [
    ...importProblems(source),
    ...globalProblems(source),
    ...layoutProblems(source),
    ...source.unsafe.map((what) => `silences the type checker with ${what}`),
    ...errorProblems(source),
    ...kindProblems(source),
    ...portProblems(source),
    ...shapeProblems(source)
  ].map((problem) => `${source.path}: ${problem}`)

/** The files that each file imports once types are erased. */
const imported = (sources: ReadonlyArray<Source>, lazily: boolean): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(sources.map((source) => [
    source.path,
    source.imports.flatMap(({ dynamic, erased, from }) =>
      erased || (dynamic && !lazily) || !from.startsWith(".") ? [] : [target(source, from)]
    )
  ]))

/** The files that are loaded with some of them: all that these import, and what that imports, but nothing lazily. */
export const loadedWith = (sources: ReadonlyArray<Source>, entries: ReadonlyArray<string>): ReadonlySet<string> => {
  const edges = imported(sources, false)
  const found = new Set(entries)
  for (const path of found) for (const next of edges.get(path) ?? []) found.add(next)
  return found
}

/** The circles of imports that remain once types are erased, each as the files on it. */
export const circles = (sources: ReadonlyArray<Source>): ReadonlyArray<string> => {
  const edges = imported(sources, true)
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
