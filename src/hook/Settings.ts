// Settings: our hooks in a settings file of Claude Code: put in, taken out, and looked for.
// The rest of the file keeps every character, and a text that is not a JSON object is left alone.
import { Result } from "effect"
import { type Check, fine, note, wrong } from "../read/doctor/Check.ts"
import { jsonText } from "../text/Json.ts"
import {
  type NewPart,
  addParts,
  type JsonNode,
  memberOf,
  plainValue,
  readJsonTree,
  type Splice,
  splice,
  removeParts
} from "../text/JsonTree.ts"
import { defaultGate, type Gate, hookTable, isOurs, type PlanTime } from "./Table.ts"
import { shellWord } from "../text/Phrases.ts"

const objectOf = (text: string): Result.Result<JsonNode, string> =>
  Result.flatMap(readJsonTree(text), (root) => {
    if (root._tag !== "Object") return Result.fail("it is not a JSON object")
    const hooks = memberOf(root, "hooks")?.value
    if (hooks === undefined) return Result.succeed(root)
    if (hooks._tag !== "Object") return Result.fail("its hooks are not an object")
    const odd = hooks.members.find(({ value }) => value._tag !== "Array")
    return odd === undefined ? Result.succeed(root) : Result.fail("the hooks of an event are not a list")
  })

const itemsOf = (node: JsonNode | undefined): ReadonlyArray<JsonNode> => node?._tag === "Array" ? node.items : []

const handlersOf = (group: JsonNode): JsonNode | undefined => memberOf(group, "hooks")?.value

const commandOf = (handler: JsonNode): string => {
  const command = memberOf(handler, "command")?.value
  return command?._tag === "Scalar" && typeof command.value === "string" ? command.value : ""
}

const isHandler = (handler: JsonNode): boolean => isOurs(commandOf(handler))

/** The parts of a value that are ours, and whether nothing else would be left of it. */
interface Share {
  readonly all: boolean
  readonly splices: ReadonlyArray<Splice>
}

/** The share of a whole, from the shares of its parts: parts that are entirely ours are removed as one piece. */
const shareOf = (whole: JsonNode | undefined, shares: ReadonlyArray<Share>): Share => {
  const gone = new Set(shares.flatMap(({ all }, i) => all ? [i] : []))
  if (whole === undefined) return { all: false, splices: [] }
  const splices = [...removeParts(whole, gone), ...shares.flatMap(({ all, splices }) => all ? [] : splices)]
  return { all: gone.size > 0 && gone.size === shares.length, splices }
}

const ofGroup = (group: JsonNode): Share => {
  const handlers = handlersOf(group)
  return shareOf(handlers, itemsOf(handlers).map((one) => ({ all: isHandler(one), splices: [] })))
}

const removal = (root: JsonNode): ReadonlyArray<Splice> => {
  const hooks = memberOf(root, "hooks")
  if (root._tag !== "Object" || hooks?.value._tag !== "Object") return []
  const events = hooks.value.members.map(({ value }) => shareOf(value, itemsOf(value).map(ofGroup)))
  const share = shareOf(hooks.value, events)
  return share.all ? removeParts(root, new Set([root.members.indexOf(hooks)])) : share.splices
}

const addition = (text: string, root: JsonNode, table: ReturnType<typeof hookTable>): ReadonlyArray<Splice> => {
  const hooks = memberOf(root, "hooks")?.value
  if (hooks === undefined) return [addParts(text, root, [{ key: "hooks", value: table }])]
  const present = Object.entries(table).flatMap(([event, groups]) => {
    const list = memberOf(hooks, event)?.value
    return list === undefined ? [] : [addParts(text, list, groups.map((value) => ({ value })))]
  })
  const absent = Object.entries(table).flatMap(([key, value]): ReadonlyArray<NewPart> =>
    memberOf(hooks, key) === undefined ? [{ key, value }] : []
  )
  return absent.length === 0 ? present : [...present, addParts(text, hooks, absent)]
}

/** Our handlers in a settings file, each with its event and its matcher. */
const oursIn = (root: JsonNode) => {
  const hooks = memberOf(root, "hooks")?.value
  return (hooks?._tag === "Object" ? hooks.members : []).flatMap(({ key, value }) =>
    itemsOf(value).flatMap((group) =>
      itemsOf(handlersOf(group)).filter(isHandler).map((handler) => {
        const matcher = memberOf(group, "matcher")
        return { event: key, matcher: matcher === undefined ? null : plainValue(matcher.value), handler }
      })
    )
  )
}

const listed = (ours: ReturnType<typeof oursIn>): string =>
  jsonText(ours.map(({ event, handler, matcher }) => jsonText([event, matcher, plainValue(handler)])).toSorted())

const wanted = (table: ReturnType<typeof hookTable>): string =>
  Result.match(readJsonTree(jsonText({ hooks: table })), {
    onFailure: () => "",
    onSuccess: (root) => listed(oursIn(root))
  })

/** The settings without our hooks, unchanged if there are none. */
export const withoutHooks = (text: string): Result.Result<string, string> =>
  text.trim() === "" ? Result.succeed(text) : Result.map(objectOf(text), (root) => splice(text, removal(root)))

/** The settings with our hooks exactly once, unchanged if they are there already. */
export const withHooks = (text: string, gate: Gate, plans: PlanTime = "after"): Result.Result<string, string> =>
  Result.gen(function*() {
    const table = hookTable(gate, plans)
    const given = text.trim() === "" ? "{}\n" : text
    if (listed(oursIn(yield* objectOf(given))) === wanted(table)) return text
    const cleared = yield* withoutHooks(given)
    return splice(cleared, addition(cleared, yield* objectOf(cleared), table))
  })

