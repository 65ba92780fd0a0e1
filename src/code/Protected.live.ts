// Protected.live: the files that no agent and no test may change, compared by bytes with the beginning of the run: all
// of `.ooda`, which decides what blocks; the files that `--protect` names by git's patterns; and those that engines obey,
// with what they import.
// Git may ignore them, but of what engines obey nothing counts that lies in other ignored directories, as in packages.
import * as fs from "node:fs"
import { normalize } from "node:path/posix"
import { Effect, Option, Schema } from "effect"
import type { RunRef } from "../log/Refs.ts"
import { hasCode, isSystemError } from "../platform/SystemError.ts"
import { protectedFile } from "../run/Layout.live.ts"
import { replaceFile } from "../run/SmallFile.live.ts"
import { jsonText } from "../text/Json.ts"
import { freeze, inTime } from "./Freeze.live.ts"
import { isIgnored, parseRules } from "./Ignore.ts"
import { isIgnoredInstruction, isInstruction } from "./Instructions.ts"
import { directoryOf, type Name } from "./Names.ts"
import { pathOf } from "./Nested.live.ts"
import { foldsCase, plainText } from "./Repository.live.ts"
import { entriesOf, type Store, tryFiles } from "./Store.live.ts"
import { foundAt, type Place, placeOf } from "./Undo.live.ts"

const State = Schema.Record(Schema.String, Schema.String)
type State = typeof State.Type

/** The protected files, by their pattern, and the ignore rules that apply to the files that engines obey. */
const Baseline = Schema.Struct({
  schema: Schema.Literal(1),
  rules: Schema.Array(Schema.Tuple([Schema.String, Schema.String])),
  states: Schema.Record(Schema.String, State)
})
type Baseline = typeof Baseline.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Baseline))

// A name that no pattern of git can have.
const own = "/.ooda"
const obeyed = "/instructions"
const hidden = "/ignored"
const imported = "/imports"
// Claude Code follows no more imports in a row.
const mostImports = 5

const digestAt = (place: Place, path: Name): string => {
  const found = foundAt(place, path)
  return typeof found === "string" ? found : `${found.mode} ${found.id}`
}

const wholly = (): boolean => true

/** Adds all protected files at or below a path. In a protected directory everything is; null leaves a path out. */
const collect = (
  place: Place,
  path: Name,
  isWanted: (path: Name, isDirectory: boolean) => boolean | null,
  into: Record<string, string>
): void => {
  let names: ReadonlyArray<fs.Dirent>
  try {
    names = fs.readdirSync(pathOf(path === "" ? place.root : `${place.root}/${path}`), {
      encoding: "latin1",
      withFileTypes: true
    })
  } catch (error) {
    if (!isSystemError(error)) throw error
    into[path] = error.code ?? ""
    return
  }
  for (const one of names) {
    const inner = path === "" ? one.name : `${path}/${one.name}`
    const isDirectory = one.isDirectory()
    const wanted = isWanted(inner, isDirectory)
    if (wanted === null) continue
    if (isDirectory) {
      // Git's own files there are compared as git's state.
      if (one.name !== ".git" || isWanted === wholly) collect(place, inner, wanted ? wholly : isWanted, into)
    } else if (wanted) into[inner] = digestAt(place, inner)
  }
}

const below = (place: Place, directory: Name, isWanted: (path: Name) => boolean | null = wholly): State => {
  const into: Record<string, string> = {}
  const found = digestAt(place, directory)
  if (found === "Directory") collect(place, directory, isWanted, into)
  else if (found !== "Nothing") into[directory] = found
  return into
}