/** What a settings file contains of us. */
export interface InstalledHooks {
  /** How many of our handlers it holds. */
  readonly handlers: number
  readonly gates: ReadonlyArray<string>
  /** Our plugin by marketplace, and whether it is enabled. */
  readonly plugins: ReadonlyArray<readonly [string, boolean]>
  /** Whether it turns all hooks off. */
  readonly isOff: boolean
}

const isTrue = (node: JsonNode | undefined): boolean => node?._tag === "Scalar" && node.value === true

/** Reads which of our hooks a settings file contains. */
export const installedHooks = (text: string): Result.Result<InstalledHooks, string> =>
  Result.map(text.trim() === "" ? readJsonTree("{}") : objectOf(text), (root) => {
    const ours = oursIn(root)
    const plugins = memberOf(root, "enabledPlugins")?.value
    return {
      handlers: ours.length,
      gates: ours.flatMap(({ handler }) => / --gate[ =](\w+)/.exec(commandOf(handler))?.slice(1) ?? []),
      plugins: (plugins?._tag === "Object" ? plugins.members : [])
        .filter(({ key }) => key.startsWith("ooda@")).map(({ key, value }) => [key, isTrue(value)]),
      isOff: isTrue(memberOf(root, "disableAllHooks")?.value)
    }
  })

// The installation in Claude Code, judged: do the hooks run, do they run once, can they review.

/** The settings files of Claude Code, from the least to the most specific, which wins. */
export const scopes = ["user", "project", "local"] as const
export type Scope = typeof scopes[number]

/** A settings file and its contents, or why it cannot be read. */
export interface ScopeSettings {
  readonly scope: Scope
  readonly path: string
  readonly hooks: InstalledHooks | { readonly problem: string }
}

export interface InstallFacts {
  readonly settings: ReadonlyArray<ScopeSettings>
  /** The path of the hooks' program, or null if it is not on PATH. */
  readonly program: string | null
  readonly codex: { readonly path: string } | { readonly problem: string }
  /** Whether a variable turns the program off. */
  readonly isOff: boolean
}

const handlerCount = ({ hooks }: ScopeSettings): number => "problem" in hooks ? 0 : hooks.handlers

const ofSettings = (one: ScopeSettings): Check => {
  const { path, scope, hooks } = one
  if ("problem" in hooks) return wrong(scope, hooks.problem, `correct ${shellWord(path)}`)
  if (hooks.handlers === 0) return note(scope, `no hooks of ours (${path})`, null)
  return fine(scope, `${hooks.handlers} hooks, gate ${hooks.gates.join(", ") || defaultGate} (${path})`)
}

/** The plugins that are enabled by all settings taken together. */
const pluginsOf = (settings: ReadonlyArray<ScopeSettings>): ReadonlyArray<string> => {
  const all = new Map(settings.flatMap(({ hooks }) => "problem" in hooks ? [] : hooks.plugins))
  return [...all].filter(([, isOn]) => isOn).map(([name]) => name)
}

const twice = (settings: ReadonlyArray<ScopeSettings>, plugins: ReadonlyArray<string>): ReadonlyArray<Check> => {
  const holding = settings.filter((one) => handlerCount(one) > 0)
  const [first] = holding
  if (first === undefined) return []
  const remove = ({ scope }: ScopeSettings) => `ooda-codex-review hook uninstall --scope ${scope}`
  const gates = new Set(holding.flatMap(({ hooks }) => "problem" in hooks ? [] : hooks.gates))
  if (plugins.length > 0) {
    const where = holding.map(({ scope }) => scope).join(" and ")
    return [wrong("twice", `the plugin and ${where} settings both run their hooks`, holding.map(remove).join("; "))]
  }
  const [, second] = holding
  if (second === undefined || gates.size < 2) return []
  return [wrong("twice", `settings name several gates, and all of them run: ${[...gates].join(", ")}`, remove(second))]
}

const off = ({ isOff, settings }: InstallFacts): ReadonlyArray<Check> => [
  ...settings.filter(({ hooks }) => !("problem" in hooks) && hooks.isOff)
    .map(({ path }) => note("off", `${path} turns all hooks off`, `remove disableAllHooks from ${shellWord(path)}`)),
  ...(isOff ? [note("off", "CODEX_REFLECTOR_ENABLED turns reviews off", "unset CODEX_REFLECTOR_ENABLED")] : [])
]

const ofProgram = ({ program }: InstallFacts, isInstalled: boolean): Check => {
  if (program !== null) return fine("program", program)
  const found = "ooda-codex-review is not on PATH, so the hooks do nothing"
  const fix = "npm install -g ooda-codex-review, or npm link in its checkout"
  return isInstalled ? wrong("program", found, fix) : note("program", found, fix)
}

const ofCodex = ({ codex }: InstallFacts, isInstalled: boolean): Check => {
  if ("path" in codex) return fine("codex", codex.path)
  const fix = "npm install -g @openai/codex; then ooda-codex-review doctor"
  return isInstalled ? wrong("codex", codex.problem, fix) : note("codex", codex.problem, fix)
}

/** One check for each place, then what prevents the hooks from working. */
export const installChecks = (facts: InstallFacts): ReadonlyArray<Check> => {
  const plugins = pluginsOf(facts.settings)
  const isInstalled = plugins.length > 0 || facts.settings.some((one) => handlerCount(one) > 0)
  return [
    ...facts.settings.map(ofSettings),
    plugins.length > 0 ? fine("plugin", plugins.join(", ")) : note("plugin", "not enabled", null),
    ...twice(facts.settings, plugins),
    ...off(facts),
    ...(isInstalled ? [] : [note("hooks", "nothing is installed", "ooda-codex-review hook install")]),
    ofProgram(facts, isInstalled),
    ofCodex(facts, isInstalled)
  ]
}