const matching = (place: Place, pattern: string, fold: boolean, others: ReadonlyArray<Name>): State => {
  const into: Record<string, string> = {}
  // As lines of ignore files they match as in git; none of them is a negation or a comment.
  const line = /^[!#]/.test(pattern) ? `\\${pattern}` : pattern
  const rules = [parseRules(line, "", fold)]
  const isWanted = (path: Name, isDirectory: boolean) =>
    others.includes(path) ? null : isIgnored(rules, path, path.slice(path.lastIndexOf("/") + 1), isDirectory, fold)
  collect(place, "", isWanted, into)
  return into
}

// Claude Code reads what such a file imports as `@path` outside of code, and obeys it as well.
const code = /^(?:```|~~~)[^]*?(?:^(?:```|~~~)|$(?![^]))|`[^`\n]*`/gm

/** The paths within the worktree that a file of instructions imports, with and without a full stop or such behind. */
export const importsOf = (path: Name, text: string): ReadonlyArray<Name> =>
  [...text.replace(code, "").matchAll(/(?:^|\s)@((?:[^\s\\]|\\ )+)/g)].flatMap(([, named = ""]) => {
    const wanted = named.replaceAll("\\ ", " ").replace(/#.*$/, "")
    return [wanted, wanted.replace(/[.,;:!?)"']+$/, "")].flatMap((one) => {
      const whole = normalize(`./${directoryOf(path)}/${one}`)
      return one === "" || /^[~/]/.test(one) || whole.startsWith("..") ? [] : [whole]
    })
  })

/** What files of instructions import, and what that imports. */
const importedBy = (place: Place, paths: ReadonlyArray<Name>): State => {
  const into: Record<string, string> = {}
  let from = paths
  for (let depth = 0; depth < mostImports && from.length > 0; depth++) {
    const found = from.flatMap((path) => importsOf(path, plainText(pathOf(`${place.root}/${path}`))))
    from = [...new Set(found)].filter((path) => !Object.hasOwn(into, path))
    for (const path of from) into[path] = digestAt(place, path)
  }
  return into
}

const utf8AsBytes = (text: string): string => Buffer.from(text).toString("latin1")

const readBaseline = (run: RunRef) =>
  tryFiles(protectedFile(run), () => {
    try {
      return Option.getOrNull(decode(fs.readFileSync(protectedFile(run), "utf8")))
    } catch (error) {
      if (hasCode(error, "ENOENT")) return null
      throw error
    }
  })

const writeBaseline = (run: RunRef, baseline: Baseline) =>
  tryFiles(protectedFile(run), () => replaceFile(protectedFile(run), `${jsonText(baseline)}\n`))

const differing = (before: State, now: State): ReadonlyArray<Name> =>
  [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((path) => before[path] !== now[path])

/** The protected paths that have changed since the run first looked at them. */
export const protectedChanges = Effect.fnUntraced(
  function*(store: Store, run: RunRef, patterns: ReadonlyArray<string>) {
    const before = yield* readBaseline(run)
    const rules = new Map((before?.rules ?? []).map(([path, text]) => [path, { followed: text, found: text }]))
    const frozen = yield* freeze(store, before === null ? {} : { earlier: { rules, byAgents: true } })
    const { ignored, otherWorktrees } = frozen
    const entries = yield* entriesOf(store, frozen.tree)
    const fold = foldsCase(store.repository)
    const isObeyed = (path: Name) => otherWorktrees.includes(path) ? null : isIgnoredInstruction(path, fold) || null
    const place = placeOf(store)
    const instructions = [...entries].flatMap(([path, { id, mode }]) =>
      isInstruction(path, fold) ? [[path, `${mode} ${id}`] as const] : []
    )
    const { top } = store.repository
    const match = (one: string) =>
      tryFiles(top, () => [one, matching(place, utf8AsBytes(one), fold, otherWorktrees)] as const)
    const matched = yield* inTime(() => Effect.forEach(patterns, (one) => Effect.andThen(Effect.yieldNow, match(one))))
    const now: Record<string, State> = yield* tryFiles(top, () => {
      const inIgnored: State = Object.assign({}, ...ignored.map((path) => below(place, path, isObeyed)))
      const readers = [...instructions.map(([path]) => path), ...Object.keys(inIgnored)]
      return {
        [own]: below(place, ".ooda"),
        [obeyed]: Object.fromEntries(instructions),
        [hidden]: inIgnored,
        [imported]: importedBy(place, readers.filter((path) => /\.md$/i.test(path))),
        ...Object.fromEntries(matched)
      }
    })
    const states = { ...now, ...before?.states }
    if (before === null || Object.keys(states).length > Object.keys(before.states).length) {
      const followed = [...frozen.rules].map(([path, { followed }]) => [path, followed ?? ""] as const)
      yield* writeBaseline(run, { schema: 1, rules: followed, states })
    }
    const changed = Object.entries(now).flatMap(([key, state]) => differing(states[key] ?? {}, state))
    return [...new Set(changed)].sort()
  }
)

/** Accepts the present content of a path of `.ooda`. */
export const acceptProtected = Effect.fnUntraced(function*(store: Store, run: RunRef, path: Name) {
  const before = yield* readBaseline(run)
  if (before === null) return
  const now = yield* tryFiles(store.repository.top, () => digestAt(placeOf(store), path))
  const state = Object.fromEntries(Object.entries(before.states[own] ?? {}).filter(([name]) => name !== path))
  const accepted = now === "Nothing" ? state : { ...state, [path]: now }
  yield* writeBaseline(run, { ...before, states: { ...before.states, [own]: accepted } })
})
